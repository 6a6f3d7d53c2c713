package formattest

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"tracex/format"
	"tracex/format/tracefile"
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
	to      *tracefile.Writer
	opt     Options
	flushAt int // bytes in a buffer at which it is flushed
	stats   Stats
	threads []*Thread
	byID    map[int32]*Thread
	object  []byte // room for the one at hand
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
	w := &Writer{opt: opt, byID: make(map[int32]*Thread)}
	w.flushAt = opt.BlockSize - min(flushBelow, opt.BlockSize/8)
	w.to = tracefile.NewWriter(opt.Version, tracefile.Output{Data: data, Index: index, Times: opt.Times}, Anchor)
	w.to.Dump = opt.Dump
	return w
}

// Thread returns the writer of the thread with this id, which it makes when it
// is asked for the first time.
func (w *Writer) Thread(id int32) *Thread {
	t := w.byID[id]
	if t == nil {
		t = &Thread{w: w, block: tracefile.Block{Thread: id}}
		w.byID[id] = t
		w.threads = append(w.threads, t)
	}
	return t
}

// Close flushes all threads in the order in which they were made, except those
// that have nothing left in a streaming file, and ends both files.
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

// Crash stops as a program does that is killed: what the buffers hold is lost,
// neither file gets its end. With half, half of the largest buffer still
// reaches the data file, as a block without end, and no cell the index.
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

// Reference writes a reference object. kind and id are its own.
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

// Done writes what a thread has left and forgets the thread: nothing more of it
// may come. It takes no memory then.
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

// encode takes an object that was encoded, and makes room for it: if it would go over
// the size of the buffer, what is in that becomes a block.
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
