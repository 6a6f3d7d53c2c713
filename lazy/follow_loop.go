package lazy

import (
	"context"
	"errors"
	"os"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// lookEvery is how long a reader that follows a trace waits before it looks
// again whether there is more, and lookIdle how long when there was nothing for
// a while. Asking for the size works on every file system, network folders among
// them, whose changes from elsewhere no notification tells; it costs two system
// calls. In tests a reader looks only when it is asked.
var (
	lookEvery = 100 * time.Millisecond
	lookIdle  = 250 * time.Millisecond
)

const idleAfter = 5 * time.Second

// What is wrong with a file that is followed.
var (
	errNoFile    = errors.New("no such file yet")
	errEmptyFile = errors.New("the file is still empty")
	errGone      = errors.New("the file was removed or renamed")
	errReplaced  = errors.New("another recording replaced it")
	errRewritten = errors.New("the file was rewritten")
)

// follower reads a trace while it is written. It belongs to the worker's goroutine,
// but for the first steps of Open.
type follower struct {
	*trace
	finish func() (told string, err error) // Options.Finish

	why  error // why nothing can come now
	lost error // why what was shown is no longer there; nil: it is
	grown
}

// grown is what a follower knows of the file that it reads. Another file, or the same
// from its beginning, has another one.
type grown struct {
	f     *os.File        // nil: there is nothing yet
	stat  os.FileInfo     // of f
	s     *index.Scan     // nil, too
	found *format.Context // descriptors that s has found, as long as it has less than is shown; nil: it has more
	again bool            // s cannot go on, and begins again
	scans int             // looks in which s went on
	stuck int             // looks in which it could not, before bytes that make no sense

	shown int64  // physical: up to where the data is shown
	last  []byte // the end of that, to see that it has not changed

	pace   pace
	passed passed
	left   left
	fault  readFault
}

// readFault is why a file could not be read, and when.
type readFault struct {
	err error // nil: it could
	at  time.Time
}

func newFollower(t *trace, finish func() (string, error)) *follower {
	return &follower{trace: t, finish: finish}
}

// followAgain follows a trace that had no end.
func (w *worker) followAgain(ctx context.Context, _ order) state {
	f := newFollower(w.trace, w.opts.Finish)
	if err := f.take(); err != nil {
		return w.rest(err)
	}
	return w.follow(ctx, f)
}

// follow begins to follow the trace. One that has its end is not scanned.
func (w *worker) follow(ctx context.Context, f *follower) state {
	w.follower = f
	if w.finished(ctx, f) {
		return w.rest(nil)
	}
	return w.look(ctx, order{kind: orderTick})
}

// look looks whether there is more.
func (w *worker) look(ctx context.Context, o order) state {
	asks := append(w.orders.takeCatchUps(), o)
	defer func() { answer(asks) }()
	ended, err := w.lookOnce(ctx)
	if ended || err != nil {
		return w.rest(err)
	}
	w.timer.Reset(w.follower.pause())
	return following
}

// leave ends the following, after a last look.
func (w *worker) leave(ctx context.Context, _ order) state {
	asks := w.orders.takeCatchUps()
	defer func() { answer(asks) }()
	ended, err := w.lookOnce(ctx)
	if !ended && err == nil {
		err = w.stop(w.follower)
	}
	return w.rest(err)
}

// lookOnce reads what is new, and all that a trace with its end has.
func (w *worker) lookOnce(ctx context.Context) (ended bool, err error) {
	if ended, err = w.follower.look(ctx); ended && err == nil {
		err = w.end(ctx, w.follower)
	}
	return ended, err
}

// look reads what is new, and reports whether that is the end. That the file
// cannot be read now is no error: it may be later.
func (w *follower) look(ctx context.Context) (ended bool, err error) {
	w.why = nil
	if err := w.find(); err != nil {
		return false, err
	}
	if w.s == nil || w.lost != nil {
		w.tell()
		return false, nil
	}
	err = w.read(ctx)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, errClosed):
		return false, err
	case err != nil:
		w.again = true
		// Of a file that was cut short meanwhile, the next look knows how far.
		if st, serr := w.f.Stat(); serr != nil || st.Size() >= int64(len(w.data.Bytes())) {
			w.fault = readFault{err, time.Now()}
		}
	}
	if w.why == nil {
		w.why = w.fault.err
	}
	if err == nil && w.why == nil && !w.s.AtEOF() {
		w.bringIn()
	}
	w.tell()
	return err == nil && w.s.AtEOF() && w.found == nil, nil
}

// tell brings the status up to date where it has changed: that wakes what draws
// it.
func (w *follower) tell() {
	now, st := time.Now(), w.now()
	rate := w.pace.rate(now)
	g := st.Growth
	if st.Phase == PhaseFollowing && g.On && text(g.Wait) == text(w.why) && g.Grown.Equal(w.pace.grown) {
		return
	}
	w.note(func(st *Status) {
		st.Phase = PhaseFollowing
		g := &st.Growth
		g.On, g.Wait, g.Rate, g.Grown = true, w.why, rate, w.pace.grown
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// pause is how long to wait before the next look.
func (w *follower) pause() time.Duration {
	if time.Since(w.pace.grown) > idleAfter && time.Since(w.now().Since) > idleAfter {
		return lookIdle
	}
	return lookEvery
}

// close closes the file. A nil follower has none.
func (w *follower) close() {
	if w != nil && w.f != nil {
		w.f.Close()
	}
}
