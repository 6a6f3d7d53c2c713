package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/recorder"
	"tracex/recorder/recording"
)

// remains is the data that a killed program left beside its trace, and whether it was recovered.
type remains struct {
	path string
	name string // name of the trace in messages
	// recovered is a sentence about the recovered data; "" if nothing was.
	recovered string
	// hint is how to recover the rest, if it was not.
	hint   string
	failed bool // recovering was tried, and the remaining data is damaged
	write  bool // the files may be changed
}

// finishTrace is recorder.Finish; tests replace it.
var finishTrace = recorder.Finish

// While another command is finishing a recording, this one retries.
const (
	finishPause = 10 * time.Millisecond
	finishTries = 1000
)

// finish recovers into a trace the data that its program left beside it, and remarks what it
// did, or what is wrong. If the files must not or cannot be changed, it remarks nothing: the
// caller may finish a copy, and the trace can be read as it is.
func finish(ctx context.Context, a *app, path string, write bool) *remains {
	a.finishRecording(ctx, path, write)
	m := &remains{path: path, name: path, write: write}
	switch {
	case !m.there():
	case !write:
		m.hint = "open it without --no-write"
	default:
		switch err := m.finish(ctx); {
		case isUnwritable(err):
			m.hint = hintUnwritable
		case err != nil:
			m.hint, m.failed = "recovering it failed: "+message(err), true
			a.remark("the last calls are missing", err)
		case m.recovered != "":
			a.remark(path, errors.New(m.recovered))
		}
	}
	return m
}

// finishRecording completes the trace with the data that tracex record left when it was killed, or
// remarks why it cannot. Unless write is set, it only remarks that there is some.
func (a *app) finishRecording(ctx context.Context, path string, write bool) {
	at := path + recording.Suffix
	if st, err := os.Lstat(at); err != nil || !st.IsDir() {
		return
	}
	if !write {
		a.remark(path, errors.New(at+" holds a recording; once that has ended, tracex info "+path+" completes the trace"))
		return
	}
	dir, err := recording.TakeLeft(ctx, path)
	var outlived *recording.OutlivedError
	switch {
	case errors.Is(err, fs.ErrNotExist): // another command completed the trace
	case errors.As(err, &outlived):
		a.remark(path, errors.New(err.Error()+"; once it has ended, tracex info "+path+" completes the trace"))
	case errors.Is(err, recording.ErrRecording):
		if begun, _ := recording.State(path); !begun { // otherwise the trace itself says so
			a.remark(path, errors.New(err.Error()+"; no calls have arrived yet"))
		}
	case err != nil:
		a.remark("cannot complete the trace from "+at, err)
	default:
		a.finishLeft(ctx, dir, path, a.remark)
	}
}

// finishLeft completes the trace of a recording whose process was killed, and remarks what it has.
func (a *app) finishLeft(ctx context.Context, dir *recording.Directory, path string, remark func(what string, why error)) {
	t := &teller{app: a, say: func(line string) { remark(path, errors.New(line)) }}
	t.remark = func(what string, why error) {
		if kept := (*recording.KeptError)(nil); errors.As(why, &kept) {
			why = fmt.Errorf("%w (try tracex convert -o OTHER %s)", why, kept.At)
		}
		remark(what, why)
	}
	recording.Finish(ctx, dir, path, t)
}

// hintUnwritable is for files that cannot be changed.
const hintUnwritable = "recovering it needs write permission for the trace and its directory"

// there reports whether something may be left.
func (m *remains) there() bool {
	st, err := os.Lstat(m.path + recorder.LiveSuffix)
	return err == nil && st.Mode().IsRegular()
}

// finish recovers the remaining data, unless the program is still recording.
func (m *remains) finish(ctx context.Context) error {
	done, err := finishTrace(m.path)
	for n := 0; errors.Is(err, recorder.ErrFinishing) && n < finishTries && ctx.Err() == nil; n++ {
		time.Sleep(finishPause)
		done, err = finishTrace(m.path)
	}
	if done.Done {
		m.recovered = m.describe(done)
		if err != nil {
			m.recovered += ", which could not be removed"
		}
		return nil
	}
	if errors.Is(err, recorder.ErrRecording) || errors.Is(err, recorder.ErrFinishing) {
		return nil
	}
	return err
}

// describe returns a sentence about what was recovered.
func (m *remains) describe(done recorder.Finished) string {
	file := filepath.Base(m.name) + recorder.LiveSuffix
	from := fmt.Sprintf("%s (%s)", file, counted(done.Bytes, "byte"))
	if done.Short > 0 {
		return fmt.Sprintf("%v; the last calls of %s are missing, the others were recovered from %s", lazy.ErrUnfinished, counted(done.Short, "thread"), from)
	}
	return fmt.Sprintf("%v; all calls were recovered from %s", lazy.ErrUnfinished, from)
}

// more recovers the remaining data of a followed trace once its program is gone, and returns a
// description.
func (m *remains) more() (told string, err error) {
	if m.write {
		if told := m.recorded(); told != "" {
			return told, nil
		}
	}
	if !m.there() {
		return "", nil
	}
	u := m.unended()
	if !errors.Is(u.Why, lazy.ErrUnfinished) {
		return "", nil
	}
	if m.hint == "" {
		m.recovered = ""
		if err := m.finish(context.Background()); err == nil || !isUnwritable(err) {
			return m.recovered, err
		}
		m.hint = hintUnwritable
		u = m.unended()
	}
	return "", fmt.Errorf("%w; %s", u.Why, u.Hint)
}

// recorded is more for a trace that tracex record was making.
func (m *remains) recorded() (told string) {
	if _, err := os.Lstat(m.path + recording.Suffix); err != nil {
		return ""
	}
	dir, err := recording.Take(m.path)
	if err != nil {
		return "" // it is still being recorded, or another command completes it
	}
	var all []string
	new(app).finishLeft(context.Background(), dir, m.path, func(_ string, why error) { all = append(all, message(why)) })
	return strings.Join(all, "; ")
}

// growing is why a trace that is being recorded has no end.
func growing(hint string) lazy.WhyUnended {
	return lazy.WhyUnended{Why: fmt.Errorf("%w: this is what has been written so far", lazy.ErrRecording), Hint: hint}
}

// unended returns why the trace has no end, if its recorder left the reason.
func (m *remains) unended() lazy.WhyUnended {
	if u, known := m.unendedRecording(); known {
		return u
	}
	err := recorder.CheckEnded(m.path)
	file := filepath.Base(m.name) + recorder.LiveSuffix
	switch {
	case errors.Is(err, recorder.ErrRecording):
		return growing("tracex open --follow " + m.name + " shows it as it grows")
	case errors.Is(err, recorder.ErrUnfinished), errors.Is(err, recorder.ErrFinishing):
		hint := m.hint
		if hint == "" {
			hint = "the next command that reads the trace recovers it"
		}
		return lazy.WhyUnended{Why: fmt.Errorf("the rest is in %s: %w", file, lazy.ErrUnfinished), Hint: hint}
	case errors.Is(err, fs.ErrPermission):
		return lazy.WhyUnended{
			Why:  fmt.Errorf("still being recorded, or %w; the rest may be in %s, which only its owner can read", lazy.ErrUnfinished, file),
			Hint: "the owner can recover it with tracex info " + m.name,
		}
	}
	return lazy.WhyUnended{}
}

// unendedRecording is unended for a trace that tracex record makes.
func (m *remains) unendedRecording() (u lazy.WhyUnended, known bool) {
	begun, err := recording.State(m.path)
	var outlived *recording.OutlivedError
	switch {
	case errors.As(err, &outlived) && begun:
		return growing(fmt.Sprintf("once process %d has ended, tracex info %s completes it", outlived.PID, m.name)), true
	case errors.Is(err, recording.ErrRecording) && begun:
		return growing("tracex open --follow " + m.name + " shows it as it grows"), true
	case begun && err != nil:
		return lazy.WhyUnended{
			Why:  fmt.Errorf("the rest is in %s: %w", filepath.Base(m.name)+recording.Suffix, lazy.ErrUnfinished),
			Hint: "tracex info " + m.name + " completes it",
		}, true
	}
	return lazy.WhyUnended{}, false
}

// explain replaces an error about a trace without an end by the reason, if known.
func (m *remains) explain(err error) error { return lazy.Explain(err, m.path, -1, m.unended) }

// maxCopy is the largest total size of a trace's files that are copied in order to recover the
// program's remaining data without changing the files.
const maxCopy = 64 << 20

// finishedSuffixes are those of all files that finishing a recording changes.
var finishedSuffixes = []string{format.LiveSuffix, "", format.IndexSuffix, format.TimesSuffix}

// sizeBeside returns the total size of a trace's files.
func sizeBeside(path string) (size int64) {
	for _, suffix := range finishedSuffixes {
		if st, err := os.Stat(path + suffix); err == nil {
			size += st.Size()
		}
	}
	return size
}

// copyTrace copies the files of a trace. Index and times may be missing.
func copyTrace(to, from string) error {
	for _, suffix := range finishedSuffixes {
		err := copyFile(to+suffix, from+suffix)
		if err != nil && (!errors.Is(err, fs.ErrNotExist) || suffix == "" || suffix == format.LiveSuffix) {
			return err
		}
	}
	return nil
}
