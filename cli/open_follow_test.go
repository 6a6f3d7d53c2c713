//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/recorder"
)

// TestFollowScreen explores a trace from before it begins until it has ended.
func TestFollowScreen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	s, _ := onScreen(t, nil, "open", "--follow", path)
	s.until("no such file yet")
	rec, err := recorder.Start(recorder.Config{Path: path, FlushInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Stop()
	s.until("nothing recorded yet")
	class, th := rec.Class("Robot"), rec.Thread("night shift")
	enter := func(name string) {
		th.Enter(rec.Method(class, name, recorder.Type{}), 0, recorder.Null())
		if _, err := rec.Flush(); err != nil {
			t.Error(err)
		}
	}
	th.Enter(rec.Method(class, "isBuilt", recorder.Type{}), 0, recorder.Null())
	th.Exit(recorder.Void())
	if _, err := rec.Flush(); err != nil {
		t.Fatal(err)
	}
	s.until("isBuilt")
	s.until("Thread 1 (night shift)")
	for _, name := range []string{"wakesUp", "drinksOil", "oversleeps"} {
		enter(name)
		s.until(name)
	}
	s.press("F")
	s.until("the cursor stays here")
	enter("breaks")
	s.press("F")
	s.until("breaks")
	for range 4 {
		th.Exit(recorder.Void())
	}
	if err := rec.Stop(); err != nil {
		t.Fatal(err)
	}
	s.until("the recording has ended")
	s.press("q")
	if got := s.end(); got != 0 {
		t.Errorf("exit code %d: %q", got, s.drawn.String())
	}
	s.left()
}

// TestFollowPipe explores a trace while it arrives through a pipe.
func TestFollowPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	rec, err := recorder.Start(recorder.Config{Path: path, FlushInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Stop()
	th, call := rec.Thread("main"), rec.Method(rec.Class("Robot"), "wakesUp", recorder.Type{})
	th.Enter(call, 0, recorder.Null())
	if _, err := rec.Flush(); err != nil {
		t.Fatal(err)
	}
	written, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s, tmp := onScreen(t, in, "open", "--follow", "-")
	s.until("the file is still empty")
	if _, err := io.Copy(out, written); err != nil {
		t.Fatal(err)
	}
	s.until("wakesUp")
	th.Exit(recorder.Void())
	th.End()
	if err := rec.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, written); err != nil {
		t.Fatal(err)
	}
	s.until("the recording has ended")
	out.Close()
	s.press("q")
	if got := s.end(); got != 0 {
		t.Errorf("exit code %d: %q", got, s.drawn.String())
	}
	s.left()
	if files := formattest.Names(t, tmp); len(files) > 0 {
		t.Errorf("temporary files stay: %q", files)
	}
}

// TestFollowKilled explores a trace whose program is killed meanwhile. Events that were
// recorded and not written are shown without restarting.
func TestFollowKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	program := lingering(t, path)
	s, tmp := onScreen(t, nil, "open", "--follow", path)
	s.until("weigh")
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait()
	s.until("closing it; all")
	s.press("q")
	s.ends(0, tmp)
	if _, err := os.Stat(path + ".live"); err == nil {
		t.Error("what its program left is still there")
	}
	hasAll(t, path)
}

// TestOpenRecording explores a trace while it is being recorded, without following it, and
// later the data left by the program, without writing.
func TestOpenRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	program := lingering(t, path)
	s, tmp := onScreen(t, nil, "open", path)
	s.until("still being recorded")
	s.press("q")
	s.ends(0, tmp)
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait()
	s, tmp = onScreen(t, nil, "open", "--no-write", path)
	s.until("closing it; all")
	s.press("q")
	s.ends(0, tmp)
	if _, err := os.Stat(path + ".live"); err != nil {
		t.Error(err)
	}
}

// hasAll checks that a trace has everything that the program recorded.
func hasAll(t *testing.T, path string) {
	t.Helper()
	cmd, stderr, _ := command(t, "print", path)
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "weigh(999): 998001\n") {
		t.Errorf("%v: %s\n%d bytes of text", err, stderr, len(out))
	}
}
