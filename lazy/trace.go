package lazy

import (
	"errors"
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

// shows reports whether the mappings are still those that a view uses. It must be called
// within use.
func (t *trace) shows(v *index.View) bool {
	return (v.Index == nil || v.Index == t.index) && (v.Data == nil || v.Data == t.data)
}

// streamAhead reads a part of a thread's stream ahead of its user. Offsets, including
// those passed to Reached, are logical.
func (r *trace) streamAhead(v *index.View, s *index.Stream, from, end int64) *mapped.Ahead {
	return mapped.StartAhead(from-from%mapped.LoadSize, end, func(from, to int64) error {
		return r.use(func() error {
			if v.Data != nil && v.Data != r.data {
				return errStale
			}
			return s.Ranges(from, to, r.data.Populate)
		})
	})
}

// fileInfo is what a file was like; the zero value is not known.
type fileInfo struct{ was atomic.Pointer[os.FileInfo] }

func (i *fileInfo) keep(f *os.File) {
	if f == nil {
		return
	}
	if st, err := f.Stat(); err == nil {
		i.was.Store(&st)
	}
}

// replaced reports whether the file at a path is another one now, or, if it was whole, was written to.
func (i *fileInfo) replaced(path string, whole bool) bool {
	was := i.was.Load()
	if was == nil {
		return false
	}
	st, err := os.Stat(path)
	same := err == nil && os.SameFile(st, *was)
	if same && whole {
		same = st.Size() == (*was).Size() && st.ModTime().Equal((*was).ModTime())
	}
	return err == nil && st.Mode().IsRegular() && !same
}

// errStale: the data requested was read from an index that was wrong, or has
// been forgotten.
var errStale = errors.New("what was read before is gone: the index was wrong, or it was unloaded")
