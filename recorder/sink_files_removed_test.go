//go:build unix

package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A trace that is removed or replaced while it is recorded is lost: OnError is told once, Stop
// reports it, and later trace points are counted. If the trace is moved, the recording
// continues in the moved file.
func TestRemoved(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(path string) error
		lost bool
	}{
		{"removed", os.Remove, true},
		{"replaced", func(path string) error {
			err := os.WriteFile(path+".other", []byte("precious"), 0o600)
			return errors.Join(err, os.Rename(path+".other", path))
		}, true},
		{"moved", func(path string) error { return os.Rename(path, path+".moved") }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "trace.bin")
			var told []error
			r := start(t, Config{Path: path, FlushInterval: -1, OnError: func(err error) { told = append(told, err) }})
			th, m := r.Thread("main"), r.Method(r.Class("C"), "m", Type{})
			call := func() {
				th.Enter(m, 0, Null())
				th.Exit(Void())
			}
			call()
			if _, err := r.Flush(); err != nil {
				t.Fatal(err)
			}
			if err := c.do(path); err != nil {
				t.Fatal(err)
			}
			call()
			_, flushed := r.Flush()
			call()
			stopped := r.Stop()
			saved, _ := r.Flush()
			if !c.lost {
				if flushed != nil || stopped != nil || len(told) > 0 || saved.Dropped != 0 {
					t.Errorf("Flush: %v, Stop: %v, told %v, %+v", flushed, stopped, told, saved)
				}
				if present, _ := noted(t, path+".moved"); present != 3 {
					t.Errorf("%d calls are there", present)
				}
				return
			}
			if !errors.Is(flushed, ErrRemoved) || !errors.Is(stopped, ErrRemoved) || len(told) != 1 || !strings.Contains(told[0].Error(), path) {
				t.Errorf("Flush: %v, Stop: %v, told %v", flushed, stopped, told)
			}
			if saved.Dropped != 2 {
				t.Errorf("%d calls are counted as lost", saved.Dropped)
			}
			if b, _ := os.ReadFile(path); len(b) > 0 && string(b) != "precious" {
				t.Errorf("what took its place has %q", b)
			}
		})
	}
}

// A flush with nothing to write also notices that the trace was removed.
func TestRemovedIdle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	r := start(t, Config{Path: path, FlushInterval: -1, OnError: func(error) {}})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Flush(); !errors.Is(err, ErrRemoved) {
		t.Errorf("Flush: %v", err)
	}
	if err := r.Stop(); !errors.Is(err, ErrRemoved) {
		t.Errorf("Stop: %v", err)
	}
}
