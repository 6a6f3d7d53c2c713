package live

import (
	"bytes"
	"testing"
)

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
	check("after it", after, StateRecording)
	if l.Word(atBegun).Load() != l.Word(atDone).Load() {
		t.Fatal("it is not done")
	}
}

// A transaction that is larger than its region gets a larger one.
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
