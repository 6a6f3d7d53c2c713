package gotrace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tracex/format"
)

// A trace begins with the version of Go that introduced its form, such as 1.22: "go 1.22 trace" and
// three zero bytes.
const (
	headStart = "go 1."
	headEnd   = " trace\x00\x00\x00"
	headSize  = 16
)

// The versions that can be read. The form of Go 1.21 and before is another one.
const (
	oldest   = 22
	newest   = 26
	explicit = 26 // the first version in which a generation has an end
)

// errVersion is the cause of errors about versions that cannot be read: nothing can be converted.
var errVersion error = notRead{}

type notRead struct{}

func (notRead) Error() string { return format.ErrVersion.Error() }

func (notRead) Is(target error) bool {
	return target == format.ErrVersion || target == format.ErrNotTrace
}

// isTrace reports whether a file begins as a trace of any version.
func isTrace(head []byte) bool {
	_, ok := versionOf(head)
	return ok
}

// versionOf returns the minor version of Go that a trace begins with.
func versionOf(head []byte) (minor int, ok bool) {
	if len(head) < headSize {
		return 0, false
	}
	text, ok := strings.CutPrefix(string(head[:headSize]), headStart)
	if !ok {
		return 0, false
	}
	if text, ok = strings.CutSuffix(text, headEnd); !ok {
		return 0, false
	}
	minor, err := strconv.Atoi(text)
	return minor, err == nil && minor >= 0
}

// readHeader reads the header, and returns the version and the header's bytes.
func readHeader(in io.Reader) (minor int, head []byte, err error) {
	head = make([]byte, headSize)
	n, err := io.ReadFull(in, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, nil, err
	}
	minor, ok := versionOf(head[:n])
	fault := &format.Error{Offset: 0}
	switch {
	case !ok:
		fault.Err, fault.Expected = format.ErrNotTrace, "an execution trace of Go, which begins with “go 1.”"
		fault.Found = strconv.Quote(string(head[:n]))
		fault.Hint = "go test -trace and package runtime/trace write such traces"
	case minor < oldest:
		fault.Err, fault.Found = errVersion, fmt.Sprintf("a trace of Go 1.%d", minor)
		fault.Hint = "record it again with a program that Go 1.22 or later has built, or look at it with go tool trace"
	case minor > newest:
		fault.Err, fault.Found = errVersion, fmt.Sprintf("a trace in the form of Go 1.%d", minor)
		fault.Hint = fmt.Sprintf("this tracex reads those of Go 1.%d to 1.%d: a later tracex may read it", oldest, newest)
	default:
		return minor, head, nil
	}
	return 0, nil, fault
}

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
