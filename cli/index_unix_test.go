//go:build unix

package cli

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"tracex/format/tracefile"
)

// TestIndexOfPipe: an index never replaces a pipe, or a device.
func TestIndexOfPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := indexOutputPath("trace.bin", path); !errors.Is(err, tracefile.ErrNotRegular) {
		t.Errorf("a place for an index in a pipe: %v", err)
	}
}
