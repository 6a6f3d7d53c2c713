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
	errNoFile    = errors.New("there is no such file yet")
	errEmptyFile = errors.New("the file is empty yet")
	errGone      = errors.New("the file was removed or renamed")
	errReplaced  = errors.New("another recording took its place")
	errRewritten = errors.New("the file was written anew")
)

// follower reads a trace while it is written. It belongs to the background's
// goroutine, but for the first steps of Open.
type follower struct {
	r    *TraceReader
	f    *os.File    // what is followed; nil: nothing yet
	info os.FileInfo // of it
	why  error       // why nothing can come now
	lost error       // why what was shown is not there any more; nil: it is

	s     *index.Scan
	found *format.Context // what s found of descriptors while it is behind what is shown; nil: it is not
	shown int64           // physical: up to where the data is shown
	last  []byte          // of it, to see that it has not changed
	again bool            // s cannot go on, and begins again
	scans int             // looks in which s went on
	stuck int             // looks in which it could not, before bytes that make no sense
	pace  pace

	passed passed
	left   left

	fault   error // why the file could not be read; nil: it could
	faultAt time.Time
}

// follow is the work of a reader whose trace had no end and is followed again.
func (r *TraceReader) follow(ctx context.Context) error {
	select {
	case <-r.leave: // meant for the time before
	default:
	}
	w := &follower{r: r}
	if err := w.take(); err != nil {
		return err
	}
	return w.run(ctx)
}

// run follows the trace until it has its end, or the following is to end.
func (w *follower) run(ctx context.Context) (err error) {
	defer w.close()
	if w.finished(ctx) {
		return nil
	}
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	for leave := false; ; {
		asks := w.r.takeAsks()
		ended, err := w.look(ctx)
		switch {
		case err != nil:
		case ended:
			err = w.end(ctx)
		case leave:
			err, ended = w.stop(), true
		}
		if ended || err != nil {
			w.r.askAgain(asks)
			return err
		}
		answer(asks)
		timer.Reset(w.pause())
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.r.leave:
			leave = true
		case <-w.r.asked:
		case <-timer.C:
		}
	}
}

// pause is how long to wait before the next look.
func (w *follower) pause() time.Duration {
	if time.Since(w.pace.grown) > idleAfter && time.Since(w.r.Status().Since) > idleAfter {
		return lookIdle
	}
	return lookEvery
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
		if st, serr := w.f.Stat(); serr != nil || st.Size() >= int64(len(w.r.data.Bytes())) {
			w.fault, w.faultAt = err, time.Now()
		}
	}
	if w.why == nil {
		w.why = w.fault
	}
	if err == nil && w.why == nil && !w.s.AtEOF() {
		w.bringIn()
	}
	w.tell()
	return err == nil && w.s.AtEOF() && w.found == nil, nil
}

// tell brings the status up to date where it has changed: who draws it is
// woken by that.
func (w *follower) tell() {
	now, st := time.Now(), w.r.Status()
	rate := w.pace.rate(now)
	g := st.Growth
	if st.Phase == PhaseFollowing && g.On && text(g.Wait) == text(w.why) && g.Grown.Equal(w.pace.grown) {
		return
	}
	w.r.note(func(st *Status) {
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

// close closes the file.
func (w *follower) close() {
	if w.f != nil {
		w.f.Close()
	}
}
