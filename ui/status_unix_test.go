//go:build unix

package ui

import (
	"path/filepath"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// TestNoTemporaryDirectory: if there is no directory to unpack a packed trace to, a narrow window
// tells why, and what to change.
func TestNoTemporaryDirectory(t *testing.T) {
	path := formattest.Unpack(t, "packed.stream.bin.packedtrace")
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	// Wait returns when nothing more will be known.
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := r.Status(); st.Phase != lazy.PhaseFailed {
		t.Fatalf("phase %v", st.Phase)
	}
	drive(t, r, 80, 24, Options{}).has("TMPDIR", "no such file or directory", "failed")
}
