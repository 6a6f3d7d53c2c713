package diff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// A step of the script. The steps of a pair of threads begin with stepThread and end with stepExit, as those of a pair of containers
// that differ begin with stepEnter and end with stepExit.
type step struct {
	kind stepKind
	// own tells that the two of stepEnter and stepPair have other values themselves: argument, result, value.
	own bool
	// quiet tells that the difference does not count. It is written as if the two were the same.
	quiet bool
	moved bool // of stepRemoved and stepAdded: the same is elsewhere on the other side, see n
	named bool // of stepRemoved and stepAdded: it has another name on the other side, see n

	marks uint8 // of stepThread and stepEnter: bit 1<<status for each [format.DiffStatus] below
	a, b  int64 // logical offsets of the headers, of stepEqual of the first; of stepThread the ids of the threads, -1 for none
	// n is, of stepEqual, how many siblings; of two with other values which, bit 0 the result, then those of the header in their
	// order; of a moved or renamed one a number that only its partner has too.
	n     int64
	calls int64  // of stepEqual, stepRemoved and stepAdded: calls in it, with those below
	group uint64 // of a difference: those with the same are of one kind
}

// stepKind is what a step tells.
type stepKind uint8

const (
	stepThread  stepKind = iota // the threads that are compared
	stepEqual                   // siblings that are equal, with everything in them
	stepRemoved                 // only in A, with everything in it
	stepAdded                   // only in B
	stepPair                    // two leaves with other values
	stepEnter                   // two containers that differ, themselves or in what is in them
	stepExit                    // of stepEnter or stepThread
)

// A step in the temporary file:
//
//	0  kind u8, 1  flags u8, 2  marks u8, 8  a, b, n, calls, group, i64 each
const (
	stepFlagsAt   = 1
	stepMarksAt   = 2
	stepNumbersAt = 8
	stepNumber    = 8  // bytes of each
	stepSize      = 48 // bytes
)

// Flags of a step in the file.
const (
	stepOwn = 1 << iota
	stepQuiet
	stepMoved
	stepNamed
)

func (s *step) append(dst []byte) []byte {
	var head [stepNumbersAt]byte
	head[0], head[stepMarksAt] = byte(s.kind), s.marks
	for i, on := range [...]bool{s.own, s.quiet, s.moved, s.named} {
		if on {
			head[stepFlagsAt] |= 1 << i
		}
	}
	dst = append(dst, head[:]...)
	for _, n := range [...]int64{s.a, s.b, s.n, s.calls, int64(s.group)} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	return dst
}

func decodeStep(b []byte) (s step) {
	flags := b[stepFlagsAt]
	s.kind, s.marks = stepKind(b[0]), b[stepMarksAt]
	s.own, s.quiet, s.moved, s.named = flags&stepOwn != 0, flags&stepQuiet != 0, flags&stepMoved != 0, flags&stepNamed != 0
	b = b[stepNumbersAt:]
	for _, n := range [...]*int64{&s.a, &s.b, &s.n, &s.calls} {
		*n, b = int64(binary.LittleEndian.Uint64(b)), b[stepNumber:]
	}
	s.group = binary.LittleEndian.Uint64(b)
	return s
}

// script are the steps. The last ones are in memory, those before in a temporary file: a few MiB are kept, whatever its length.
type script struct {
	tail []step
	base int64 // number of the first of tail
	file *os.File
	name string // to be removed in the end; "" if it has been
	buf  []byte
	err  error // of the file; it sticks
}

// scriptTail is how many steps are in memory at most.
const scriptTail = 1 << 16

func (s *script) len() int64 { return s.base + int64(len(s.tail)) }

// put appends a step, and returns its number.
func (s *script) put(x step) int64 {
	if len(s.tail) == scriptTail {
		s.spill(scriptTail / 2)
	}
	s.tail = append(s.tail, x)
	return s.len() - 1
}

// spill moves the first n steps to the file.
func (s *script) spill(n int) {
	if s.file == nil && s.err == nil {
		s.file, s.name, s.err = unnamedFile("tracex-*.steps")
	}
	s.buf = s.buf[:0]
	for i := range s.tail[:n] {
		s.buf = s.tail[i].append(s.buf)
	}
	s.write(s.buf, s.base*stepSize)
	s.tail = s.tail[:copy(s.tail, s.tail[n:])]
	s.base += int64(n)
}

func (s *script) write(b []byte, at int64) {
	if s.err != nil {
		return
	}
	if _, err := s.file.WriteAt(b, at); err != nil {
		s.err = fmt.Errorf("writing the steps of the diff to a temporary file: %w", err)
	}
}

// change changes a step that was put.
func (s *script) change(i int64, f func(*step)) {
	if i >= s.base {
		f(&s.tail[i-s.base])
		return
	}
	if s.err != nil {
		return
	}
	b := make([]byte, stepSize)
	if _, err := s.file.ReadAt(b, i*stepSize); err != nil {
		s.err = err
		return
	}
	x := decodeStep(b)
	f(&x)
	s.write(x.append(b[:0]), i*stepSize)
}

// cut removes the steps from number n on.
func (s *script) cut(n int64) {
	if n < s.base { // what follows in the file is written over
		s.tail, s.base = s.tail[:0], n
		return
	}
	s.tail = s.tail[:n-s.base]
}

// all yields the steps in their order. An error ends it.
func (s *script) all() iter.Seq2[step, error] {
	return func(yield func(step, error) bool) {
		buf := make([]byte, 4096*stepSize)
		for i := int64(0); i < s.base && s.err == nil; {
			n := min(int64(len(buf)/stepSize), s.base-i)
			part := buf[:n*stepSize]
			if _, err := s.file.ReadAt(part, i*stepSize); err != nil && err != io.EOF {
				yield(step{}, err)
				return
			}
			for ; len(part) > 0; part, i = part[stepSize:], i+1 {
				if !yield(decodeStep(part), nil) {
					return
				}
			}
		}
		if s.err != nil {
			yield(step{}, s.err)
			return
		}
		for i := range s.tail {
			if !yield(s.tail[i], nil) {
				return
			}
		}
	}
}

// close removes the file.
func (s *script) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	return err
}
