// Following a trace: follow.go has what callers use; follow_loop.go the follower and its polls;
// follow_find.go finds the file, and notices that another replaced it; follow_read.go reads what
// was added; follow_end.go is for data that is complete; follow_left.go gets what a program left
// elsewhere.

package lazy

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Growth describes a trace that is followed.
type Growth struct {
	On        bool      // the reader looks for more data
	Rate      float64   // recent bytes per second
	Behind    int64     // bytes of the data that are not shown: their block is not complete yet
	Grown     time.Time // when the data was last seen to grow; zero if not since following began
	Wait      error     // why no data can arrive now; nil if it can
	Recording int       // grows when the trace is read from its beginning again, usually because another replaced it: make new Trees
	Again     error     // why it was read again; nil if on request
}

// ErrPacked is the error for following a packed trace.
var ErrPacked = errors.New("a packed trace does not grow")

// openFollowed opens a trace that is being written, or will be.
func openFollowed(path string, o Options) (*LazyTraceReader, error) {
	r := newReader(path, o)
	r.indexPath, r.timesPath = r.indexBeside(), path+format.TimesSuffix
	f := newFollower(r.trace, o.Finish)
	st, err := os.Stat(path)
	if err == nil {
		if err = mapped.CheckRegular(st, path); err == nil {
			err = f.take()
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		f.why, err = errNoFile, nil
	}
	if err != nil {
		return nil, err
	}
	r.note(func(st *Status) { st.Growth.On = true })
	if f.s == nil {
		f.tell()
	}
	r.runFollower(f)
	return r, nil
}

// Follow continues to read an incomplete trace, as if it had been opened with
// Options.Follow. Loaded nodes become stale, see Status.Epoch. It reports whether
// it will: a complete trace does not grow, unless its file has been replaced, nor does a packed one.
func (r *LazyTraceReader) Follow() bool {
	v, st := r.known.Load(), r.Status()
	if p := st.Phase; p != PhaseReady && p != PhaseFailed || v.EOF && !st.Replaced || r.indexPath == "" {
		return false
	}
	r.note(func(st *Status) { st.Phase, st.Growth.On, st.Replaced = PhaseOpening, true, false })
	r.requests.send(request{kind: requestFollow})
	return true
}

// Unfollow stops following. If the data has no end, it is shown as a recording that
// was cut short.
func (r *LazyTraceReader) Unfollow() { r.requests.send(request{kind: requestUnfollow}) }

// CatchUp waits until everything now in the file of a followed trace is known; for
// any other trace, until everything is known. It returns ctx's error if ctx ends
// first.
func (r *LazyTraceReader) CatchUp(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := request{kind: requestCatchUp, done: make(chan struct{})}
	r.requests.send(o)
	select {
	case <-o.done:
	case <-r.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	return r.Wait(ctx)
}

// Newest returns the thread of the last block; ok is false if there are no blocks.
func (r *LazyTraceReader) Newest() (thread int32, ok bool) {
	last := int64(-1)
	for _, s := range r.known.Load().Streams {
		if n := s.Blocks(); n > 0 && s.Block(n-1).Physical > last {
			last, thread = s.Block(n-1).Physical, s.Thread
		}
	}
	return thread, last >= 0
}
