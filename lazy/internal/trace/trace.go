// Package trace is the open files of a trace and what is known about them. It finds blocks, descriptors and threads;
// what is in the threads is read by package walk.
//
//	Trace       mappings, descriptors, the known view, its times and its summary file; sums of what was counted
//	  board     the status, and the channels that announce a change
//	Worker      a Trace with the background goroutine and its queue of requests
//	follower    the state of a file that is being written
//
// All of it is for the packages walk and lazy: callers of package lazy see the types of [Status] and [Options] only.
package trace

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
	// ErrClosed is the error of a reader after Close.
	ErrClosed = errors.New("the trace is closed")
	// errNoData: a packed trace is still being unpacked, or unpacking failed.
	errNoData = errors.New("nothing of the trace has been unpacked")
)

// Trace is the open files of a trace and what is known about it: the mapped files, the
// descriptors and a view. All readers of a trace use it; the worker changes it. It has
// a field for each thing that can change on its own, with its own guard: data read at
// each node of a walk should not wait for other data.
type Trace struct {
	board
	paths
	sums
	Summary SummaryFile

	// Life is held for reading while the mappings are used, for writing to
	// change or unmap them.
	Life      sync.RWMutex
	Closed    bool
	Data      *mapped.File
	Index     *mapped.File               // nil if none is used
	TimesFile atomic.Pointer[times.File] // nil if none
	file      fileInfo                   // of the data, see LookForAnother; not known of a packed trace

	Known atomic.Pointer[index.View]
	Epoch atomic.Int64 // how often the view turned out wrong

	CtxMu    sync.RWMutex // guards ctx
	Ctx      *format.Context
	Info     *format.Info // of a packed trace
	Diff     *DiffInfo    // of a packed trace that is a diff of two; nil otherwise
	leftover []string     // files to remove when it is closed
}

// paths are where the files of a trace are.
type paths struct {
	Path      string
	indexPath string // where the index is, or is to be stored; "" for a packed trace
	TimesPath string // where to look for a file of times; "" for nowhere
}

func newTrace(path, ended string) *Trace {
	t := &Trace{paths: paths{Path: path}, Ctx: format.NewContext(0)}
	t.Changed = make(chan struct{}, 1)
	t.Summary.Looked = -1
	t.status.Ended = ended
	t.Known.Store(&index.View{})
	return t
}

// close unmaps the files. It waits for reads in progress.
func (t *Trace) close() error {
	t.Summary.close() // before life is held: whoever looks for a summary takes that later
	t.Life.Lock()
	defer t.Life.Unlock()
	if t.Closed {
		return nil
	}
	t.Closed = true
	t.Known.Store(&index.View{Complete: true})
	err := errors.Join(t.Data.Unmap(), t.Index.Unmap(), t.TimesFile.Load().Mapped().Unmap())
	for _, name := range t.leftover {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// Sizes returns the sizes of data and index in bytes; 0 for an absent one.
func (t *Trace) Sizes() (data, index int64) {
	t.Life.RLock()
	defer t.Life.RUnlock()
	if t.Data != nil {
		data = int64(len(t.Data.Bytes()))
	}
	if t.Index != nil {
		index = int64(len(t.Index.Bytes()))
	}
	return data, index
}

// WithContext calls f with the descriptors, which do not change meanwhile.
func (t *Trace) WithContext(f func(*format.Context)) {
	t.CtxMu.RLock()
	defer t.CtxMu.RUnlock()
	f(t.Ctx)
}

func (t *Trace) Version() (v format.Version) {
	t.WithContext(func(c *format.Context) { v = c.Version() })
	return v
}

// Moment returns the current view, with its epoch.
func (t *Trace) Moment() (*index.View, int64) {
	t.Life.RLock()
	defer t.Life.RUnlock()
	return t.Known.Load(), t.Epoch.Load()
}

// Use runs f while the mappings stay in place, and turns faults in them into errors.
func (t *Trace) Use(f func() error) error {
	t.Life.RLock()
	defer t.Life.RUnlock()
	switch {
	case t.Closed:
		return ErrClosed
	case t.Data == nil:
		return errNoData
	}
	return mapped.Guard(f, t.Data, t.Index, t.TimesFile.Load().Mapped())
}

// changePatience is how long change tries to get a moment in which no goroutine uses
// the mappings. Other goroutines may start to use them in that time: if they all had to
// wait for one that reads for seconds, as in a call with millions of children, all
// would stop.
const changePatience = 100 * time.Millisecond

// change calls f while no goroutine uses the mappings.
func (t *Trace) change(f func() error) error {
	for until := time.Now().Add(changePatience); !t.Life.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Life.Lock()
			break
		}
	}
	defer t.Life.Unlock()
	if t.Closed {
		return ErrClosed
	}
	return f()
}

// Shows reports whether the mappings are still those that a view uses. It must be called
// within use.
func (t *Trace) Shows(v *index.View) bool {
	return (v.Index == nil || v.Index == t.Index) && (v.Data == nil || v.Data == t.Data)
}

// StreamAhead reads a part of a thread's stream ahead of its user. Offsets, including
// those passed to Reached, are logical.
func (r *Trace) StreamAhead(v *index.View, s *index.Stream, from, end int64) *mapped.Ahead {
	return mapped.StartAhead(from-from%mapped.LoadSize, end, func(from, to int64) error {
		return r.Use(func() error {
			if v.Data != nil && v.Data != r.Data {
				return ErrStale
			}
			return s.Ranges(from, to, r.Data.Populate)
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

// ErrStale: the data requested was read from an index that was wrong, or has
// been forgotten.
var ErrStale = errors.New("what was read before is gone: the index was wrong, or it was unloaded")
