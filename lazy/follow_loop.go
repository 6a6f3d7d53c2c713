package lazy

import (
	"context"
	"errors"
	"os"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// pollEvery is how long a following reader waits before it checks for more data,
// and pollIdle how long after a while without growth. Asking for the size works on
// every file system, including network file systems, where remote changes cause no
// notification; it costs two system calls. In tests a reader polls only on request.
var (
	pollEvery = 100 * time.Millisecond
	pollIdle  = 250 * time.Millisecond
)

const idleAfter = 5 * time.Second

// Faults of a file that is followed.
var (
	errNoFile    = errors.New("no such file yet")
	errEmptyFile = errors.New("the file is still empty")
	errGone      = errors.New("the file was removed or renamed")
	errReplaced  = errors.New("another recording replaced it")
	errRewritten = errors.New("the file was rewritten")
)

// follower reads a trace while it is written. It belongs to the worker's goroutine,
// except during the first part of Open.
type follower struct {
	*trace
	finish func() (told string, err error) // Options.Finish

	why  error // why no data can arrive now
	lost error // why the data shown no longer exists; nil if it does
	grown
}

// grown is what a follower knows about the file that it reads. It is replaced for
// another file, or when the same file is read again from its beginning.
type grown struct {
	f     *os.File        // nil if there is no file yet
	stat  os.FileInfo     // of f
	s     *index.Scan     // nil if f is nil
	found *format.Context // descriptors found by s, while it has less than is shown; nil once it has more
	again bool            // s cannot continue, and must begin again
	scans int             // polls in which s proceeded
	stuck int             // polls in which s was stuck at invalid bytes

	shown int64  // physical: the end of the data shown
	last  []byte // the last bytes shown, to detect changes

	pace   pace
	passed passed
	left   left
	fault  readFault
}

// readFault is why and when a file could not be read.
type readFault struct {
	err error // nil if it could
	at  time.Time
}

func newFollower(t *trace, finish func() (string, error)) *follower {
	return &follower{trace: t, finish: finish}
}

// followAgain follows a trace without an end.
func (w *worker) followAgain(ctx context.Context, _ request) state {
	f := newFollower(w.trace, w.opts.Finish)
	if err := f.take(); err != nil {
		return w.rest(err)
	}
	return w.follow(ctx, f)
}

// follow begins to follow the trace. A complete trace is not scanned.
func (w *worker) follow(ctx context.Context, f *follower) state {
	w.follower = f
	if w.finished(ctx, f) {
		return w.rest(nil)
	}
	return w.poll(ctx, request{kind: requestTick})
}

// poll checks whether there is more data.
func (w *worker) poll(ctx context.Context, o request) state {
	asks := append(w.requests.takeCatchUps(), o)
	defer func() { answer(asks) }()
	ended, err := w.pollOnce(ctx)
	if ended || err != nil {
		return w.rest(err)
	}
	w.timer.Reset(w.follower.pause())
	return following
}

// leave stops following, after a last poll.
func (w *worker) leave(ctx context.Context, _ request) state {
	asks := w.requests.takeCatchUps()
	defer func() { answer(asks) }()
	ended, err := w.pollOnce(ctx)
	if !ended && err == nil {
		err = w.stop(w.follower)
	}
	return w.rest(err)
}

// pollOnce reads new data and, if the trace is complete now, everything else.
func (w *worker) pollOnce(ctx context.Context) (ended bool, err error) {
	if ended, err = w.follower.poll(ctx); ended && err == nil {
		err = w.end(ctx, w.follower)
	}
	return ended, err
}

// poll reads new data, and reports whether it ends the trace. A file that cannot
// be read now is not an error: it may be readable later.
func (w *follower) poll(ctx context.Context) (ended bool, err error) {
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
		// If the file was truncated meanwhile, the next poll finds out how far.
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

// tell brings the status up to date if it has changed; this wakes goroutines that
// display it.
func (w *follower) tell() {
	now, st := time.Now(), w.now()
	rate := w.pace.rate(now)
	g := st.Growth
	var behind int64
	if w.s != nil {
		behind = max(0, int64(len(w.data.Bytes()))-max(w.s.Shown(), format.HeaderSize))
	}
	if st.Phase == PhaseFollowing && g.On && text(g.Wait) == text(w.why) && g.Behind == behind && g.Grown.Equal(w.pace.grown) {
		return
	}
	w.note(func(st *Status) {
		st.Phase = PhaseFollowing
		g := &st.Growth
		g.On, g.Wait, g.Rate, g.Grown, g.Behind = true, w.why, rate, w.pace.grown, behind
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// pause returns how long to wait before the next poll.
func (w *follower) pause() time.Duration {
	if time.Since(w.pace.grown) > idleAfter && time.Since(w.now().Since) > idleAfter {
		return pollIdle
	}
	return pollEvery
}

// close closes the file, if any. w may be nil.
func (w *follower) close() {
	if w != nil && w.f != nil {
		w.f.Close()
	}
}
