//go:build unix

package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDraftOverPipe: what is no file is replaced by none, whatever the flags
// say. For a person with all rights it could be a device that others use.
func TestDraftOverPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newDraft(path, 0o600, true); err == nil || !strings.HasSuffix(err.Error(), "pipe is no regular file, and stays what it is") {
		t.Errorf("a draft for a pipe: %v", err)
	}
	if _, err := indexPlace("trace.bin", path); err == nil {
		t.Error("a place for an index in a pipe")
	}
	if st, err := os.Lstat(path); err != nil || st.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe has become %v, %v", st, err)
	}
	if found := names(t, filepath.Dir(path)); len(found) != 1 {
		t.Errorf("left behind: %q", found)
	}
}
