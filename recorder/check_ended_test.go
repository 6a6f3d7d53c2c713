package recorder

import (
	"errors"
	"path/filepath"
	"testing"

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
