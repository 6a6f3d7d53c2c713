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

// Growth tells of a trace that is followed.
type Growth struct {
	On        bool      // the reader looks for more
	Rate      float64   // bytes per second, lately
	Grown     time.Time // when the data was last seen to grow; zero: not since it is followed
	Wait      error     // why nothing can come now; nil: it can
	Recording int       // grows when the trace is read from its beginning again, mostly since another took its place: make new Trees
	Again     error     // why it was; nil: it was asked for
}

// ErrPacked: a packed trace was to be followed.
var ErrPacked = errors.New("a packed trace does not grow")

// openFollowed opens a trace that is being written, or is going to be.
func openFollowed(path string, o Options) (*TraceReader, error) {
	r := newReader(path, o)
	r.indexPath, r.timesPath = path+format.IndexSuffix, path+format.TimesSuffix
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

// Follow continues to read a trace that had no end, as if it had been opened with
// Options.Follow: what was loaded is stale, see Status.Epoch. It reports whether
// it will: a trace with its end, or a packed one, does not grow.
func (r *TraceReader) Follow() bool {
	v, p := r.known.Load(), r.Status().Phase
	if p != PhaseReady && p != PhaseFailed || v.EOF || r.indexPath == "" {
		return false
	}
	r.note(func(st *Status) { st.Phase, st.Growth.On = PhaseOpening, true })
	r.orders.send(order{kind: orderFollow})
	return true
}

// Unfollow ends the following: what is there now is all, and where it has no end
// it is shown as a recording that was cut short.
func (r *TraceReader) Unfollow() { r.orders.send(order{kind: orderUnfollow}) }

// CatchUp waits until all is known that is in the file now, of a trace that is
// followed; of another one it waits until all is known. It returns ctx's error
// when that comes first.
func (r *TraceReader) CatchUp(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := order{kind: orderCatchUp, done: make(chan struct{})}
	r.orders.send(o)
	select {
	case <-o.done:
	case <-r.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	return r.Wait(ctx)
}

// Newest returns the thread that the last block is of; ok is false when there is
// none.
func (r *TraceReader) Newest() (thread int32, ok bool) {
	last := int64(-1)
	for _, s := range r.known.Load().Streams {
		if n := len(s.Blocks); n > 0 && s.Blocks[n-1].Physical > last {
			last, thread = s.Blocks[n-1].Physical, s.Thread
		}
	}
	return thread, last >= 0
}
