package live

import (
	"bytes"
	"errors"
	"math/rand/v2"
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

// No two used pieces overlap, each is aligned to its size, and after all are given back there
// is as much room as before.
func TestPieces(t *testing.T) {
	l := create(t, 8<<20)
	random := rand.New(rand.NewPCG(1, 2))
	owner := map[int64]int{} // of each 256 bytes
	var held []*Piece
	for round := range 20_000 {
		if random.IntN(5) < 3 {
			p, err := l.Alloc(1 + random.Int64N(1<<(8+random.IntN(10))))
			if errors.Is(err, ErrFull) {
				continue
			}
			if err != nil || p.Off%int64(len(p.Mem)) != 0 {
				t.Fatalf("a piece of %d bytes at %d: %v", len(p.Mem), p.Off, err)
			}
			for at := p.Off; at < p.Off+int64(len(p.Mem)); at += least {
				if other, ok := owner[at]; ok {
					t.Fatalf("round %d: %d is in use since round %d", round, at, other)
				}
				owner[at] = round
			}
			held = append(held, p)
		} else if n := len(held); n > 0 {
			i := random.IntN(n)
			p := held[i]
			held[i], held = held[n-1], held[:n-1]
			for at := p.Off; at < p.Off+int64(len(p.Mem)); at += least {
				delete(owner, at)
			}
			l.Free(p)
		}
	}
	for _, p := range held {
		l.Free(p)
	}
	for i := range l.segments {
		s := &l.segments[i]
		if s.from == 1<<firstSegment {
			continue // the transaction is in it
		}
		if _, ok := l.pieces.free[s.order][s.from]; !ok {
			t.Errorf("the segment at %d is not one piece again", s.from)
		}
	}
}

// A transaction takes effect as a whole or not at all, at whichever store the program ends.
func TestTransaction(t *testing.T) {
	l := create(t, 8<<20)
	p, err := l.Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	clear(p.Mem)
	before, after := bytes.Repeat([]byte{0}, 100), bytes.Repeat([]byte{7}, 100)
	tx := l.Tx()
	tx.Put(AtState, StateRecording)
	tx.Bytes(p.Off+3, after)
	check := func(when string, want []byte, state uint64) {
		t.Helper()
		r := left(t, l)
		got, err := r.Bytes(p.Off+3, 100)
		if err != nil || !bytes.Equal(got, want) || r.Uint(AtState) != state {
			t.Fatalf("%s: %v, state %d, %v", when, got, r.Uint(AtState), err)
		}
	}
	check("before it is whole", before, 0)
	l.Word(atLength).Store(uint64(tx.n))
	check("before it begins", before, 0)
	l.Word(atBegun).Store(1)
	check("before it is carried out", after, StateRecording)
	copy(p.Mem[3:], after[:50])
	check("while it is carried out", after, StateRecording)
	if !tx.Commit() {
		t.Fatal("it failed")
	}
	check("behind it", after, StateRecording)
	if l.Word(atBegun).Load() != l.Word(atDone).Load() {
		t.Fatal("it is not done")
	}
}

// A transaction that is larger than its piece gets a larger one.
func TestLargeTransaction(t *testing.T) {
	l := create(t, 64<<20)
	p, err := l.Alloc(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	tx := l.Tx()
	want := bytes.Repeat([]byte("large"), 200_000)
	tx.Bytes(p.Off, want)
	if !tx.Commit() {
		t.Fatal("it failed")
	}
	if got, err := left(t, l).Bytes(p.Off, int64(len(want))); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%v", err)
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
