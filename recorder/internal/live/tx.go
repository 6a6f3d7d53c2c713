package live

import "encoding/binary"

// Tx is a transaction: numbers and bytes of the file that change all at once, as seen by a
// process that reads the file after the program was killed.
//
// It is first written to a region of its own. Then a number is stored that marks it as complete,
// it is carried out, and another number marks it as done. A reader that finds it complete and
// not done carries it out; doing it twice changes nothing.
//
// One goroutine at a time may use a File's transaction.
type Tx struct {
	l    *File
	redo *Region
	n    int
	full bool // there is no room for all of it: Commit fails
}

// Tx returns the file's transaction, which is empty.
func (l *File) Tx() *Tx {
	l.tx.n = 0
	return &l.tx
}

func (t *Tx) Put(off int64, v uint64) {
	if b := t.entry(off, numberBytes); b != nil {
		binary.NativeEndian.PutUint64(b, v)
	}
}

func (t *Tx) Bytes(off int64, v []byte) {
	if b := t.entry(off, len(v)); b != nil {
		copy(b, v)
	}
}

// entry returns the room for the bytes of one more entry; nil if there is none.
func (t *Tx) entry(off int64, size int) []byte {
	need := entryHead + (size+numberBytes-1)&^(numberBytes-1)
	if t.n+need > len(t.redo.Mem) && !t.grow(t.n+need) {
		return nil
	}
	b := t.redo.Mem[t.n : t.n+need]
	binary.NativeEndian.PutUint64(b, uint64(off))
	binary.NativeEndian.PutUint64(b[numberBytes:], uint64(size))
	t.n += need
	return b[entryHead : entryHead+size]
}

// grow moves the transaction to a larger region. None is under way.
func (t *Tx) grow(size int) bool {
	p, err := t.l.Alloc(int64(size))
	if err != nil {
		t.full = true
		return false
	}
	copy(p.Mem, t.redo.Mem[:t.n])
	t.l.Word(AtRedo).Store(uint64(p.Off))
	t.l.Word(atRedoN).Store(uint64(len(p.Mem)))
	t.l.Free(t.redo)
	t.redo = p
	return true
}

// Commit carries out the transaction. It returns false if there was no room for all of it: then
// nothing is changed.
func (t *Tx) Commit() bool {
	if t.full {
		t.full = false
		return false
	}
	t.l.Word(atLength).Store(uint64(t.n))
	number := t.l.Word(atDone).Load() + 1
	t.l.Word(atBegun).Store(number)
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	_ = redo(t.redo.Mem[:t.n], t.l.at) // what was just written is right
	t.l.Word(atDone).Store(number)
	return true
}

// at returns bytes of the file. mu is held.
func (l *File) at(off, size int64) []byte {
	if off < headerSize {
		return l.header[off : off+size]
	}
	s := l.segment(off)
	return s.mem[off-s.from : off-s.from+size]
}
