package formattest

import (
	"fmt"
	"io"
	"slices"

	"tracex/format"
)

// What the reference's streaming writer uses, in bytes.
const (
	// DefaultBlockSize is the size of a thread's buffer.
	DefaultBlockSize = 1 << 20
	// flushBelow is the room left in a buffer under which it is flushed.
	flushBelow = 1 << 10
)

// Options say how a [Writer] lays out its files.
type Options struct {
	// Version is that of the format; 0 is version 22.
	Version format.Version
	// BlockSize is the size of each thread's buffer in bytes; 0 is
	// DefaultBlockSize. A size under 2 KiB is flushed when an eighth is left.
	BlockSize int
	// Dump writes as a collect-and-dump recorder does: one block per thread,
	// its index cell behind the cells of its objects. Threads stand in the
	// order in which they were made, and are held in memory whole.
	Dump bool
	// SplitAfterHeader lets a block end right behind the header of a
	// container, as the reference does when nesting alone fills a buffer.
	// Without it a buffer grows until something else can end the block.
	SplitAfterHeader bool
	// Manual ends blocks only where Flush is called.
	Manual bool
	// Times takes the file of times; nil: there is none.
	Times io.Writer
}

// Reference is a reference object, such as *format.ClassDescriptor.
type Reference interface {
	Append(dst []byte, v format.Version) ([]byte, error)
}

// ReferenceOf returns the reference object of a kind that ctx has by an id.
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

// Writer writes a data file and its index byte for byte as the reference's
// writers do. Its first failure sticks and is returned by Close, so that what
// feeds it needs to check nothing. One goroutine uses it at a time.
type Writer struct {
	data, index io.Writer
	opt         Options
	flushAt     int // bytes in a buffer at which it is flushed
	pos         int64
	base        int64 // first content byte of the last block
	stats       Stats
	threads     []*Thread
	byID        map[int32]*Thread
	scratch     []byte
	clock       clock
	err         error
}

// Stats counts what was written.
type Stats struct {
	Calls, Points, Containers, References, Blocks int64
	DataBytes, IndexBytes                         int64
}

// Thread writes the objects of one thread.
type Thread struct {
	w       *Writer
	id      int32
	buf     []byte
	cells   []format.Cell
	times   []format.TimeCell // of the cells
	block   span              // of the block that is not written yet
	logical int64             // bytes of earlier blocks
	open    []opened
	header  bool // the last object in buf is the header of a container
}

// opened is a container whose footer has not come yet.
type opened struct {
	class format.Class
	event int32
	start int64
	began int64 // on the clock
}

// NewWriter returns a Writer that writes the headers of both files at once.
func NewWriter(data, index io.Writer, opt Options) *Writer {
	if opt.BlockSize <= 0 {
		opt.BlockSize = DefaultBlockSize
	}
	if opt.Version == 0 {
		opt.Version = format.V22
	}
	w := &Writer{data: data, index: index, opt: opt, byID: make(map[int32]*Thread)}
	w.flushAt = opt.BlockSize - min(flushBelow, opt.BlockSize/8)
	w.writeData(format.AppendDataHeader(nil, opt.Version))
	w.writeIndex(format.AppendIndexHeader(nil, opt.Version))
	w.writeTimes(format.AppendTimesHeader(nil, Anchor))
	return w
}

// Thread returns the writer of the thread with this id, which it makes when it
// is asked for the first time.
func (w *Writer) Thread(id int32) *Thread {
	t := w.byID[id]
	if t == nil {
		t = &Thread{w: w, id: id}
		w.byID[id] = t
		w.threads = append(w.threads, t)
	}
	return t
}

// Close flushes all threads in the order in which they were made, except those
// that have nothing left in a streaming file, and ends both files.
func (w *Writer) Close() (Stats, error) {
	for _, t := range w.threads {
		if w.opt.Dump || len(t.buf) > 0 {
			t.flush()
		}
	}
	w.writeData([]byte{byte(format.KindEOF)})
	end := int64(-1)
	if w.opt.Dump {
		end = format.DumpEnd(w.base)
	}
	w.writeIndex(format.AppendIndexTail(nil, end))
	w.writeTimes(format.TimeCell{ID: -1, Start: w.clock.now}.Append(nil))
	return w.stats, w.err
}

// Crash stops as a program does that is killed: what the buffers hold is lost,
// neither file gets its end. With half, half of the largest buffer still
// reaches the data file, as a block without end, and no cell the index.
func (w *Writer) Crash(half bool) (Stats, error) {
	var largest *Thread
	for _, t := range w.threads {
		if largest == nil || len(t.buf) > len(largest.buf) {
			largest = t
		}
	}
	if half && largest != nil {
		w.writeData(format.AppendBlockHead(nil, largest.id))
		w.writeData(largest.buf[:len(largest.buf)/2])
	}
	return w.stats, w.err
}

func (w *Writer) writeData(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.data.Write(b)
	w.pos += int64(n)
	w.stats.DataBytes = w.pos
	w.err = err
}

func (w *Writer) writeIndex(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.index.Write(b)
	w.stats.IndexBytes += int64(n)
	w.err = err
}

func (w *Writer) writeTimes(b []byte) {
	if w.err == nil && w.opt.Times != nil {
		_, w.err = w.opt.Times.Write(b)
	}
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Reference writes a reference object. kind and id are its own.
func (t *Thread) Reference(kind format.Kind, id int32, o Reference) {
	at := len(t.buf)
	var err error
	if t.buf, err = o.Append(t.buf, t.w.opt.Version); err != nil {
		t.w.fail(err)
		return
	}
	at = t.overflow(at)
	t.header = false
	t.w.stats.References++
	t.cell(format.Cell{Kind: kind, ID: id, Start: t.logical + int64(at), End: -1}, span{}.time(id))
}

// Point writes a leaf or the header of a container.
func (t *Thread) Point(p *format.Point) {
	at := len(t.buf)
	var err error
	if t.buf, err = p.Append(t.buf, t.w.opt.Version); err != nil {
		t.w.fail(err)
		return
	}
	t.overflow(at)
	t.w.stats.Points++
	if p.Class.Container() {
		t.header = true
		t.open = append(t.open, opened{class: p.Class, event: p.Event, start: t.logical + int64(len(t.buf)), began: t.tick()})
		return
	}
	t.header = false
	t.maybeFlush()
}

// Footer writes the footer of the innermost container.
func (t *Thread) Footer(f *format.Footer) {
	if len(t.open) == 0 {
		t.w.fail(fmt.Errorf("thread %d: a footer without a header", t.id))
		return
	}
	in := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	at := len(t.buf)
	var err error
	if t.buf, err = f.Append(t.buf, t.w.opt.Version, in.class); err != nil {
		t.w.fail(err)
		return
	}
	at = t.overflow(at)
	t.header = false
	if in.class == format.ClassCall {
		t.w.stats.Calls++
	}
	t.w.stats.Containers++
	now := t.tick()
	t.cell(format.Cell{Kind: format.KindTracePoint, ID: in.event, Start: in.start, End: t.logical + int64(at)},
		format.TimeCell{ID: in.event, Start: in.began, Duration: now - in.began})
	t.maybeFlush()
}

// Done writes what a thread has left and forgets the thread: nothing more of it
// may come. It takes no memory then.
func (w *Writer) Done(t *Thread) {
	t.flush()
	delete(w.byID, t.id)
	if i := slices.Index(w.threads, t); i >= 0 {
		w.threads = slices.Delete(w.threads, i, i+1)
	}
}

// Flush ends the thread's block, which may be empty.
func (t *Thread) Flush() { t.flush() }

func (t *Thread) maybeFlush() {
	if len(t.buf) > t.w.flushAt && !t.w.opt.Dump && !t.w.opt.Manual {
		t.flush()
	}
}

// overflow makes room for the object at buf[at:] when it went over the size of
// the buffer: what stands before it becomes a block. It returns where the
// object stands now.
func (t *Thread) overflow(at int) int {
	o := &t.w.opt
	if len(t.buf) <= o.BlockSize || at == 0 || o.Dump || o.Manual || t.header && !o.SplitAfterHeader {
		return at
	}
	rest := append([]byte(nil), t.buf[at:]...)
	t.buf = t.buf[:at]
	t.flush()
	t.buf = append(t.buf, rest...)
	return 0
}

func (t *Thread) flush() {
	w := t.w
	block := format.Cell{Kind: format.KindBlockStart, ID: t.id, Start: w.pos}
	w.writeData(format.AppendBlockHead(nil, t.id))
	w.base = w.pos
	w.writeData(t.buf)
	block.End = w.pos
	w.writeData([]byte{byte(format.KindBlockEnd)})
	w.stats.Blocks++

	w.flushTimes(t)
	out := w.scratch[:0]
	if !w.opt.Dump {
		out = block.Append(out)
	}
	for _, c := range t.cells {
		if c.Kind != format.KindTracePoint {
			c.Start += w.base - t.logical
			c.End = format.ReferenceEnd(w.base, t.logical)
		}
		out = c.Append(out)
	}
	if w.opt.Dump {
		out = block.Append(out)
	}
	w.writeIndex(out)
	w.scratch = out
	t.logical += int64(len(t.buf))
	t.buf = t.buf[:0]
	t.cells = t.cells[:0]
	t.header = false
}
