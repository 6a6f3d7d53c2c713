package mapped

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"tracex/format"
)

// ranges are what an Ahead loaded, in order.
type ranges chan [2]int64

func (p ranges) load(from, to int64) error {
	p <- [2]int64{from, to}
	return nil
}

// take receives the ranges from one offset to another.
func (p ranges) take(t *testing.T, from, to int64) {
	t.Helper()
	for from < to {
		got, want := <-p, [2]int64{from, min(from+LoadSize, to)}
		if got != want {
			t.Fatalf("brought in %d, want %d", got, want)
		}
		from = want[1]
	}
}

// TestAheadStaysClose: only a window that moves with the user is loaded.
func TestAheadStaysClose(t *testing.T) {
	const end = 3*aheadWindow + 1000
	p := make(ranges, 1000)
	a := StartAhead(0, end, p.load)
	p.take(t, 0, aheadWindow)
	a.Reached(LoadSize - 1) // the rest of its last range is not loaded separately
	p.take(t, aheadWindow, aheadWindow+LoadSize)
	a.Reached(aheadWindow)
	p.take(t, aheadWindow+LoadSize, 2*aheadWindow)
	a.Stop()
	if len(p) > 0 {
		t.Errorf("brought in %d, further ahead than %d bytes", <-p, aheadWindow)
	}
}

// TestAheadEnds: at the end of the file, and when nothing can be loaded.
func TestAheadEnds(t *testing.T) {
	p := make(ranges, 1000)
	a := StartAhead(0, LoadSize+10, p.load)
	<-a.done
	p.take(t, 0, LoadSize+10)
	a.Reached(LoadSize)
	a.Stop()

	loads := 0
	a = StartAhead(0, 10*LoadSize, func(int64, int64) error {
		loads++
		return errNotMapped
	})
	<-a.done
	a.Stop()
	if loads != 1 {
		t.Errorf("tried %d times after a failure", loads)
	}
}

// TestAheadOvertaken: ranges that the user has passed are not loaded.
func TestAheadOvertaken(t *testing.T) {
	const far = 7*aheadWindow + 5
	first, on := make(chan struct{}), make(chan struct{})
	p := make(ranges, 1000)
	a := StartAhead(0, 100*aheadWindow, func(from, to int64) error {
		if from == 0 {
			close(first)
			<-on
		}
		return p.load(from, to)
	})
	<-first
	a.Reached(far)
	close(on)
	p.take(t, 0, LoadSize)
	p.take(t, far-far%LoadSize, far-far%LoadSize+aheadWindow)
	a.Stop()
}

// TestPopulate: a mapped file can be loaded, including its last bytes; ordinary memory,
// and bytes after the end, cannot.
func TestPopulate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, make([]byte, LoadSize+17), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Open(path, func([]byte) (format.Version, error) { return 0, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer m.Unmap()
	if runtime.GOOS == "linux" {
		for from := int64(0); from < int64(len(m.data)); from += LoadSize {
			if err := m.Populate(from, from+LoadSize); err != nil {
				t.Errorf("from %d: %v", from, err)
			}
		}
	}
	if err := m.Populate(2*LoadSize, 3*LoadSize); !errors.Is(err, errNotMapped) {
		t.Errorf("behind the end: %v", err)
	}
	if err := (InMemory("memory", make([]byte, 100))).Populate(0, 100); !errors.Is(err, errNotMapped) {
		t.Errorf("what is not mapped: %v", err)
	}
}
