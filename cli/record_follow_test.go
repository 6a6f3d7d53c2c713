//go:build linux

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/recorder/recording"
)

// A trace is on the screen while its program runs, and there is no copy of the calls.
func TestRecordFollowed(t *testing.T) {
	out := filepath.Join(t.TempDir(), "trace.bin")
	s, _ := onScreen(t, nil, "open", "--follow", out)
	s.until("no such file yet")
	cmd, _, proceed := recordingToKill(t, out)
	s.until("inner")
	s.until("Thread 1 (main)")
	packets, err := os.ReadFile(filepath.Join(out+recording.Suffix, "spool.pftrace"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(packets, []byte("Color.RED")) {
		t.Error("calls are also kept as packets")
	}
	proceed()
	if got := code(t, cmd.Wait()); got != 3 {
		t.Errorf("exit code %d", got)
	}
	s.until("the recording has ended")
	s.press("q")
	if got := s.end(); got != 0 {
		t.Errorf("exit code %d: %q", got, s.drawn.String())
	}
	if text, said, exit := runCommand(t, "print", out); exit != 0 || strings.Count(text, "inner(") != 2000 || strings.Contains(text, "unfinished") {
		t.Errorf("exit code %d, %d calls: %s", exit, strings.Count(text, "inner("), said)
	}
	if left := formattest.Names(t, filepath.Dir(out)); len(left) != 3 {
		t.Errorf("there are %q", left)
	}
}

// What a recorder sends is on the screen, too, if the trace is made of what instrumented programs recorded.
func TestRecordJoinedFollowed(t *testing.T) {
	out := filepath.Join(t.TempDir(), "trace.bin")
	cmd, _, _ := command(t, shell(t, out, "raw", "continues")...)
	proceed := startWaiting(t, cmd)
	s, _ := onScreen(t, nil, "open", "--follow", out)
	s.until("Thread 1 (main)")
	s.until(" › main)")
	proceed()
	if got := code(t, cmd.Wait()); got != 5 {
		t.Errorf("exit code %d", got)
	}
	s.until("the recording has ended")
	s.press("q")
	if got := s.end(); got != 0 {
		t.Errorf("exit code %d: %q", got, s.drawn.String())
	}
	checkText(t, out, 3, 2000)
	if left := formattest.Names(t, filepath.Dir(out)); len(left) != 3 {
		t.Errorf("there are %q", left)
	}
}

// If tracex record is killed while its trace is followed, the screen shows the completed trace when the program has ended.
func TestRecordFollowedIsKilled(t *testing.T) {
	out := filepath.Join(t.TempDir(), "trace.bin")
	cmd, _, proceed := recordingToKill(t, out)
	awaitTrace(t, out)
	s, _ := onScreen(t, nil, "open", "--follow", out)
	s.until("inner")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	proceed() // what the program records until it ends is in the trace, too
	s.until("the recording command was killed; completed the trace")
	s.press("q")
	if got := s.end(); got != 0 {
		t.Errorf("exit code %d: %q", got, s.drawn.String())
	}
	if left := formattest.Names(t, filepath.Dir(out)); len(left) != 3 {
		t.Errorf("there are %q", left)
	}
}
