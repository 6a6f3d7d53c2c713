package diff

import (
	"encoding/binary"
	"errors"
	"os"
)

// Pair tells where an event of a diff is in the two traces, A and B, in this order. That of a row that stands for
// equal siblings is about the first of them, with the time of all.
type Pair struct {
	Thread [2]int32 // id; -1 if it is not in that trace
	At     [2]int64 // logical offset of its header; -1
	Took   [2]int64 // ns; -1 if not known
}

// nowhere is the Pair of an event that is in neither trace.
var nowhere = Pair{Thread: [2]int32{-1, -1}, At: [2]int64{-1, -1}, Took: [2]int64{-1, -1}}

// Where the offsets and the durations of a Pair are in the file, and its size, in bytes.
const (
	pairAtAt   = 2 * 4
	pairTookAt = pairAtAt + 2*8
	pairSize   = pairTookAt + 2*8
)

// append appends the Pair as it is in the file, big endian:
//
//	thread i32 × 2, offset i64 × 2, duration i64 × 2
func (p *Pair) append(dst []byte) []byte {
	be := binary.BigEndian
	for _, id := range p.Thread {
		dst = be.AppendUint32(dst, uint32(id))
	}
	for _, at := range p.At {
		dst = be.AppendUint64(dst, uint64(at))
	}
	for _, ns := range p.Took {
		dst = be.AppendUint64(dst, uint64(ns))
	}
	return dst
}

func decodePair(b []byte) (p Pair) {
	be := binary.BigEndian
	for i := range 2 {
		p.Thread[i] = int32(be.Uint32(b[4*i:]))
		p.At[i] = int64(be.Uint64(b[pairAtAt+8*i:]))
		p.Took[i] = int64(be.Uint64(b[pairTookAt+8*i:]))
	}
	return p
}

// Pairs are the pairs of all events of a diff. They may be used by several goroutines.
type Pairs struct {
	f   *os.File
	n   int64
	dir string // removed by Close
}

// Len returns how many events the diff has. They are numbered from 0.
func (p *Pairs) Len() int64 { return p.n }

// Of returns the Pair of an event of the diff.
func (p *Pairs) Of(event int32) (Pair, error) {
	if event < 0 || int64(event) >= p.n {
		return nowhere, nil
	}
	var b [pairSize]byte
	if _, err := p.f.ReadAt(b[:], int64(event)*pairSize); err != nil {
		return nowhere, err
	}
	return decodePair(b[:]), nil
}

// Close removes the files of the diff. The reader of the diff must be closed before.
func (p *Pairs) Close() error {
	return errors.Join(p.f.Close(), os.RemoveAll(p.dir))
}

// pairsBuffer is how many bytes of pairs are written at a time.
const pairsBuffer = 1 << 18

// pairsWriter writes the pairs of a diff, whose events come in order.
type pairsWriter struct {
	f   *os.File
	buf []byte
	at  int64 // of buf[0] in the file
	err error // the first one
}

func (w *pairsWriter) add(p *Pair) {
	if w.buf = p.append(w.buf); len(w.buf) >= pairsBuffer {
		w.flush()
	}
}

// took sets how long an event that was added took in a trace, 0 or 1, in ns.
func (w *pairsWriter) took(event int32, side int, ns int64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(ns))
	at := int64(event)*pairSize + pairTookAt + 8*int64(side)
	if at >= w.at {
		copy(w.buf[at-w.at:], b[:])
	} else if w.err == nil {
		_, w.err = w.f.WriteAt(b[:], at)
	}
}

func (w *pairsWriter) flush() {
	if w.err == nil {
		_, w.err = w.f.WriteAt(w.buf, w.at)
	}
	w.at += int64(len(w.buf))
	w.buf = w.buf[:0]
}
