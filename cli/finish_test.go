package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tracex/lazy"
	"tracex/recorder"
)

// lingerVariable is like crashVariable, but the program waits in the middle to be killed, after
// writing "ready".
const lingerVariable = "TRACEX_TEST_LINGER"

// crashVariable makes the test binary a program that records into the file it
// names, and ends in the middle.
const crashVariable = "TRACEX_TEST_CRASH"

func crash(path string) {
	recordWithoutEnd(path)
	os.Exit(3)
}

func linger(path string) {
	r := recordWithoutEnd(path)
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(r)
	os.Exit(3)
}

// lingering starts such a program, and returns when it waits. It ends with the test.
func lingering(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), lingerVariable+"="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // it may have been killed
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the program says %q: %v", line, err)
	}
	return cmd
}

// recordWithoutEnd records, and does not close the trace. Its first calls have been
// written to the file.
func recordWithoutEnd(path string) *recorder.Recorder {
	r, err := recorder.Start(recorder.Config{Path: path, FlushInterval: -1})
	if err != nil {
		panic(err)
	}
	t := r.Thread("main")
	class := r.Class("shop.Order")
	outer, inner := r.Method(class, "ship", recorder.Type{}), r.Method(class, "weigh", recorder.Type{})
	t.Enter(outer, 0, recorder.Null())
	for i := range 1000 {
		t.Enter(inner, 0, recorder.Null(), recorder.Int(i))
		t.Exit(recorder.Int(i * i))
		if i == 10 {
			if _, err := r.Flush(); err != nil {
				panic(err)
			}
		}
	}
	return r
}

// recordsOn records into a file until the end of the script.
func recordsOn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: recording FILE")
	}
	r, err := recorder.Start(recorder.Config{Path: ts.MkAbs(args[0]), FlushInterval: -1})
	ts.Check(err)
	ts.Defer(func() { ts.Check(r.Stop()) })
	t := r.Thread("main")
	t.Enter(r.Method(r.Class("shop.Order"), "ship", recorder.Type{}), 0, recorder.Null())
	_, err = r.Flush()
	ts.Check(err)
}

// crashed leaves a trace whose program did not end it.
func crashed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: crashed FILE")
	}
	self, err := os.Executable()
	ts.Check(err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), crashVariable+"="+ts.MkAbs(args[0]))
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 3 {
		ts.Fatalf("the program ended with %v: %s", cmd.ProcessState, out)
	}
}

// silent returns an app whose messages go to a file; said returns them.
func silent(t *testing.T) (a *app, said func() string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &app{stderr: f}, func() string {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
}

// TestMore: nothing is recovered into a trace while its program runs; once that is gone,
// everything is.
func TestMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	program := lingering(t, path)
	a, _ := silent(t)
	m := finish(t.Context(), a, path, true)
	before := sizeOfFile(t, path)
	if told, err := m.more(); told != "" || err != nil {
		t.Errorf("of a program that runs: %q, %v", told, err)
	}
	if u := m.unended(); !errors.Is(u.Why, lazy.ErrRecording) {
		t.Errorf("of a program that runs: %v", u.Why)
	}
	if now := sizeOfFile(t, path); now != before || !m.there() {
		t.Errorf("the trace of a program that runs went from %d to %d bytes", before, now)
	}
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait()
	kept := &remains{path: path, name: path, hint: "open it without --no-write"}
	if told, err := kept.more(); told != "" || err == nil || !strings.Contains(err.Error(), "the rest is in trace.bin.live: ") || !m.there() {
		t.Errorf("without writing: %q, %v", told, err)
	}
	if told, err := m.more(); !strings.Contains(told, "; all calls were recovered from ") || err != nil || m.there() {
		t.Errorf("of a program that is gone: %q, %v", told, err)
	}
	if told, err := m.more(); told != "" || err != nil {
		t.Errorf("of what is finished: %q, %v", told, err)
	}
}

func sizeOfFile(t *testing.T, path string) int64 {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st.Size()
}

// TestUnwritable: if the files cannot be changed, a copy is shown with the data that the
// program left; if the trace is too large to copy, a message tells where the rest is.
func TestUnwritable(t *testing.T) {
	defer func() { finishTrace = recorder.Finish }()
	for _, cause := range []error{syscall.EACCES, syscall.EROFS} {
		path := filepath.Join(t.TempDir(), "trace.bin")
		t.Setenv("TMPDIR", t.TempDir())
		program := lingering(t, path)
		_ = program.Process.Kill()
		_ = program.Wait()
		finishTrace = func(p string) (recorder.Finished, error) {
			if p == path {
				return recorder.Finished{}, fmt.Errorf("finishing: %w", &fs.PathError{Op: "open", Path: p, Err: cause})
			}
			return recorder.Finish(p)
		}
		a, said := silent(t)
		in, err := a.openWhole(t.Context(), path, true)
		if err != nil {
			t.Fatal(err)
		}
		if in.path == path || in.name != path || !strings.Contains(in.rest.recovered, "; all calls were recovered from ") {
			t.Errorf("%v: %+v, %+v", cause, in, in.rest)
		}
		if !strings.Contains(said(), "bytes), into a copy; the files were not changed") {
			t.Errorf("%v: %q", cause, said())
		}
		in.close()
		if err := os.Truncate(path+".idx", maxCopy+1); err != nil {
			t.Fatal(err)
		}
		if in, err = a.openWhole(t.Context(), path, true); err != nil {
			t.Fatal(err)
		}
		u := in.unended()
		if in.path != path || !errors.Is(u.Why, lazy.ErrUnfinished) || !strings.Contains(u.Why.Error(), "the rest is in trace.bin.live") || u.Hint != hintUnwritable {
			t.Errorf("%v: %+v, %+v", cause, in, u)
		}
		if _, err := os.Stat(path + ".live"); err != nil {
			t.Error(err)
		}
	}
}
