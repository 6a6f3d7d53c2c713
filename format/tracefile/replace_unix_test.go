//go:build unix

package tracefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReplacePipe: a pipe, like a device, is never replaced, not even through a link.
func TestReplacePipe(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link} {
		if _, err := Create(path, 0o600, true); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if st, err := os.Lstat(pipe); err != nil || st.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe has become %v, %v", st, err)
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("not removed: %q", got)
	}
}
