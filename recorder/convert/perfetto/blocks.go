package perfetto

import (
	"math"
	"time"

	"tracex/format"
)

// blocks writes threads as blocks, in the order of a streaming writer: see
// package format.
type blocks struct {
	version            format.Version // that is written
	void               []byte         // the footer of a call that returned nothing
	data, index, times file
	origin             int64 // ns: what times count from
	events             int64 // that have numbers
	held               int   // bytes of blocks that are gathered
	blockSize          int
	progress           func(int64)
	observe            observer // nil but in tests
}

// observer is told what is written, before it is encoded.
type observer interface {
	began(t *thread, event int32, r *record)
	ended(t *thread, o *open, end int64)
}

// thread is one thread of the trace that is being written.
type thread struct {
	id      int32
	name    string
	block   []byte // objects of the block that is being gathered
	cells   []byte // of the index
	times   []byte
	refs    []int // positions in cells of those of reference objects
	counted int   // bytes of block that blocks knows of
	logical int64 // bytes of objects in earlier blocks
	header  bool  // the last object is a header
	timed   bool  // from and to are known
	from    int64 // ns: first header or footer of the block
	to      int64 // and last
	stack   []open
	known   []int // positions in stack of slices whose ends are known
	soonest int64 // the first of these ends, or earlier
	buried  int   // slices in it that had no room on the stack
	lane    lane
}

// open is a slice that has begun and is not written to its end.
type open struct {
	start, duration int64 // ns; a duration < 0 is not known yet
	at              int64 // logical position of its first content byte
	event           int32
	category, name  int32
	result          []byte
}

// newBlocks begins the three files. wall is the wall clock at origin.
func newBlocks(v format.Version, to Output, origin int64, wall time.Time) *blocks {
	b := &blocks{version: v, void: voidFooter(v), data: file{to: to.Data}, index: file{to: to.Index}, times: file{to: to.Times}, origin: origin}
	b.data.write(format.AppendDataHeader(nil, v))
	b.index.write(format.AppendIndexHeader(nil, v))
	b.times.write(format.AppendTimesHeader(nil, wall))
	return b
}

// reference adds a reference object.
func (b *blocks) reference(t *thread, object []byte) {
	kind := format.Kind(object[0])
	t.refs = append(t.refs, len(t.cells))
	c := format.Cell{Kind: kind, ID: b.version.ReferenceID(object), Start: int64(len(t.block))}
	t.cells = c.Append(t.cells)
	t.times = format.TimeCell{ID: c.ID, Duration: format.NoDuration}.Append(t.times)
	t.block = append(t.block, object...)
	t.header = false
}

// touch notes that a header or a footer stands at a time.
func (t *thread) touch(ns int64) {
	if !t.timed {
		t.timed, t.from, t.to = true, ns, ns
	}
	t.from, t.to = min(t.from, ns), max(t.to, ns)
}

// push begins a call.
func (b *blocks) push(t *thread, time, duration int64, r *record) error {
	if b.events > math.MaxInt32 {
		return errNumbers
	}
	event := int32(b.events)
	b.events++
	location := int32(-1)
	if r.place {
		location = r.location
	}
	t.block = b.version.AppendCall(t.block, location, t.id, event, r.method, r.arguments, r.values)
	t.header = true
	t.touch(time)
	t.stack = append(t.stack, open{start: time, duration: duration, at: t.logical + int64(len(t.block)),
		event: event, category: r.category, name: r.name})
	if b.observe != nil {
		b.observe.began(t, event, r)
	}
	return nil
}

// voidFooter is that of a call that returned nothing.
func voidFooter(v format.Version) []byte {
	f := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
	footer, err := f.Append(nil, v, format.ClassCall)
	if err != nil {
		panic(err) // a bug of ours
	}
	return footer
}

// pop ends the innermost call of a thread at a time.
func (b *blocks) pop(t *thread, end int64) {
	o := &t.stack[len(t.stack)-1]
	at := len(t.block)
	switch {
	case o.duration < 0:
		f := format.Unfinished(format.ClassCall)
		t.block, _ = f.Append(t.block, b.version, format.ClassCall) // cannot fail: its text is short
	case len(o.result) > 0:
		f := format.Footer{Result: format.Value{Kind: format.ValueRawString, Text: string(o.result)}}
		unquoted(&f.Result, b.version)
		var err error
		if t.block, err = f.Append(t.block, b.version, format.ClassCall); err != nil {
			t.block = append(t.block[:at], b.void...) // cannot be: texts are cut
		}
	default:
		t.block = append(t.block, b.void...)
	}
	t.header = false
	t.cells = format.Cell{Kind: format.KindTracePoint, ID: o.event, Start: o.at, End: t.logical + int64(at)}.Append(t.cells)
	t.times = format.TimeCell{ID: o.event, Start: o.start - b.origin, Duration: max(0, end-o.start)}.Append(t.times)
	t.touch(end)
	if b.observe != nil {
		b.observe.ended(t, o, end)
	}
	t.stack = t.stack[:len(t.stack)-1]
}

// leaf adds the value of a counter.
func (b *blocks) leaf(t *thread, r *record) error {
	if b.events > math.MaxInt32 {
		return errNumbers
	}
	p := format.Point{Class: format.ClassVariableWrite, Diff: format.DiffNone, Location: -1,
		Thread: t.id, Event: int32(b.events), Ref: r.variable, Value: long(int64(r.bits))}
	if r.kind == recordDouble {
		p.Value = double(r.bits)
	}
	b.events++
	var err error
	t.block, err = p.Append(t.block, b.version)
	t.header = false
	return err
}

// due writes what is gathered of a thread when it makes a block, or of all
// threads when it is too much.
func (b *blocks) due(t *thread, threads []*thread) {
	b.held += len(t.block) - t.counted
	t.counted = len(t.block)
	if len(t.block) >= b.blockSize {
		b.flush(t)
	}
	if b.held >= blockBudget {
		for _, t := range threads {
			b.flush(t)
		}
	}
}

// flush writes what is gathered of a thread as a block.
func (b *blocks) flush(t *thread) {
	if len(t.block) == 0 {
		return
	}
	b.held -= t.counted
	t.counted = 0
	if t.header {
		// Lincheck's reader refuses a trace in which nothing stands behind a
		// container's header in its block.
		b.nameThread(t)
	}
	b.data.write(format.AppendBlockHead(nil, t.id))
	base := b.data.size
	b.data.write(t.block)
	cell := format.Cell{Kind: format.KindBlockStart, ID: t.id, Start: base - format.BlockHeadSize, End: b.data.size}
	b.data.write([]byte{byte(format.KindBlockEnd)})
	for _, at := range t.refs {
		c := format.DecodeCell(t.cells[at:])
		c.Start, c.End = c.Start+base, format.ReferenceEnd(base, t.logical)
		c.Append(t.cells[:at])
	}
	b.index.write(cell.Append(nil))
	b.index.write(t.cells)
	b.times.write(b.blockTime(t).Append(nil))
	b.times.write(t.times)
	t.logical += int64(len(t.block))
	t.block, t.cells, t.times, t.refs = t.block[:0], t.cells[:0], t.times[:0], t.refs[:0]
	t.timed = false
	if b.progress != nil {
		b.progress(b.data.size)
	}
}

func (b *blocks) blockTime(t *thread) format.TimeCell {
	if !t.timed {
		return format.TimeCell{ID: t.id, Duration: format.NoDuration}
	}
	return format.TimeCell{ID: t.id, Start: t.from - b.origin, Duration: t.to - t.from}
}

// nameThread adds the thread's name.
func (b *blocks) nameThread(t *thread) {
	name := format.ThreadName{Thread: t.id, Name: t.name}
	object, err := name.Append(nil, b.version)
	if err == nil { // names are cut
		b.reference(t, object)
	}
}

// end writes the last block of a thread.
func (b *blocks) end(t *thread) {
	b.nameThread(t)
	b.flush(t)
	*t = thread{id: t.id, name: t.name}
}

// finish ends the files. last is the time of the recording's end.
func (b *blocks) finish(last int64) error {
	b.data.write([]byte{byte(format.KindEOF)})
	b.index.write(format.AppendIndexTail(nil, -1))
	b.times.write(format.TimeCell{ID: -1, Start: last - b.origin}.Append(nil))
	b.data.flush()
	b.index.flush()
	b.times.flush()
	return b.failed()
}

func (b *blocks) failed() error {
	for _, f := range []*file{&b.data, &b.index, &b.times} {
		if f.err != nil {
			return f.err
		}
	}
	return nil
}
