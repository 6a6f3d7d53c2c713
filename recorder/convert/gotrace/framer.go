package gotrace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// framer passes a trace on to package trace, and knows where its batches are. A batch belongs to a
// generation: some seconds of the program, of which package trace keeps everything in memory. So the
// framer estimates how much that is, and ends with errLarge before it is too much.
//
//	batch    kind, experiment (only of experimental ones), and as varints: generation, thread,
//	         time, size; then so many bytes of events, of which the first is the kind of a table
//
// Read never returns bytes of two batches, so the reader after it has read nothing ahead.
type framer struct {
	in    *bufio.Reader
	head  []byte // what is left of a batch's header
	body  int64  // what is left of a batch
	plain bool   // no batch begins here: the reader will say so
	at    int64  // offset in the input of what Read returns next
	total int64  // offset of what is read from in next

	generation uint64
	start      int64 // offset of the first batch of the generation, and of the one before
	before     int64
	taken      int64 // estimated memory of the generation
	threads    map[uint64]struct{}
	ended      bool // the last batch was the end of a generation
	cut        bool // the input ends within a batch
	err        error
}

// Kinds of events, on disk, do not change. See package tracev2 of Go's own reader.
const (
	eventBatch        = 1
	eventStacks       = 2
	eventStrings      = 4
	eventSamples      = 6
	eventExperimental = 49
	eventEnd          = 52
)

const (
	mostMemory  = 1 << 30 // of a generation, estimated
	mostThreads = 1 << 14 // operating system threads of a generation: damage can make each cost time for each event
	batchWeight = 192     // memory of a batch besides its bytes
	tableWeight = 8       // memory of tables, for each byte
)

var (
	errLarge   = errors.New("a generation takes more than 1 GiB of memory")
	errThreads = errors.New("more than 16,384 threads")
)

func newFramer(in io.Reader) *framer {
	return &framer{in: bufio.NewReaderSize(in, 64<<10), threads: map[uint64]struct{}{}}
}

// Read implements io.Reader.
func (f *framer) Read(p []byte) (n int, err error) {
	if len(f.head) == 0 && f.body == 0 && !f.plain && f.err == nil {
		f.next()
	}
	switch {
	case f.err != nil:
		return 0, f.err
	case len(f.head) > 0:
		n = copy(p, f.head)
		f.head = f.head[n:]
	default:
		if !f.plain {
			p = p[:min(int64(len(p)), f.body)]
		}
		n, err = f.in.Read(p)
		f.total += int64(n)
		if !f.plain {
			f.body -= int64(n)
			f.cut = f.cut || err == io.EOF
		}
		if err != nil {
			f.err = err
		}
	}
	f.at += int64(n)
	return n, err
}

// next reads the header of a batch.
func (f *framer) next() {
	f.head = f.head[:0]
	kind, ok := f.byte()
	if !ok {
		if f.err == nil {
			f.err = io.EOF
		}
		return
	}
	f.ended = false
	switch kind {
	case eventEnd:
		f.ended = true
		return
	case eventExperimental:
		f.byte()
	case eventBatch:
	default:
		f.plain = true
		return
	}
	generation, thread := f.varint(), f.varint()
	f.varint() // time
	size := f.varint()
	if f.plain || f.cut {
		return
	}
	f.body = int64(min(size, 1<<32)) // the reader refuses much less
	f.batch(generation, thread, kind == eventBatch)
}

// batch counts a batch whose header has been read.
func (f *framer) batch(generation, thread uint64, events bool) {
	if f.generation != generation {
		f.generation, f.before, f.start = generation, f.start, f.total-int64(len(f.head))
		f.taken = 0
		clear(f.threads)
	}
	weight := int64(1)
	if first, err := f.in.Peek(1); events && err == nil && f.body > 0 {
		switch first[0] {
		case eventStacks, eventStrings, eventSamples:
			weight = tableWeight
		}
	}
	f.threads[thread] = struct{}{}
	f.taken += batchWeight + weight*f.body
	switch {
	case f.taken > mostMemory:
		f.err = errLarge
	case len(f.threads) > mostThreads:
		f.err = errThreads
	}
}

// byte adds the next byte of the input to the header.
func (f *framer) byte() (b byte, ok bool) {
	b, err := f.in.ReadByte()
	if err != nil {
		if err != io.EOF {
			f.err = err
		}
		f.cut = f.cut || len(f.head) > 0
		return 0, false
	}
	f.total++
	f.head = append(f.head, b)
	return b, true
}

// varint adds a number to the header.
func (f *framer) varint() (n uint64) {
	for i := 0; !f.plain; i++ {
		b, ok := f.byte()
		if !ok {
			f.plain = true // what there is of the header goes to the reader
			return 0
		}
		if n |= uint64(b&0x7f) << (7 * min(i, 63/7)); b < 0x80 {
			return n
		}
		f.plain = i+1 >= binary.MaxVarintLen64
	}
	return 0
}
