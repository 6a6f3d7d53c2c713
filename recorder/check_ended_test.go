package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// What CheckEnded returns throughout a trace's life, and that it changes nothing.
func TestCheckEnded(t *testing.T) { versiontest.EachVersion(t, testCheckEnded) }

func testCheckEnded(t *testing.T) {
	locks(t)
	for _, c := range []Config{{}, {NoLive: true}, {Strategy: CollectAndDump}} {
		c.Path, c.FlushInterval = filepath.Join(t.TempDir(), "trace.bin"), -1
		r := start(t, c)
		if err := CheckEnded(c.Path); !errors.Is(err, ErrRecording) {
			t.Errorf("%+v: while it is recorded: %v", c, err)
		}
		oneCall(t, r)
		if err := CheckEnded(c.Path); err != nil {
			t.Errorf("%+v: at its end: %v", c, err)
		}
	}
	r, c := someLive(t, Config{})
	path := tracetest.Snapshot(t, c.Path)
	for range 2 {
		if err := CheckEnded(path); !errors.Is(err, ErrUnfinished) {
			t.Errorf("when its program is gone: %v", err)
		}
	}
	if _, err := Finish(path); err != nil {
		t.Fatal(err)
	}
	if err := CheckEnded(path); err != nil {
		t.Errorf("when it is finished: %v", err)
	}
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
}

// Start with Overwrite waits for a process that looks at the trace to be removed, or finishes
// it: that takes a moment.
func TestOverwriteLookedAt(t *testing.T) {
	locks(t)
	c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), Overwrite: true, FlushInterval: -1}
	if err := os.WriteFile(c.Path, []byte("an old trace"), 0o600); err != nil {
		t.Fatal(err)
	}
	other, err := claim.File(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	old, pauses := claim.Pause, 0
	defer func() { claim.Pause = old }()
	claim.Pause = func() {
		if pauses++; pauses == 3 {
			other.Close()
		}
	}
	r, err := Start(c)
	if err != nil || pauses != 3 {
		t.Fatalf("after %d pauses: %v", pauses, err)
	}
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
}
