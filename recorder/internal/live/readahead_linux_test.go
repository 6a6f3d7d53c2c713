package live

import (
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// resident counts the pages of a mapping that the system has in memory.
func resident(t *testing.T, mem []byte) (pages int) {
	t.Helper()
	found := make([]byte, len(mem)/unix.Getpagesize())
	if _, _, err := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mem[0])), uintptr(len(mem)), uintptr(unsafe.Pointer(&found[0]))); err != 0 {
		t.Skip(err)
	}
	for _, b := range found {
		pages += int(b & 1)
	}
	return pages
}

// The first store into a page makes the system provide that page, but not many after it: the
// recording goroutine waits for it.
func TestPagesComeOneByOne(t *testing.T) {
	l, err := Create(filepath.Join(t.TempDir(), "live"), 1<<26)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Remove()
	p, err := l.Alloc(1 << 21) // in its own segment
	if err != nil {
		t.Fatal(err)
	}
	if n := resident(t, p.Mem); n > 0 {
		t.Skipf("the file system has %d pages in memory from the beginning", n)
	}
	for _, at := range []int{0, len(p.Mem) / 2, len(p.Mem) - 1} {
		p.Mem[at] = 1
	}
	if n := resident(t, p.Mem); n > 3*16 { // a file system may keep several together
		t.Errorf("three stores brought %d pages", n)
	}
}
