package lazy

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/times"
)

var (
	// errClosed is the error of a reader after Close.
	errClosed = errors.New("the trace is closed")
	// errNoData: a packed trace is still being unpacked, or unpacking failed.
	errNoData = errors.New("nothing of the trace has been unpacked")
)

// trace is the open files of a trace and what is known about it: the mapped files, the
// descriptors and a view. All readers of a trace use it; the worker changes it. It has
// a field for each thing that can change on its own, with its own guard: data read at
// each node of a walk should not wait for other data.
type trace struct {
	board
	paths
	sums
	summary summaryFile

	// life is held for reading while the mappings are used, for writing to
	// change or unmap them.
	life   sync.RWMutex
	closed bool
	data   *mapped.File
	index  *mapped.File               // nil if none is used
	times  atomic.Pointer[times.File] // nil if none
	file   fileInfo                   // of the data, see LookForAnother; not known of a packed trace

	known atomic.Pointer[index.View]
	epoch atomic.Int64 // how often the view turned out wrong

	ctxMu    sync.RWMutex // guards ctx
	ctx      *format.Context
	info     *format.Info // of a packed trace
	leftover []string     // files to remove when it is closed
}

// paths are where the files of a trace are.
type paths struct {
	path      string
	indexPath string // where the index is, or is to be stored; "" for a packed trace
	timesPath string // where to look for a file of times; "" for nowhere
}

// sums are what was added up over all threads of a view, to be used again.
type sums struct {
	length  atomic.Pointer[length]     // of a recording without an end, as last asked for; nil if never
	totals  atomic.Pointer[totals]     // as last asked for; nil if never
	tallies atomic.Pointer[tallies]    // nil until counted
	hidden  atomic.Pointer[hidden]     // nil until found out
	events  atomic.Pointer[eventTable] // of the view for which it was last needed; nil if never
	firsts  sync.Map                   // from firstKey to the offset of a thread's first point
}

func newTrace(path, ended string) *trace {
	t := &trace{paths: paths{path: path}, ctx: format.NewContext(0)}
	t.changed = make(chan struct{}, 1)
	t.summary.looked = -1
	t.status.Ended = ended
	t.known.Store(&index.View{})
	return t
}

// close unmaps the files. It waits for reads in progress.
func (t *trace) close() error {
	t.summary.close() // before life is held: whoever looks for a summary takes that later
	t.life.Lock()
	defer t.life.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	t.known.Store(&index.View{Complete: true})
	err := errors.Join(t.data.Unmap(), t.index.Unmap(), t.times.Load().Mapped().Unmap())
	for _, name := range t.leftover {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// sizes returns the sizes of data and index in bytes; 0 for an absent one.
func (t *trace) sizes() (data, index int64) {
	t.life.RLock()
	defer t.life.RUnlock()
	if t.data != nil {
		data = int64(len(t.data.Bytes()))
	}
	if t.index != nil {
		index = int64(len(t.index.Bytes()))
	}
	return data, index
}

// withContext calls f with the descriptors, which do not change meanwhile.
func (t *trace) withContext(f func(*format.Context)) {
	t.ctxMu.RLock()
	defer t.ctxMu.RUnlock()
	f(t.ctx)
}

// setContext replaces the known descriptors.
func (t *trace) setContext(ctx *format.Context) {
	t.ctxMu.Lock()
	defer t.ctxMu.Unlock()
	*t.ctx = *ctx
}

func (t *trace) version() (v format.Version) {
	t.withContext(func(c *format.Context) { v = c.Version() })
	return v
}

// moment returns the current view, with its epoch.
func (t *trace) moment() (*index.View, int64) {
	t.life.RLock()
	defer t.life.RUnlock()
	return t.known.Load(), t.epoch.Load()
}

// use runs f while the mappings stay in place, and turns faults in them into errors.
func (t *trace) use(f func() error) error {
	t.life.RLock()
	defer t.life.RUnlock()
	switch {
	case t.closed:
		return errClosed
	case t.data == nil:
		return errNoData
	}
	return mapped.Guard(f, t.data, t.index, t.times.Load().Mapped())
}

// changePatience is how long change tries to get a moment in which no goroutine uses
// the mappings. Other goroutines may start to use them in that time: if they all had to
// wait for one that reads for seconds, as in a call with millions of children, all
// would stop.
const changePatience = 100 * time.Millisecond

// change calls f while no goroutine uses the mappings.
func (t *trace) change(f func() error) error {
	for until := time.Now().Add(changePatience); !t.life.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.life.Lock()
			break
		}
	}
	defer t.life.Unlock()
	if t.closed {
		return errClosed
	}
	return f()
}

// setData replaces the shown file, if any, and what is known about it. Loaded nodes
// become stale.
func (t *trace) setData(m *mapped.File, v *index.View, ctx *format.Context, why error) error {
	err := t.change(func() error {
		old := t.data
		if old != nil {
			t.epoch.Add(1)
		}
		t.known.Store(v)
		t.tallies.Store(nil)
		t.data = m
		t.setContext(ctx)
		index, times := t.index, t.times.Swap(nil)
		t.index = nil
		t.note(func(st *Status) {
			st.Generation++
			if old != nil {
				g := st.Growth
				g.Recording++
				g.Again, g.Grown, g.Rate = why, time.Time{}, 0
				*st = Status{Phase: st.Phase, Generation: st.Generation, Epoch: st.Epoch + 1, Growth: g}
			}
		})
		return errors.Join(old.Unmap(), index.Unmap(), times.Mapped().Unmap())
	})
	if errors.Is(err, errClosed) {
		m.Unmap()
	}
	return err
}

// setIndex replaces the mapping of the index with m, nil for none, and the view, which
// may use the old mapping, with v. With wrong, what was known so far is no longer true.
func (t *trace) setIndex(m *mapped.File, v *index.View, wrong bool) error {
	t.life.Lock()
	defer t.life.Unlock()
	if t.closed {
		m.Unmap()
		return errClosed
	}
	if wrong {
		t.epoch.Add(1)
	}
	t.known.Store(v)
	old := t.index
	t.index = m
	return old.Unmap()
}

// addReference adds a reference object to the context, and checks that it matches its
// cell.
func (t *trace) addReference(object []byte, cell format.Cell) error {
	t.ctxMu.Lock()
	defer t.ctxMu.Unlock()
	return addTo(t.ctx, object, cell)
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

// shows reports whether the mappings are still those that a view uses. It must be called
// within use.
func (t *trace) shows(v *index.View) bool {
	return (v.Index == nil || v.Index == t.index) && (v.Data == nil || v.Data == t.data)
}

// walkerOn returns a walker of a thread's stream in a view.
func (t *trace) walkerOn(v *index.View, thread int32) (*walker, error) {
	if !t.shows(v) {
		return nil, errStale
	}
	s := v.Stream(thread)
	if s == nil {
		return nil, fmt.Errorf("thread %d is not in the trace", thread)
	}
	return &walker{r: t, v: v, s: s}, nil
}

// publish replaces the view with v.
func (t *trace) publish(v *index.View) {
	if was := t.known.Load(); was.Complete && was.Data != nil && v.Data == nil {
		t.keepTally(was)
	}
	t.known.Store(v)
	t.addUp() // here, so that no key press waits for it
	t.note(func(s *Status) { s.Generation++ })
}
