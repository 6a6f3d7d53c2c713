package finish_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"tracex/format"
	"tracex/recorder"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/tracetest"
)

// A live file of an older recorder has no version: its objects are of version 22.
func TestOlder(t *testing.T) {
	r, c := unfinished(t, recorder.Config{FormatVersion: 22})
	path, whole := tracetest.Snapshot(t, c.Path), tracetest.Snapshot(t, c.Path)
	rewrite(t, path+format.LiveSuffix, func(b []byte) {
		copy(b, "tracex live 001\n")
		binary.NativeEndian.PutUint64(b[live.AtFormat:], 0)
	})
	if err := r.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, whole} {
		if done, err := finished(path); err != nil || !done.Done || done.Short != 0 {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	got, err := os.ReadFile(path)
	want, other := os.ReadFile(whole)
	if err != nil || other != nil || string(got) != string(want) {
		t.Errorf("%d bytes, want %d: %v, %v", len(got), len(want), err, other)
	}
}

// A live file of a newer recorder, with an unknown version, is not changed.
func TestNewer(t *testing.T) {
	_, c := unfinished(t, recorder.Config{})
	path := tracetest.Snapshot(t, c.Path)
	rewrite(t, path+format.LiveSuffix, func(b []byte) { binary.NativeEndian.PutUint64(b[live.AtFormat:], 99) })
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := finished(path); err == nil || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("it was finished: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the trace was changed: %v", err)
	}
	if _, err := os.Stat(path + format.LiveSuffix); err != nil {
		t.Errorf("the live file: %v", err)
	}
}

func rewrite(t *testing.T, path string, change func(b []byte)) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change(b)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
