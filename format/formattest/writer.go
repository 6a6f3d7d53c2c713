package formattest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
)

// Sizes that the reference's streaming writer uses, in bytes.
const (
	// DefaultBlockSize is the size of a thread's buffer.
	DefaultBlockSize = 1 << 20
	// flushBelow is the room left in a buffer below which it is flushed.
	flushBelow = 1 << 10
)

// Options tell how a [Writer] lays out its files.
type Options struct {
	// Version is the version of the format; 0 means version 22.
	Version format.Version
	// BlockSize is the size of each thread's buffer in bytes; 0 means DefaultBlockSize. A
	// buffer smaller than 2 KiB is flushed when an eighth is left.
	BlockSize int
	// Dump writes like a collect-and-dump recorder: one block per thread, with its index cell
	// after the cells of its objects. Threads are in the order in which they were created, and
	// are held in memory completely.
	Dump bool
	// SplitAfterHeader lets a block end right after the header of a container, as the
	// reference does if nesting alone fills a buffer. Without it a buffer grows until
	// something else can end the block.
	SplitAfterHeader bool
	// Manual ends blocks only where Flush is called.
	Manual bool
	// Times receives the file of times; nil if there is none.
	Times io.Writer
}

// Reference is a reference object, such as *format.ClassDescriptor.
type Reference interface {
	Append(dst []byte, v format.Version) ([]byte, error)
}

// ReferenceOf returns the reference object of ctx with a kind and an id.
func ReferenceOf(ctx *format.Context, kind format.Kind, id int32) Reference {
	switch kind {
	case format.KindThreadName:
		return ctx.Thread(id)
	case format.KindClassDescriptor:
		return ctx.Class(id)
	case format.KindMethodDescriptor:
		return ctx.Method(id)
	case format.KindFieldDescriptor:
		return ctx.Field(id)
	case format.KindVariableDescriptor:
		return ctx.Variable(id)
	case format.KindAccessPath:
		return ctx.Path(id)
	case format.KindCodeLocation:
		return ctx.Location(id)
	}
	s, _ := ctx.Text(id)
	return &format.StringObject{ID: id, Value: s}
}

// Writer writes a data file and its index exactly as the reference's writers do. Its first
// failure sticks and is returned by Close, so callers need to check no other errors. Only one
// goroutine at a time may use it.
type Writer struct {
	to      *tracefile.Writer
	opt     Options
	flushAt int // bytes in a buffer at which it is flushed
	stats   Stats
	threads []*Thread
	byID    map[int32]*Thread
	object  []byte // room for the current one
	clock   clock
	err     error
}

// Stats counts what was written.
type Stats struct {
	Calls, Points, Containers, References, Blocks int64
	DataBytes, IndexBytes                         int64
}

// Thread writes the objects of one thread.
type Thread struct {
	w     *Writer
	block tracefile.Block
	open  []opened
}

// opened is a container without its footer.
type opened struct {
	class format.Class
	event int32
	start int64
	began int64 // on the clock
}

// NewWriter returns a Writer. It writes the headers of both files immediately.
func NewWriter(data, index io.Writer, opt Options) *Writer {
	if opt.BlockSize <= 0 {
		opt.BlockSize = DefaultBlockSize
	}
	if opt.Version == 0 {
		opt.Version = format.V22
	}
	w := &Writer{opt: opt, byID: make(map[int32]*Thread)}
	w.flushAt = opt.BlockSize - min(flushBelow, opt.BlockSize/8)
	w.to = tracefile.NewWriter(opt.Version, tracefile.Files{Data: data, Index: index, Times: opt.Times}, Anchor)
	w.to.Dump = opt.Dump
	return w
}

// Thread returns the writer of the thread with this id. It creates the writer on the first call.
func (w *Writer) Thread(id int32) *Thread {
	t := w.byID[id]
	if t == nil {
		t = &Thread{w: w, block: tracefile.Block{Thread: id}}
		w.byID[id] = t
		w.threads = append(w.threads, t)
	}
	return t
}

// Close flushes all threads in the order in which they were created, except those that have
// nothing left in a streaming file, and ends both files.
func (w *Writer) Close() (Stats, error) {
	for _, t := range w.threads {
		if w.opt.Dump || t.block.Size() > 0 {
			t.flush()
		}
	}
	return w.result(w.to.End(w.clock.now))
}

func (w *Writer) result(err error) (Stats, error) {
	w.stats.DataBytes, w.stats.IndexBytes = w.to.DataSize(), w.to.IndexSize()
	return w.stats, cmp.Or(w.err, err)
}

// Crash stops like a program that is killed: the contents of the buffers are lost, and neither
// file gets its end. With half, half of the largest buffer still reaches the data file, as a
// block without end, and no cell reaches the index.
func (w *Writer) Crash(half bool) (Stats, error) {
	var largest *Thread
	for _, t := range w.threads {
		if largest == nil || t.block.Size() > largest.block.Size() {
			largest = t
		}
	}
	if half && largest != nil {
		w.to.Cut(&largest.block)
	}
	return w.result(w.to.Stop())
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Reference writes a reference object with the given kind and id.
func (t *Thread) Reference(kind format.Kind, id int32, o Reference) {
	if !t.encode(o.Append(t.w.object[:0], t.w.opt.Version)) {
		return
	}
	t.w.stats.References++
	t.block.Reference(t.w.object, t.w.opt.Version)
}

// Point writes a leaf or the header of a container.
func (t *Thread) Point(p *format.Point) {
	if !t.encode(p.Append(t.w.object[:0], t.w.opt.Version)) {
		return
	}
	t.w.stats.Points++
	data := append(t.block.Bytes(), t.w.object...)
	if p.Class.Container() {
		start := t.block.Header(data)
		t.open = append(t.open, opened{class: p.Class, event: p.Event, start: start, began: t.tick()})
		return
	}
	t.block.Leaf(data)
	t.maybeFlush()
}

// Footer writes the footer of the innermost container.
func (t *Thread) Footer(f *format.Footer) {
	if len(t.open) == 0 {
		t.w.fail(fmt.Errorf("thread %d: a footer without a header", t.block.Thread))
		return
	}
	in := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	if !t.encode(f.Append(t.w.object[:0], t.w.opt.Version, in.class)) {
		return
	}
	if in.class == format.ClassCall {
		t.w.stats.Calls++
	}
	t.w.stats.Containers++
	now := t.tick()
	t.block.Footer(append(t.block.Bytes(), t.w.object...), in.start,
		format.TimeCell{ID: in.event, Start: in.began, Duration: now - in.began})
	t.maybeFlush()
}

// Done writes a thread's remaining objects and forgets the thread, to free its memory. The
// caller must not use t afterwards.
func (w *Writer) Done(t *Thread) {
	t.flush()
	delete(w.byID, t.block.Thread)
	if i := slices.Index(w.threads, t); i >= 0 {
		w.threads = slices.Delete(w.threads, i, i+1)
	}
}

// Flush ends the thread's block, which may be empty.
func (t *Thread) Flush() { t.flush() }

func (t *Thread) maybeFlush() {
	if t.block.Size() > t.w.flushAt && !t.w.opt.Dump && !t.w.opt.Manual {
		t.flush()
	}
}

// encode takes an encoded object, and makes room for it: if it would exceed the size of the
// buffer, the buffer's contents become a block.
func (t *Thread) encode(object []byte, err error) bool {
	if err != nil {
		t.w.fail(err)
		return false
	}
	t.w.object = object
	o, size := &t.w.opt, t.block.Size()
	if size > 0 && size+len(object) > o.BlockSize && !o.Dump && !o.Manual && (!t.block.EndsWithHeader() || o.SplitAfterHeader) {
		t.flush()
	}
	return true
}

func (t *Thread) flush() {
	t.w.stats.Blocks++
	t.w.to.Flush(&t.block)
	t.w.err = cmp.Or(t.w.err, t.w.to.Err())
}

// Anchor is the wall clock from which all generated times count.
var Anchor = time.Date(2026, 5, 4, 3, 2, 1, 987654321, time.UTC)

// clock is shared by all threads of a writer. Each header and each footer takes some time,
// mostly little. The clock does not depend on the seed, and only times depend on the clock.
type clock struct {
	now  int64 // ns since Anchor
	seed uint64
}

func (c *clock) tick() int64 {
	c.seed = c.seed*6364136223846793005 + 1442695040888963407
	step := int64(c.seed >> 55) // to 511 ns
	if c.seed>>48&0x7f == 0 {
		step <<= 10
	}
	c.now += step
	return c.now
}

// tick moves the clock for a header or a footer of t and returns the time.
func (t *Thread) tick() int64 {
	now := t.w.clock.tick()
	t.block.Touch(now)
	return now
}
