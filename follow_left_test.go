//go:build unix

package main

import (
	"os"
	"path/filepath"
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
	s.until("its program ended without closing it")
	s.until("✓") // the index is there, and so all that was left
	s.press("G")
	s.until("998001") // what the last call returned
	if _, err := os.Stat(path + ".live"); err == nil {
		t.Error("what its program left is still there")
	}
	s.press("q")
	s.ends(0, tmp)
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
	s.until("its program ended without closing it; all recovered")
	s.until("✓")
	s.press("lG")
	s.until("998001")
	s.press("q")
	s.ends(0, tmp)
	if _, err := os.Stat(path + ".live"); err != nil {
		t.Error(err)
	}
}
