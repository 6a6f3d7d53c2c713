package mapped

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"tracex/format"
)

// TestWindowGivesBack: the bytes that the user has passed are released once, in whole
// ranges, and those before it stay, even when everything has been loaded.
func TestWindowGivesBack(t *testing.T) {
	const end = 4*releaseSize + 1000
	in, out := make(ranges, 1000), make(ranges, 1000)
	a := startWindow(0, end, in.load, func(from, to int64) { out.load(from, to) })
	in.take(t, 0, end)
	for _, c := range []struct{ at, from, to int64 }{
		{releaseSize + 5, 0, releaseSize},
		{3 * releaseSize, releaseSize, 3 * releaseSize},
		{4*releaseSize + 1, 3 * releaseSize, 4 * releaseSize},
	} {
		a.Reached(c.at - releaseSize) // on the way
		a.Reached(c.at)
		for got := int64(0); got < c.to; {
			p := <-out
			if p[0] < c.from || p[1] > c.to || p[0]%releaseSize != 0 || p[1]%releaseSize != 0 {
				t.Fatalf("gave back %d with the user at %d", p, c.at)
			}
			c.from, got = p[1], p[1]
		}
	}
	a.Reached(0) // it starts again
	a.Reached(releaseSize)
	a.Stop()
	if len(in)+len(out) > 0 {
		t.Errorf("%d ranges brought in again, %d given back", len(in), len(out))
	}
}

// sparse maps a file of zeros.
func sparse(t *testing.T, size int64) (m *File, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "zeros")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	m, err := Open(path, func([]byte) (format.Version, error) { return 0, nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Unmap() })
	return m, path
}

// mapped returns how many bytes of a mapping are in the memory of this process,
// according to Linux.
func mapped(t *testing.T, m *File) int64 {
	t.Helper()
	all, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	begin := strconv.FormatUint(uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))), 16) + "-"
	_, rest, ok := strings.Cut("\n"+string(all), "\n"+begin)
	_, rest, found := strings.Cut(rest, "\nRss:")
	if !ok || !found {
		t.Fatal("the mapping is not among this process's")
	}
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// TestTouchAndLeave: touched pages are mapped; left pages are not, but can still
// be read.
func TestTouchAndLeave(t *testing.T) {
	m, _ := sparse(t, 2*LoadSize+17)
	if err := m.touch(0, 3*LoadSize); err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	if got := mapped(t, m); got < int64(len(m.data)/aheadAlign*page) {
		t.Errorf("%d bytes of %d are mapped", got, len(m.data))
	}
	touchPages(m.data, page)
	if err := m.leave(0, LoadSize); err != nil {
		t.Fatal(err)
	}
	if got := mapped(t, m); runtime.GOOS == "linux" && got > LoadSize+1<<20 {
		t.Errorf("%d bytes are mapped, want those of one range", got)
	}
	if m.data[LoadSize-1] != 0 || m.data[len(m.data)-1] != 0 {
		t.Error("other bytes than the file's")
	}
	for what, err := range map[string]error{
		"touch behind the end":  m.touch(3*LoadSize, 4*LoadSize),
		"leave behind the end":  m.leave(3*LoadSize, 4*LoadSize),
		"touch what is not one": (InMemory("memory", make([]byte, 100))).touch(0, 100),
		"leave what is not one": (InMemory("memory", make([]byte, 100))).leave(0, 100),
	} {
		if !errors.Is(err, errNotMapped) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestWindowOfAFileCutShort: the window ends; its user finds the fault, and reports it.
func TestWindowOfAFileCutShort(t *testing.T) {
	m, path := sparse(t, windowLeast)
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	use := func(f func() error) error { return Guard(f, m) }
	a := m.Window(use)
	if a == nil {
		if runtime.GOMAXPROCS(0) > 1 {
			t.Fatal("no window")
		}
		t.Skip("one processor: there is no window")
	}
	defer a.Stop()
	<-a.done
	if err := use(func() error { return m.touch(0, windowLeast) }); !errors.Is(err, ErrShrunk) {
		t.Errorf("touched what the file has no more: %v", err)
	}
}

// TestNoWindow: there is none for a small file, and the methods of a nil window do
// nothing.
func TestNoWindow(t *testing.T) {
	m, _ := sparse(t, windowLeast-1)
	a := m.Window(func(f func() error) error { return f() })
	if a != nil {
		t.Error("a window for a small file")
	}
	a.Reached(5)
	a.Stop()
}

// TestReadAheadGivesBack: bytes that the user has passed are no longer in memory.
func TestReadAheadGivesBack(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nothing is given back on " + runtime.GOOS)
	}
	const size, slack = 4 * releaseSize, 1 << 20
	m, _ := sparse(t, size)
	for what, start := range map[string]func() *Ahead{
		"guarded":         func() *Ahead { return m.ReadAhead(0, func(f func() error) error { return Guard(f, m) }) },
		"by its one user": func() *Ahead { return m.ReadAhead(0, nil) },
	} {
		touchPages(m.data, os.Getpagesize())
		if got := mapped(t, m); got < 2*releaseSize {
			t.Fatalf("%s: %d bytes are mapped: the test shows nothing", what, got)
		}
		a := start()
		a.Reached(size - releaseSize)
		for mapped(t, m) > releaseSize+slack {
			runtime.Gosched()
		}
		a.Stop()
	}
}
