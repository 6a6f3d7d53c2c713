package claim

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/filelock"
	"tracex/recorder/internal/live"
)

// locks skips the test if this system has no file locks.
func locks(t *testing.T) {
	t.Helper()
	if err := filelock.Lock(made(t, filepath.Join(t.TempDir(), "lock"))); err != nil && runtime.GOOS != "linux" {
		t.Skip("no locks here: ", err)
	}
}

// made creates a file with some content, open until the end of the test.
func made(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		t.Cleanup(func() { _ = f.Close() })
		_, err = f.WriteString("some content")
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// closed is made, but closes the file.
func closed(t *testing.T, path string) string {
	t.Helper()
	if err := made(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// claimed locks a file until the end of the test.
func claimed(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := File(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// pauses replaces Pause by a function that is told how many there were.
func pauses(t *testing.T, then func(n int)) (n *int) {
	t.Helper()
	old := Pause
	t.Cleanup(func() { Pause = old })
	n = new(int)
	Pause = func() {
		*n++
		then(*n)
	}
	return n
}

// A file has one holder at a time; the others are told which process it is. The lock ends with
// the open file, and the content stays.
func TestFile(t *testing.T) {
	locks(t)
	path := closed(t, filepath.Join(t.TempDir(), "trace.bin"))
	if Held(path) {
		t.Error("a new file is held")
	}
	first := claimed(t, path)
	second, err := File(path)
	if second != nil || !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), path) {
		t.Errorf("the second: %v, %v", second, err)
	} else if runtime.GOOS == "linux" && !strings.Contains(err.Error(), "that of this process") {
		t.Errorf("the second is not told which process has it: %v", err)
	}
	if !Held(path) {
		t.Error("the file is not held")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // looking does not keep it
		if Held(path) {
			t.Error("the closed file is held")
		}
	}
	claimed(t, path)
	if b, err := os.ReadFile(path); err != nil || string(b) != "some content" {
		t.Errorf("it contains %q: %v", b, err)
	}
}

// Only a regular file can be claimed, and a missing one is not created.
func TestFileOddities(t *testing.T) {
	dir := t.TempDir()
	missing, link := filepath.Join(dir, "missing"), filepath.Join(dir, "link")
	if _, err := File(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := os.Lstat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was created: %v", err)
	}
	if _, err := File(dir); !errors.Is(err, ErrUnclaimed) {
		t.Errorf("a directory: %v", err)
	}
	if err := os.Symlink(closed(t, filepath.Join(dir, "target")), link); err != nil {
		t.Skip(err)
	}
	if _, err := File(link); !errors.Is(err, ErrUnclaimed) {
		t.Errorf("a symbolic link: %v", err)
	}
}

// A file that may only be read can be claimed.
func TestFileReadOnly(t *testing.T) {
	locks(t)
	path := closed(t, filepath.Join(t.TempDir(), "trace.bin"))
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	claimed(t, path)
}

// A new file is locked, unless it was removed or replaced, or another process keeps it locked.
func TestNew(t *testing.T) {
	locks(t)
	dir := t.TempDir()
	f := made(t, filepath.Join(dir, "new"))
	if err := New(f); err != nil {
		t.Fatal(err)
	}
	if !Held(f.Name()) {
		t.Error("it is not locked")
	}
	if runtime.GOOS == "windows" {
		return // open files cannot be removed
	}
	removed := made(t, filepath.Join(dir, "removed"))
	if err := os.Remove(removed.Name()); err != nil {
		t.Fatal(err)
	}
	if err := New(removed); !errors.Is(err, ErrInUse) {
		t.Errorf("a removed file: %v", err)
	}
	replaced := made(t, filepath.Join(dir, "replaced"))
	if err := os.Rename(closed(t, filepath.Join(dir, "other")), replaced.Name()); err != nil {
		t.Fatal(err)
	}
	if err := New(replaced); !errors.Is(err, ErrInUse) {
		t.Errorf("a replaced file: %v", err)
	}
	moved, to := made(t, filepath.Join(dir, "moved")), filepath.Join(dir, "to")
	if err := os.Rename(moved.Name(), to); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, moved.Name()); err != nil {
		t.Fatal(err)
	}
	if err := New(moved); !errors.Is(err, ErrInUse) {
		t.Errorf("a file that was moved, with a link in its place: %v", err)
	}
	locked := made(t, filepath.Join(dir, "locked"))
	claimed(t, locked.Name())
	if err := New(locked); !errors.Is(err, ErrInUse) {
		t.Errorf("a locked file: %v", err)
	}
}

// Soon waits for a holder that needs a moment, but not for long, and not for one that records.
func TestSoon(t *testing.T) {
	locks(t)
	path := closed(t, filepath.Join(t.TempDir(), "trace.bin"))
	holder := claimed(t, path)
	n := pauses(t, func(n int) {
		if n == 3 {
			_ = holder.Close()
		}
	})
	f, err := Soon(path)
	if err != nil || *n != 3 {
		t.Fatalf("after %d pauses: %v", *n, err)
	}
	*n = 3 // f stays open
	if _, err := Soon(path); !errors.Is(err, ErrInUse) || *n != 3+attempts {
		t.Errorf("a file that is held: after %d pauses: %v", *n-3, err)
	}
	_ = f.Close()

	recording, err := live.Create(path+format.LiveSuffix, 1<<20)
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = recording.Remove() }()
	claimed(t, path)
	*n = 3
	if _, err := Soon(path); !errors.Is(err, ErrInUse) || *n != 3 {
		t.Errorf("a file that is recorded: after %d pauses: %v", *n-3, err)
	}
}
