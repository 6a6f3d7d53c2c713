package lazy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/times"
)

// DefaultMemory is the budget for loaded nodes, in bytes, when none is given.
const DefaultMemory = 256 << 20

// firstScan is how much of the data Open looks at itself, in bytes: the first
// block begins with the first thread's root and what it refers to.
const firstScan = 256 << 10

// Options say how a trace is opened.
type Options struct {
	Memory  int64 // budget in bytes for the loaded nodes of a Tree; 0: DefaultMemory
	NoWrite bool  // store no index

	// Follow reads on while the trace is being written: what comes is known
	// as it comes, until the recording has its end. A file that is not there
	// yet is waited for. See Status.Growth.
	Follow bool

	// Unended, when not nil, says why data without an end has none. Any goroutine
	// may call it.
	Unended func() Unended
	// Finish, when not nil, is called while a trace is followed that does not grow.
	// Where its program has ended without closing it, it brings in what that left,
	// and says so in a sentence for Status.Ended; "" while there is nothing to do.
	// Its error says why that cannot be done.
	Finish func() (told string, err error)
	// Ended is what Status.Ended says at first.
	Ended string
}

// TraceReader reads a trace of any size. It maps data and index; what it keeps
// in memory grows with the number of blocks and reference objects, not with
// the number of calls. All methods may be called from any goroutine, and any
// number of readers may be open at once.
type TraceReader struct {
	path      string
	indexPath string // where an index belongs that is made; "": nowhere
	timesPath string // where a file of times is looked for; "": nowhere
	opts      Options

	// life is held for reading while the mappings are used, for writing to
	// change or unmap them.
	life   sync.RWMutex
	closed bool
	data   *mapped.File
	index  *mapped.File               // nil: none is used
	times  atomic.Pointer[times.File] // nil: there is none

	known  atomic.Pointer[index.View]
	totals atomic.Pointer[totals] // as last asked for; nil: never
	epoch  atomic.Int64           // how often what was known turned out wrong
	ctxMu  sync.RWMutex
	ctx    *format.Context
	info   *format.Info

	tallies  atomic.Pointer[map[int32]index.Tally] // by thread; nil: nobody has counted
	leftover []string                              // files to remove at Close

	mu       sync.Mutex // guards status
	status   Status
	changed  chan struct{}
	settle   chan struct{} // closed when the phase is an end; nil: nobody waits
	cancel   context.CancelFunc
	done     chan struct{} // closed when the background work has ended
	distrust chan distrust // holds at most one: the index contradicts the data

	asks   []chan struct{} // closed when all is known that was there when they came; mu guards them
	asked  chan struct{}   // holds at most one, like those that follow: there are asks
	leave  chan struct{}   // the trace is not to be followed any more
	resume chan struct{}   // it is to be followed again
}

// distrust says why an index is not to be used any more.
type distrust struct {
	why   error
	epoch int64 // in which it was noticed: of an index that is gone, it says nothing
}

// ErrNotRegular: a pipe, a socket or a device, where a file was expected. Such an
// error is a [format.ErrNotTrace], too.
var ErrNotRegular = mapped.ErrNotRegular

var (
	// errClosed is what a reader says after Close.
	errClosed = errors.New("the trace is closed")
	// errNoData: a packed trace is still being unpacked, or could not be.
	errNoData = errors.New("nothing of the trace has been unpacked")
)

// Open opens a trace: a data file, with its index beside it if there is one, or
// a packed trace. It returns at once whatever the size; what else there is to
// know is found in the background, see Status and Changed. An error that names
// a fault of the file is an [*format.Error].
func Open(path string, o Options) (*TraceReader, error) {
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Follow {
		return openFollowed(path, o)
	}
	f, size, err := mapped.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := newReader(path, o)
	work, err := r.start(f, size)
	if err != nil {
		r.data.Unmap()
		r.times.Load().Mapped().Unmap()
		return nil, err
	}
	r.run(work)
	return r, nil
}

func newReader(path string, o Options) *TraceReader {
	r := &TraceReader{
		path: path, opts: o, ctx: format.NewContext(0),
		changed: make(chan struct{}, 1), done: make(chan struct{}), distrust: make(chan distrust, 1),
		asked: make(chan struct{}, 1), leave: make(chan struct{}, 1), resume: make(chan struct{}, 1),
	}
	r.known.Store(&index.View{})
	r.status.Ended = o.Ended
	return r
}

// run does work, and what comes after it, in the background.
func (r *TraceReader) run(work func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		defer close(r.done)
		r.background(ctx, work)
	}()
}

// start does what can be done at once and returns what is left to do.
func (r *TraceReader) start(f *os.File, size int64) (work func(context.Context) error, err error) {
	head := make([]byte, 512)
	n, err := f.ReadAt(head, 0)
	if n == 0 && size > 0 {
		return nil, err
	}
	head = head[:n]
	if isZip(head) {
		return r.startPacked(f, size)
	}
	if _, err := format.CheckDataHeader(head); err != nil {
		return nil, format.At(err, r.path, 0)
	}
	m, err := mapped.Map(f, r.path)
	if err != nil {
		return nil, err
	}
	r.data = m
	if err := m.CheckHeader(format.CheckDataHeader); err != nil {
		return nil, err
	}
	r.openTimes()
	first, err := r.firstLook()
	if err != nil {
		return nil, err
	}
	r.indexPath = r.path + format.IndexSuffix
	return func(ctx context.Context) error { return r.learn(ctx, first) }, nil
}

// firstLook scans the beginning of the data, so that there is something to
// show before the index has been looked at.
func (r *TraceReader) firstLook() (*index.Scan, error) {
	s, err := r.startOver()
	if err == nil {
		r.publish(s.View(false))
	}
	return s, err
}

// startOver scans the beginning of the data, with nothing known but what it
// finds. What it returns goes on from there.
func (r *TraceReader) startOver() (*index.Scan, error) {
	r.tallies.Store(nil)
	found := format.NewContext(r.data.Version())
	s := index.NewScan(r.data, func(object []byte, cell format.Cell) error { return addTo(found, object, cell) })
	err := r.use(func() error {
		_, err := s.Step(context.Background(), firstScan)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.SetReference(r.addReference)
	r.ctxMu.Lock()
	*r.ctx = *found
	r.ctxMu.Unlock()
	return s, nil
}

// background does the work that Open left, and what comes after it.
func (r *TraceReader) background(ctx context.Context, work func(context.Context) error) {
	err := work(ctx)
	r.finish(err)
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.resume:
			err = r.follow(ctx)
			r.finish(err)
		case d := <-r.distrust:
			if d.epoch == r.epoch.Load() {
				r.note(func(s *Status) { s.IndexReason = d.why })
				var first *index.Scan
				if first, err = r.dropIndex(); err == nil {
					err = r.rebuild(ctx, r.indexPath, first)
				}
			}
			r.finish(err) // also of a doubt that came too late: it has changed the phase
		}
	}
}

// finish notes the end of a piece of work.
func (r *TraceReader) finish(err error) {
	r.checkTimes()
	var asks []chan struct{}
	r.note(func(s *Status) {
		s.Phase = PhaseReady
		s.Growth.On, s.Growth.Wait = false, nil
		asks, r.asks = r.asks, nil
		if errors.Is(err, context.Canceled) {
			err = errClosed
		}
		if err != nil {
			s.Phase, s.Problem = PhaseFailed, err
		}
	})
	answer(asks) // those who asked in the last look of a follower, or behind it
}

// learn finds out about the whole trace: from the index when it is good, from
// the data when not.
func (r *TraceReader) learn(ctx context.Context, first *index.Scan) error {
	return r.learnFrom(ctx, r.useIndex(ctx, r.indexPath), first)
}

// learnFrom goes on after err said whether the recorded index could be used.
func (r *TraceReader) learnFrom(ctx context.Context, err error, first *index.Scan) error {
	if err == nil {
		r.note(func(s *Status) { s.Index = IndexRecorded })
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !errors.Is(err, os.ErrNotExist) {
		r.note(func(s *Status) { s.IndexReason = err })
		// It may have named descriptors that the data has not.
		if first, err = r.startOver(); err != nil {
			return err
		}
	}
	return r.rebuild(ctx, r.indexPath, first)
}

// useIndex maps an index, makes the pass over it and publishes what it says.
func (r *TraceReader) useIndex(ctx context.Context, path string) error {
	f, _, err := mapped.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := mapped.Map(f, path)
	if err != nil {
		return err
	}
	return r.takeIndex(ctx, m)
}

// takeIndex makes the pass over a mapped index. When that fails the mapping is
// gone, and what was known before is known.
func (r *TraceReader) takeIndex(ctx context.Context, m *mapped.File) error {
	before := r.known.Load()
	if err := r.setIndex(m, before, false); err != nil {
		return err
	}
	// Of the data the pass looks at the borders of blocks and at descriptors: what
	// is around them should not be read for it.
	r.data.Scattered(true)
	a := m.Window(r.use)
	err := r.use(func() error {
		if err := index.Check(m, r.data); err != nil {
			return err
		}
		return r.pass(ctx, m, a)
	})
	a.Stop()
	r.data.Scattered(false)
	if err != nil {
		return errors.Join(err, r.setIndex(nil, before, false))
	}
	return nil
}

// setIndex puts another mapping (nil: none) in the place of the index's, and v
// in the place of the view, which may stand on the mapping that goes. With
// wrong, what was known so far is no longer true.
func (r *TraceReader) setIndex(m *mapped.File, v *index.View, wrong bool) error {
	r.life.Lock()
	defer r.life.Unlock()
	if r.closed {
		m.Unmap()
		return errClosed
	}
	if wrong {
		r.epoch.Add(1)
	}
	r.known.Store(v)
	old := r.index
	r.index = m
	return old.Unmap()
}

// pass makes the pass over the index and publishes what it says; a brings in the
// index.
func (r *TraceReader) pass(ctx context.Context, m *mapped.File, a *mapped.Ahead) error {
	r.begin(PhaseIndexing, int64(len(m.Bytes())))
	l := r.loader(m)
	l.Progress = func(done int64) {
		a.Reached(done)
		r.progress(done)
	}
	return l.Load(ctx)
}

func (r *TraceReader) loader(m *mapped.File) *index.Loader {
	return &index.Loader{
		Index: m, Data: r.data, Reference: r.addReference, Progress: r.progress,
		Accept: func(v *index.View) error {
			if err := r.checkEnds(v); err != nil {
				return err
			}
			r.publish(v)
			return nil
		},
	}
}

// endsChecked is how many roots checkEnds looks at, of all threads together.
const endsChecked = 1 << 16

// checkEnds refuses an index whose recording ends within a call: it does not
// tell which containers are open, only the data does. It must be called within
// use. Of a trace with more than endsChecked roots it looks at the first.
func (r *TraceReader) checkEnds(v *index.View) error {
	left := endsChecked
	for _, s := range v.Streams {
		w := &walker{r: r, v: v, s: s}
		var e entry
		for pos, ord := int64(0), int64(0); left > 0; left-- {
			ok, err := w.next(pos, ord, s.Size, &e, false)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if e.state != StateWhole {
				return w.contradiction(e.at, fmt.Sprintf("event %d, whose end the index does not have", e.point.Event))
			}
			pos, ord = e.next, e.after
		}
	}
	return nil
}

// dropIndex forgets an index that cannot be trusted, and what it said. What is
// known then is the beginning of the data, from where the scan goes on.
func (r *TraceReader) dropIndex() (*index.Scan, error) {
	first, err := r.startOver()
	if err != nil {
		return nil, err
	}
	err = r.setIndex(nil, first.View(false), true)
	r.trustTimes() // which may not have fitted the index alone
	r.note(func(s *Status) {
		s.Epoch++
		s.Generation++
	})
	return first, err
}

// addReference adds a reference object to the context, and checks that it is
// the one that its cell names.
func (r *TraceReader) addReference(object []byte, cell format.Cell) error {
	r.ctxMu.Lock()
	defer r.ctxMu.Unlock()
	return addTo(r.ctx, object, cell)
}

func addTo(ctx *format.Context, object []byte, cell format.Cell) error {
	if k := format.Kind(object[0]); k != cell.Kind {
		return fmt.Errorf("%s %d at offset %d, where the data has %s", cell.Kind, cell.ID, cell.Start, k)
	}
	id, _, err := ctx.Add(object)
	if err == nil && id != cell.ID {
		err = fmt.Errorf("%s %d at offset %d, where the data has %d", cell.Kind, cell.ID, cell.Start, id)
	}
	return err
}

// moment returns what is known now, with the epoch that it belongs to.
func (r *TraceReader) moment() (*index.View, int64) {
	r.life.RLock()
	defer r.life.RUnlock()
	return r.known.Load(), r.epoch.Load()
}

// use runs f while the mappings stay, and turns faults in them into errors.
func (r *TraceReader) use(f func() error) error {
	r.life.RLock()
	defer r.life.RUnlock()
	switch {
	case r.closed:
		return errClosed
	case r.data == nil:
		return errNoData
	}
	return mapped.Guard(f, r.data, r.index, r.times.Load().Mapped())
}

// Close ends the background work and unmaps the files. It waits for what is
// being read. What was handed out stays good.
func (r *TraceReader) Close() error {
	r.cancel()
	<-r.done
	r.life.Lock()
	defer r.life.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	r.known.Store(&index.View{Complete: true})
	err := errors.Join(r.data.Unmap(), r.index.Unmap(), r.times.Load().Mapped().Unmap())
	for _, name := range r.leftover {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// Version returns the version of the format that the trace has; 0 as long as
// nothing of it has been seen, as of a packed trace that is being unpacked.
func (r *TraceReader) Version() (v format.Version) {
	r.WithContext(func(c *format.Context) { v = c.Version() })
	return v
}

// Path returns the path that was opened.
func (r *TraceReader) Path() string { return r.path }

// Info returns what a packed trace says of the run that it was recorded from;
// nil for another trace.
func (r *TraceReader) Info() *format.Info { return r.info }

// Size returns the sizes of data and index in bytes; 0 for an index that is
// not there or not used.
func (r *TraceReader) Size() (data, index int64) {
	r.life.RLock()
	defer r.life.RUnlock()
	if r.data != nil {
		data = int64(len(r.data.Bytes()))
	}
	if r.index != nil {
		index = int64(len(r.index.Bytes()))
	}
	return data, index
}

// WithContext calls f with the trace's descriptors, which f may only read and
// not keep: they may grow when it has returned.
func (r *TraceReader) WithContext(f func(*format.Context)) {
	r.ctxMu.RLock()
	defer r.ctxMu.RUnlock()
	f(r.ctx)
}
