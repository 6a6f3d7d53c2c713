package finish_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/finish"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/recordertest"
)

// unfinished records on two threads, with open calls: some of what it recorded is in the files,
// some is not. The second thread has the latter.
func unfinished(t *testing.T, c recorder.Config) (*recorder.Recorder, recorder.Config) {
	t.Helper()
	c.Path = filepath.Join(t.TempDir(), "trace.bin")
	c.FlushInterval = -1
	r := started(t, c)
	for g := range 2 {
		th := r.Thread(fmt.Sprint("a thread with a name that has some length ", g))
		recordertest.Calls(r, th, 0, 100)
		if _, err := r.Flush(); err != nil {
			t.Fatal(err)
		}
		recordertest.Calls(r, th, 100, 200)
	}
	return r, c
}

// started starts a recorder with a live file, which is stopped after the test.
func started(t *testing.T, c recorder.Config) *recorder.Recorder {
	t.Helper()
	r, err := recorder.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
	})
	if _, err := os.Stat(c.Path + format.LiveSuffix); err != nil {
		t.Skip("there are no live files here: ", err)
	}
	return r
}

// finished is Finish with files.
func finished(path string) (finish.Result, error) {
	return finish.Finish(path, func(f *os.File) files.OutFile { return files.Extended{File: f} })
}

// size returns the size of a file.
func size(t *testing.T, path string) int64 {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st.Size()
}

// The result says what was added. Afterwards the trace is whole, and there is nothing left to
// finish.
func TestResult(t *testing.T) { versiontest.EachVersion(t, testResult) }

func testResult(t *testing.T) {
	for _, c := range []recorder.Config{{}, {NoTimes: true}, {BlockSize: 1 << 10}} {
		_, c := unfinished(t, c)
		path := tracetest.Snapshot(t, c.Path)
		before := size(t, path)
		done, err := finished(path)
		want := finish.Result{Done: true, Bytes: size(t, path) - before, Threads: 1}
		if err != nil || done != want || want.Bytes <= 0 {
			t.Fatalf("%+v, want %+v: %v", done, want, err)
		}
		threads := tracetest.LoadChecked(t, path).Threads
		if len(threads) != 2 {
			t.Fatalf("the trace has %d threads", len(threads))
		}
		for _, thread := range threads {
			if n := thread.Points(); n != 2*200+2*20 {
				t.Errorf("%s has %d points", thread.Name, n)
			}
		}
		if _, err := os.Stat(path + format.LiveSuffix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the live file: %v", err)
		}
		if done, err := finished(path); err != nil || done != (finish.Result{}) {
			t.Errorf("once more: %+v, %v", done, err)
		}
	}
}

// A recording that a process makes or finishes is not touched, and the error says which it is.
func TestHeld(t *testing.T) {
	_, c := unfinished(t, recorder.Config{})
	before := size(t, c.Path)
	if done, err := finished(c.Path); !errors.Is(err, live.ErrInUse) || done != (finish.Result{}) {
		t.Errorf("while it is recorded: %+v, %v", done, err)
	}
	if now := size(t, c.Path); now != before {
		t.Errorf("it had %d bytes and has %d", before, now)
	}
	path := tracetest.Snapshot(t, c.Path)
	f, err := claim.File(path)
	if err != nil {
		t.Skip("no locks here: ", err)
	}
	if done, err := finished(path); !errors.Is(err, live.ErrFinishing) || done != (finish.Result{}) {
		t.Errorf("while another finishes it: %+v, %v", done, err)
	}
	_ = f.Close()
	if done, err := finished(path); err != nil || !done.Done {
		t.Errorf("after that: %+v, %v", done, err)
	}
}

// Without a live file there is nothing to do, with or without a trace.
func TestNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	for range 2 {
		if done, err := finished(path); err != nil || done != (finish.Result{}) {
			t.Errorf("%+v, %v", done, err)
		}
		if err := os.WriteFile(path, []byte("a trace"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n := size(t, path); n != 7 {
		t.Errorf("it has %d bytes", n)
	}
}

// A thread's last points may have been dropped: the trace notes how many are missing.
func TestDropped(t *testing.T) { versiontest.EachVersion(t, testDropped) }

func testDropped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	r := started(t, recorder.Config{Path: path, BlockSize: 1 << 10, MaxMemory: 1 << 20, MaxString: 20_000, FlushInterval: -1})
	th := r.Thread("main")
	recordertest.Calls(r, th, 1, 4)
	many := make([]recorder.Value, 30) // more than a buffer has room for
	for i := range many {
		many[i] = recorder.String(strings.Repeat("漢", 20_000))
	}
	m := r.Method(r.Class("C"), "many", recorder.Type{})
	for range 2 {
		th.Enter(m, 0, recorder.Null(), many...)
		th.Exit(recorder.Void())
	}
	path = tracetest.Snapshot(t, path)
	if done, err := finished(path); err != nil || !done.Done || done.Short != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	points, missing := 0, int64(0)
	forest := tracetest.LoadChecked(t, path)
	tracetest.Points(t, forest, func(_ *eager.Thread, p *format.Point, _ int) {
		if p.Class == format.ClassVariableWrite && forest.Context.Variable(p.Ref).Name == recorder.DroppedVariable {
			missing += p.Value.Bits
			return
		}
		points++
	})
	if points != 6 || missing != 2 {
		t.Errorf("%d points, %d noted as missing, want 6 and 2", points, missing)
	}
}

// A program may end when Stop has written everything, or has only its live file to remove:
// nothing is added then.
func TestEnded(t *testing.T) {
	_, c := unfinished(t, recorder.Config{})
	for state, done := range map[uint64]bool{live.StateEnding: true, live.StateOver: false} {
		path := tracetest.Snapshot(t, c.Path)
		rewrite(t, path+format.LiveSuffix, func(b []byte) { binary.NativeEndian.PutUint64(b[live.AtState:], state) })
		before := size(t, path)
		if got, err := finished(path); err != nil || got.Done != done || got.Bytes != 0 {
			t.Errorf("state %d: %+v, %v", state, got, err)
		}
		if now := size(t, path); now != before {
			t.Errorf("state %d: it had %d bytes and has %d", state, before, now)
		}
		if _, err := os.Stat(path + format.LiveSuffix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("state %d: the live file: %v", state, err)
		}
	}
}

// The blocks of an ended thread may have later times than all other threads: the trace ends
// after them.
func TestBehindThreadsThatEnded(t *testing.T) {
	versiontest.EachVersion(t, testBehindThreadsThatEnded)
}

func testBehindThreadsThatEnded(t *testing.T) {
	c := recorder.Config{Path: filepath.Join(t.TempDir(), "trace.bin"), FlushInterval: -1}
	r := started(t, c)
	early := r.Thread("early")
	recordertest.Calls(r, early, 0, 1)
	m := r.Method(r.Class("C"), "late", recorder.Type{})
	for range 200 {
		late := r.Thread("late")
		late.Enter(m, 0, recorder.Null())
		late.Exit(recorder.Void())
		late.End()
	}
	path := tracetest.Snapshot(t, c.Path)
	if done, err := finished(path); err != nil || !done.Done {
		t.Fatalf("%+v, %v", done, err)
	}
	tracetest.LoadChecked(t, path)
}
