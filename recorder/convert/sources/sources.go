// Package sources lists the kinds of files that become traces, and tells which kind a file is.
package sources

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// Input is what is converted.
type Input struct {
	io.Reader        // the content, from its beginning; nil for a folder
	Path      string // of the file or the folder, for messages, too; "standard input" if it is that
	Stdin     bool   // Path is not the name of a file
	Size      int64  // -1 if unknown
	// Progress gets the bytes read. It may be nil.
	Progress func(read int64)
}

// Source is a kind of input.
type Source struct {
	Name string // as in --from: chrome
	What string // in a message: "a Chrome trace"
	// Is reports whether a file begins like one: head has its first bytes, at most HeadSize, unpacked
	// if it was compressed. nil for folders.
	Is func(head []byte) bool
	// IsFolder reports whether a folder is one; nil for files.
	IsFolder func(path string) bool
	// Convert reads the input and adds its events to the trace. prefix precedes the names of its
	// threads, "" unless the trace has several inputs. A fault of the input is a [format.Error]; what
	// was read before it is kept.
	Convert func(ctx context.Context, in Input, prefix string, to *calltrace.Writer) error
}

// HeadSize is how many bytes of a file tell what it is.
const HeadSize = 64 << 10

// Content is what a file or a pipe holds, unpacked while it is read. It must be closed, and be used
// by one goroutine at a time, except for [Content.Taken].
type Content struct {
	in     *bufio.Reader
	head   []byte
	short  error    // why the head has no more bytes; nil if it is whole, or all that there is
	packed []string // the compressions, the innermost first
	taken  atomic.Int64
	failed atomic.Pointer[error] // of reading the file
	closes []func()
}

const (
	// mostPacked bounds how often a content may be compressed.
	mostPacked = 3
	// zstdWindow is how far back compressed bytes may refer, in bytes: what zstd itself allows
	// unless it is told to take more memory. Only files that ask for it take that much.
	zstdWindow = 128 << 20
)

// NewContent reads the beginning of r. It waits until r has given HeadSize bytes, or its end. It fails only if
// nothing can be read, or unpacked.
func NewContent(r io.Reader) (*Content, error) {
	c := new(Content)
	c.in = bufio.NewReaderSize(&counted{r, &c.taken, &c.failed}, HeadSize)
	file, _ := r.(seekable)
	for len(c.packed) < mostPacked {
		if err := c.peek(); err != nil {
			return nil, err
		}
		p := packingOf(c.head)
		if p == nil {
			return c, nil
		}
		unpacked, err := p.open(c.in, file)
		file = nil
		if err != nil {
			c.Close()
			return nil, nothing(c.fault(p, err))
		}
		c.packed = append([]string{p.name}, c.packed...)
		ahead := newAhead(&faults{unpacked, c, p})
		c.closes = append(c.closes, ahead.close)
		c.in = bufio.NewReaderSize(ahead, HeadSize)
	}
	if err := c.peek(); err != nil {
		return nil, err
	}
	return c, nil
}

// peek reads the beginning. An error is one of the next Read, unless there is nothing else.
func (c *Content) peek() (err error) {
	c.short = nil
	if c.head, err = c.in.Peek(HeadSize); err != io.EOF {
		c.short = err
	}
	if len(c.head) > 0 || err == io.EOF {
		return nil
	}
	c.Close()
	return nothing(err)
}

// Read reads what the file holds, from its beginning, unpacked.
func (c *Content) Read(b []byte) (int, error) { return c.in.Read(b) }

// Head returns the first bytes, at most HeadSize. It is valid until the first Read.
func (c *Content) Head() []byte { return c.head }

// Short returns the error that ended the first bytes before there were HeadSize; nil if they are all that there is.
func (c *Content) Short() error { return nothing(c.short) }

// Packed names the compression, or other form: gzip, gzip in zstd, UTF-16; "" if there is none.
func (c *Content) Packed() string { return strings.Join(c.packed, " in ") }

// Taken returns how many bytes of the file were read so far, as they are there: compressed, if it
// is. Any goroutine may call it.
func (c *Content) Taken() int64 { return c.taken.Load() }

// Close frees what unpacking needs. It does not close the file.
func (c *Content) Close() {
	for _, stop := range c.closes {
		stop()
	}
	c.closes = nil
}

// counted counts what is read, and keeps the error that is not the end.
type counted struct {
	r      io.Reader
	n      *atomic.Int64
	failed *atomic.Pointer[error]
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	if err != nil && err != io.EOF {
		c.failed.Store(&err)
	}
	return n, err
}

// packing is a kind of compression, or another form that is read as what it holds.
type packing struct {
	name string
	is   func(head []byte) bool
	open func(*bufio.Reader, seekable) (io.Reader, error) // the file is nil if it is within another, or comes through a pipe
}

// magic returns what reports whether a file begins with some bytes.
func magic(with string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(with)) }
}

var packings = []packing{
	{"gzip", magic("\x1f\x8b"), func(r *bufio.Reader, _ seekable) (io.Reader, error) { return gzip.NewReader(r) }},
	{"ZIP", isZipped, openZipped},
	{"UTF-16", func(head []byte) bool { return isUTF16(head, binary.LittleEndian) }, openUTF16(binary.LittleEndian)},
	{"UTF-16", func(head []byte) bool { return isUTF16(head, binary.BigEndian) }, openUTF16(binary.BigEndian)},
	{"zstd", magic("\x28\xb5\x2f\xfd"), func(r *bufio.Reader, _ seekable) (io.Reader, error) {
		// With one goroutine, that of the caller, there is nothing to close.
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	}},
}

func packingOf(head []byte) *packing {
	for i := range packings {
		if packings[i].is(head) {
			return &packings[i]
		}
	}
	return nil
}

// faults tells what is wrong with compressed bytes.
type faults struct {
	io.Reader
	content *Content
	packing *packing
}

func (f *faults) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = f.content.fault(f.packing, err)
	}
	return n, err
}

// fault returns an error of unpacking as one about the file. If reading the file failed, it returns
// that error.
func (c *Content) fault(p *packing, err error) error {
	if failed := c.failed.Load(); failed != nil {
		return *failed
	}
	var outer *format.Error
	if errors.As(err, &outer) {
		return err
	}
	e := &format.Error{Offset: c.taken.Load(), Err: format.ErrCorrupt, Hint: convertedBefore}
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		e.Err, e.Found = format.ErrTruncated, "the "+p.name+" data end early"
	} else {
		e.Found = fmt.Sprintf("the %s data before that: %v", p.name, err)
	}
	return e
}

const convertedBefore = "everything before that is converted"

// nothing returns the error of a file that cannot be unpacked at all.
func nothing(err error) error {
	if e, ok := err.(*format.Error); ok && e.Hint == convertedBefore {
		plain := *e
		plain.Hint = ""
		return &plain
	}
	return err
}

// ahead reads from another reader in a goroutine of its own, so that unpacking and converting are
// done at once. It holds aheadBlocks blocks of aheadSize bytes.
type ahead struct {
	full chan block // to be read
	free chan []byte
	stop chan struct{}
	once sync.Once
	now  block
	at   int
}

const (
	aheadBlocks = 4
	aheadSize   = 256 << 10
)

// block is what was read at once. err is what follows it.
type block struct {
	b   []byte
	err error
}

func newAhead(r io.Reader) *ahead {
	a := &ahead{full: make(chan block, aheadBlocks), free: make(chan []byte, aheadBlocks), stop: make(chan struct{})}
	for range aheadBlocks {
		a.free <- nil // made when needed
	}
	go a.run(r)
	return a
}

// run reads until the end or the first error. A read that waits for a pipe outlives close.
func (a *ahead) run(r io.Reader) {
	for {
		var b []byte
		select {
		case b = <-a.free:
		case <-a.stop:
			return
		}
		if b == nil {
			b = make([]byte, aheadSize)
		}
		n, err := r.Read(b[:cap(b)])
		for tries := 0; n == 0 && err == nil; tries++ {
			if tries == 100 {
				err = io.ErrNoProgress
				break
			}
			n, err = r.Read(b[:cap(b)])
		}
		a.full <- block{b[:n], err} // there is room for each block
		if err != nil {
			return
		}
	}
}

// Read returns what was read ahead.
func (a *ahead) Read(b []byte) (int, error) {
	for a.at == len(a.now.b) {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.b != nil {
			a.free <- a.now.b
		}
		a.now, a.at = <-a.full, 0
	}
	n := copy(b, a.now.b[a.at:])
	a.at += n
	return n, nil
}

// close ends the goroutine.
func (a *ahead) close() { a.once.Do(func() { close(a.stop) }) }
