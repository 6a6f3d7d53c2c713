package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tracex/format/filelock"
	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/tracetest"
)

// locks skips the test if this system has no file locks.
func locks(t *testing.T) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := filelock.Lock(f); err != nil && runtime.GOOS != "linux" {
		t.Skip("no locks here: ", err)
	}
}

// Another recording does not remove a trace that is being recorded, and is told which process
// records it. After the recording has ended, it does.
func TestInUse(t *testing.T) {
	locks(t)
	for _, strategy := range []Strategy{Streaming, CollectAndDump} {
		c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), Strategy: strategy}
		first := start(t, c)
		for _, overwrite := range []bool{false, true} {
			c.Overwrite = overwrite
			r, err := Start(c)
			if r != nil || !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), c.Path) {
				t.Fatalf("overwrite %v: %v", overwrite, err)
			}
			if runtime.GOOS == "linux" && !strings.Contains(err.Error(), "that of this process") {
				t.Errorf("overwrite %v: %v", overwrite, err)
			}
		}
		oneCall(t, first)
		if n := len(tracetest.LoadChecked(t, c.Path).Threads); n != 1 {
			t.Errorf("the trace has %d threads", n)
		}
		second := start(t, c)
		if err := second.Stop(); err != nil {
			t.Error(err)
		}
		if n := len(tracetest.LoadChecked(t, c.Path).Threads); n != 0 {
			t.Errorf("the trace that replaces it has %d threads", n)
		}
	}
}

// If recordings begin at once, one of them has all the files.
func TestInUseAtOnce(t *testing.T) {
	locks(t)
	if runtime.GOOS == "windows" {
		t.Skip("what others look at cannot be removed here: that is another error")
	}
	dir := t.TempDir()
	for round := range 30 {
		c := Config{Path: filepath.Join(dir, strconv.Itoa(round%3)), Overwrite: true, FlushInterval: -1}
		var group sync.WaitGroup
		var mu sync.Mutex
		var began []*Recorder
		for range 8 {
			group.Go(func() {
				r, err := Start(c)
				if err != nil {
					if !errors.Is(err, ErrInUse) {
						t.Error(err)
					}
					return
				}
				mu.Lock()
				began = append(began, r)
				mu.Unlock()
			})
		}
		group.Wait()
		if len(began) != 1 {
			t.Fatalf("%d recordings go to the file", len(began))
		}
		oneCall(t, began[0])
		if n := len(tracetest.LoadChecked(t, c.Path).Threads); n != 1 {
			t.Errorf("the trace has %d threads", n)
		}
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
