package notes

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFullDisk: if the file cannot grow, the error says so, the old file stays, and nothing is
// lost: the next save writes it.
func TestFullDisk(t *testing.T) {
	trace := newTrace(t)
	b := open(t, trace)
	b.Mark('a', at(1), 1)
	save(t, b)
	old := text(t, b.Path())
	b.Put(Item{Text: strings.Repeat("long ", 1000), At: at(2), Event: 2})
	var usual unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1000, Max: usual.Max}); err != nil {
		t.Fatal(err)
	}
	err := b.Save()
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	if err == nil || !strings.Contains(err.Error(), "cannot write "+b.Path()+": "+syscall.EFBIG.Error()) {
		t.Errorf("the error is %v", err)
	}
	if text(t, b.Path()) != old || b.Unsaved() != 1 {
		t.Error("something is lost")
	}
	if names, _ := filepath.Glob(filepath.Join(filepath.Dir(trace), ".*")); len(names) > 0 {
		t.Errorf("left over: %q", names)
	}
	if save(t, b); len(open(t, trace).Items()) != 2 {
		t.Error("the next save does not write it")
	}
}

// TestReadOnly: in a directory that cannot be written to, the error says so.
func TestReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	trace := newTrace(t)
	b := open(t, trace)
	b.Mark('a', at(1), 1)
	if err := os.Chmod(filepath.Dir(trace), 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(trace), 0o700)
	if err := b.Save(); err == nil || !strings.Contains(err.Error(), "cannot write "+b.Path()+": permission denied") || b.Unsaved() != 1 {
		t.Errorf("the error is %v", err)
	}
}
