package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"tracex/lazy"
	"tracex/recorder"
)

// remains is what the program that recorded a trace left beside it, where it ended
// without closing it, and what has become of that.
type remains struct {
	path string
	name string // what messages call it
	// told is a sentence about what was brought in; "" where nothing was.
	told string
	// hint is how to get at the rest, where it was not brought in.
	hint   string
	failed bool // that was tried, and something is wrong with it
}

// finishTrace is recorder.Finish; tests have others.
var finishTrace = recorder.Finish

// How often it is looked whether another command is done with finishing a recording.
const (
	finishPause = 10 * time.Millisecond
	finishTries = 1000
)

// finish finishes a recording, and says what it did. Where that cannot be done the
// trace is read as it is; the reason is said here, except that the files are not to
// be changed, or cannot be.
func (a *app) finish(ctx context.Context, path string, write bool) *remains {
	a.finishRecording(ctx, path, write)
	m := &remains{path: path, name: path}
	switch {
	case !m.there():
	case !write:
		m.hint = "open it without --no-write"
	default:
		switch err := m.finish(ctx); {
		case unwritable(err):
			m.hint = hintUnwritable
		case err != nil:
			m.hint, m.failed = "it cannot be brought in: "+message(err), true
			a.remark("the last calls are missing", err)
		case m.told != "":
			a.remark(path, errors.New(m.told))
		}
	}
	return m
}

// hintUnwritable is for files that cannot be changed.
const hintUnwritable = "only who may write to the trace and its folder can bring it in"

// there reports whether there may be anything.
func (m *remains) there() bool {
	st, err := os.Lstat(m.path + recorder.LiveSuffix)
	return err == nil && st.Mode().IsRegular()
}

// finish brings in what there is, unless the recording goes on.
func (m *remains) finish(ctx context.Context) error {
	done, err := finishTrace(m.path)
	for n := 0; errors.Is(err, recorder.ErrFinishing) && n < finishTries && ctx.Err() == nil; n++ {
		time.Sleep(finishPause)
		done, err = finishTrace(m.path)
	}
	if done.Done {
		m.told = m.tell(done)
		if err != nil { // all is done but for this
			m.told += "; that file could not be removed"
		}
		return nil
	}
	if errors.Is(err, recorder.ErrRecording) || errors.Is(err, recorder.ErrFinishing) {
		return nil
	}
	return err
}

// tell says what was brought in.
func (m *remains) tell(done recorder.Finished) string {
	what := "all recovered:"
	if done.Short > 0 {
		what = fmt.Sprintf("the last calls of %s are missing, recovered:", counted(done.Short, "thread"))
	}
	file := filepath.Base(m.name) + recorder.LiveSuffix
	return fmt.Sprintf("%v; %s %s from %s", lazy.ErrLeft, what, counted(done.Bytes, "byte"), file)
}

// more is for a trace that is followed: it brings in what there is once the program
// is gone, and returns what it did.
func (m *remains) more() (told string, err error) {
	if !m.there() {
		return "", nil
	}
	u := m.unended()
	if !errors.Is(u.Why, lazy.ErrLeft) {
		return "", nil
	}
	if m.hint == "" {
		m.told = ""
		if err := m.finish(context.Background()); err == nil || !unwritable(err) {
			return m.told, err
		}
		m.hint = hintUnwritable
		u = m.unended()
	}
	return "", fmt.Errorf("%w; %s", u.Why, u.Hint)
}

// unended says why the trace has no end, as far as its recorder tells.
func (m *remains) unended() lazy.Unended {
	err := recorder.Unended(m.path)
	file := filepath.Base(m.name) + recorder.LiveSuffix
	switch {
	case errors.Is(err, recorder.ErrRecording):
		return lazy.Unended{
			Why:  fmt.Errorf("%w: what has been written so far was read", lazy.ErrRecording),
			Hint: "tracex open --follow " + m.name + " shows what comes",
		}
	case errors.Is(err, recorder.ErrLeft), errors.Is(err, recorder.ErrFinishing):
		hint := m.hint
		if hint == "" {
			hint = "the next command that reads the trace brings it in"
		}
		return lazy.Unended{Why: fmt.Errorf("the rest is in %s: %w", file, lazy.ErrLeft), Hint: hint}
	case errors.Is(err, fs.ErrPermission):
		return lazy.Unended{
			Why:  fmt.Errorf("the rest may be in %s, which only its owner may read: it is still being recorded, or %w", file, lazy.ErrLeft),
			Hint: "its owner can bring it in: tracex info " + m.name,
		}
	}
	return lazy.Unended{}
}

// explain says of an error whether it is that the recording goes on, or left
// something.
func (m *remains) explain(err error) error { return lazy.Explain(err, m.path, -1, m.unended) }

// unwritable reports whether an error is that files cannot be changed.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}
