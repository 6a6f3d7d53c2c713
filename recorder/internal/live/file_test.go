package live

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// create creates a live file in the test's directory.
func create(t *testing.T, limit int64) *File {
	t.Helper()
	l, err := Create(filepath.Join(t.TempDir(), "live"), limit)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Remove() })
	return l
}

// left returns what another process would find if this one ended now.
func left(t *testing.T, l *File) *Rest {
	t.Helper()
	b, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// Another process can have the file only after this one has released it.
func TestInUse(t *testing.T) {
	l := create(t, 8<<20)
	if _, err := Open(l.Path()); !errors.Is(err, ErrInUse) {
		t.Fatal(err)
	}
	if _, err := Create(l.Path(), 8<<20); !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
}

// Memory remains when the file is removed.
func TestRemove(t *testing.T) {
	l := create(t, 8<<20)
	p, err := l.Alloc(1 << 12)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Remove(); err != nil {
		t.Fatal(err)
	}
	p.Mem[100] = 1
	if _, err := l.Alloc(32 << 20); !errors.Is(err, ErrFull) {
		t.Fatal(err)
	}
	if err := l.Remove(); err != nil {
		t.Fatal(err)
	}
}

// Slots that are in use are found, and no others.
func TestSlots(t *testing.T) {
	l := create(t, 8<<20)
	want := map[int64]bool{}
	var slots []*Slot
	for i := range 200 {
		s, err := l.Slot(Threads)
		if err != nil {
			t.Fatal(err)
		}
		s.Word(0).Store(uint64(i) + 1)
		slots = append(slots, s)
		want[s.Off] = true
	}
	for i := 0; i < len(slots); i += 3 {
		l.FreeSlot(slots[i])
		delete(want, slots[i].Off)
	}
	got := 0
	for at, err := range left(t, l).Slots(Threads) {
		if err != nil || !want[at] {
			t.Fatalf("a slot at %d: %v", at, err)
		}
		got++
	}
	if got != len(want) {
		t.Fatalf("%d slots, want %d", got, len(want))
	}
}
