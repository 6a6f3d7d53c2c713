//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFollowKilled explores a trace whose program is killed meanwhile: what it had
// recorded and not written is shown, without a new start.
func TestFollowKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	program := lingering(t, path)
	s, tmp := onScreen(t, nil, "open", "--follow", path)
	s.until("weigh(10)")
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

// TestOpenRecording explores a trace that is being recorded without following it,
// and what is left of it without writing.
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

// hasAll checks that a trace has all that the program recorded.
func hasAll(t *testing.T, path string) {
	t.Helper()
	cmd, stderr, _ := command(t, "print", path)
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "weigh(999): 998001\n") {
		t.Errorf("%v: %s\n%d bytes of text", err, stderr, len(out))
	}
}
