package producer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"tracex/recorder/perfetto/ipctest"
)

// unsealed returns a memory file that supports seals and has only the given ones.
func unsealed(t *testing.T, seals int) *os.File {
	t.Helper()
	fd, err := unix.MemfdCreate("producer_test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Skip("no memory files here:", err)
	}
	f := os.NewFile(uintptr(fd), "producer_test")
	t.Cleanup(func() { _ = f.Close() })
	if err = f.Truncate(16 << 10); err == nil && seals != 0 {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestMemoryKeepsItsSize has a service send memory with different seals. A program
// accepts none that the service can shrink.
func TestMemoryKeepsItsSize(t *testing.T) {
	plain, err := os.Create(filepath.Join(t.TempDir(), "plain"))
	if err == nil {
		err = plain.Truncate(16 << 10)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for _, c := range []struct {
		name   string
		file   *os.File
		wants  string // in the error; "" if the memory is accepted
		sealed bool   // afterwards
	}{
		{"all seals", unsealed(t, seals), "", true},
		{"no seals yet", unsealed(t, 0), "", true},
		{"no seal can be added", unsealed(t, unix.F_SEAL_SEAL), "can be made smaller", false},
		{"a file that knows no seals", plain, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := unix.FcntlInt(c.file.Fd(), unix.F_GET_SEALS, 0); err == nil && c.file == plain {
				t.Skip("files of this folder know seals: it is in memory")
			}
			dir := ipctest.Directory(t)
			s := newIdleService(t, dir)
			complaints := make(chan error, 100)
			p := begin(t, dir, Options{OnError: func(err error) {
				if strings.Contains(err.Error(), "cannot be used") {
					complaints <- err
				}
			}})
			d := register(t, p, DataSourceSpec{Name: "words"})
			settle(t, p)
			s.start(&memory{file: c.file}, "words")
			if c.wants != "" {
				if err := receive(t, complaints, "a complaint"); !strings.Contains(err.Error(), c.wants) {
					t.Errorf("told %v, want %q", err, c.wants)
				}
			} else if !awaitInstance(t, d).Write(word(t, "one")) {
				t.Error("nothing can be written")
			}
			if shrinks := c.file.Truncate(4<<10) == nil; shrinks == c.sealed {
				t.Errorf("the file can be made smaller: %v", shrinks)
			}
			_ = c.file.Truncate(16 << 10)
		})
	}
}
