package tracefile

import (
	"slices"
	"sort"

	"tracex/format"
)

// Block collects the objects of one thread since its last block, with their index cells and times,
// until [Writer.Flush] writes them. Callers append encoded objects to the result of [Block.Bytes]:
//
//	content := b.Header(p.Append(b.Bytes(), v))
//	…
//	b.Footer(f.Append(b.Bytes(), v, class), content, time)
//
// Offsets are logical: content bytes of the thread, over all its blocks.
type Block struct {
	Thread int32
	// Name is written, if Named, as a THREAD_NAME at the end of the thread, and at the end of a
	// block that would otherwise end with the header of a container: Lincheck's reader refuses
	// that. It may be "".
	Name  string
	Named bool
	// Early writes the name at the end of the first block rather than at the end of the thread:
	// a reader of a trace that still grows then knows it.
	Early bool
	// Untimed: the times of containers are not known.
	Untimed bool

	data    []byte
	cells   []byte
	times   []format.TimeCell
	refs    []int // indexes in cells of the reference objects
	logical int64 // bytes of objects in earlier blocks
	header  bool  // the last object is a header
	told    bool  // the name is written
	span    span
}

// span is the time from the first header or footer of a block to its last, in ns
// since the anchor.
type span struct {
	from, to int64
	known    bool
}

// Bytes returns the objects collected, for appending.
func (b *Block) Bytes() []byte { return b.data }

// Size returns the size of the objects collected, in bytes.
func (b *Block) Size() int { return len(b.data) }

// Next returns the logical offset of the next object.
func (b *Block) Next() int64 { return b.logical + int64(len(b.data)) }

// EndsWithHeader reports whether the last object is the header of a container.
func (b *Block) EndsWithHeader() bool { return b.header }

// Touch notes the time of a header or a footer, in ns since the anchor.
func (b *Block) Touch(ns int64) {
	switch {
	case b.span.known:
		b.span.from, b.span.to = min(b.span.from, ns), max(b.span.to, ns)
	case !b.Untimed:
		b.span = span{ns, ns, true}
	}
}

// Open is a container whose footer is not there yet.
type Open struct {
	Start   int64 // ns since the anchor
	Content int64 // logical offset of its first content byte
	Event   int32
}

// Begin is Header for a container that begins at a time, in ns since the anchor.
func (b *Block) Begin(data []byte, event int32, ns int64) Open {
	b.Touch(ns)
	return Open{ns, b.Header(data), event}
}

// End is Footer for a container that ends at a time.
func (b *Block) End(data []byte, o *Open, ns int64) {
	b.Touch(ns)
	t := b.Time(o, ns)
	b.cell(format.Cell{Kind: format.KindTracePoint, ID: o.Event, Start: o.Content, End: b.Next()}, t)
	b.data, b.header = data, false
}

// Time returns the time of a container that ends at ns.
func (b *Block) Time(o *Open, ns int64) format.TimeCell {
	if b.Untimed {
		return format.TimeCell{ID: o.Event, Duration: format.NoDuration}
	}
	return format.TimeCell{ID: o.Event, Start: o.Start, Duration: max(0, ns-o.Start)}
}

// Header takes data, which is Bytes with the header of a container appended, and returns the
// logical offset of the container's content.
func (b *Block) Header(data []byte) (content int64) {
	b.data, b.header = data, true
	return b.Next()
}

// Leaf takes data, which is Bytes with a leaf appended.
func (b *Block) Leaf(data []byte) { b.data, b.header = data, false }

// Footer takes data, which is Bytes with the footer of a container appended. The container's
// content began at start. t is the time of the container, with its event as ID.
func (b *Block) Footer(data []byte, start int64, t format.TimeCell) {
	b.Container(start, b.Next(), t)
	b.data, b.header = data, false
}

// Container is Footer for a container whose footer begins at the logical offset end: the footer itself is
// in the data that Header, Leaf or Footer takes next.
func (b *Block) Container(start, end int64, t format.TimeCell) {
	b.cell(format.Cell{Kind: format.KindTracePoint, ID: t.ID, Start: start, End: end}, t)
}

// Reference appends a reference object.
func (b *Block) Reference(object []byte, v format.Version) {
	c := format.Cell{Kind: format.Kind(object[format.KindAt]), ID: v.ReferenceID(object), Start: int64(len(b.data))}
	b.refs = append(b.refs, len(b.cells))
	b.cell(c, format.TimeCell{ID: c.ID, Duration: format.NoDuration})
	b.data, b.header = append(b.data, object...), false
}

// Replacement is new content for a part of the objects collected.
type Replacement struct {
	At, Size int // of the part, in the result of Bytes
	With     []byte
}

// Replace replaces parts of the objects, which are in order and do not overlap. Each is within one
// object. It moves what follows: moved returns the logical offset at which is now what was at
// another one, which is not within a part.
func (b *Block) Replace(parts []Replacement) (moved func(logical int64) int64) {
	data := make([]byte, 0, len(b.data)+16*len(parts))
	ends := make([]int64, len(parts))   // logical, before
	shifts := make([]int64, len(parts)) // of what follows
	from := 0
	for i, p := range parts {
		data = append(append(data, b.data[from:p.At]...), p.With...)
		from = p.At + p.Size
		ends[i], shifts[i] = b.logical+int64(from), int64(len(data)-from)
	}
	b.data = append(data, b.data[from:]...)
	moved = func(logical int64) int64 {
		i := sort.Search(len(ends), func(i int) bool { return ends[i] > logical })
		if i == 0 {
			return logical
		}
		return logical + shifts[i-1]
	}
	for at := 0; at < len(b.cells); at += format.CellSize {
		c := format.DecodeCell(b.cells[at:])
		if c.Kind == format.KindTracePoint {
			c.Start, c.End = moved(c.Start), moved(c.End)
		} else {
			c.Start = moved(c.Start+b.logical) - b.logical
		}
		c.Put(b.cells[at:])
	}
	return moved
}

// cell adds an index cell with its time.
func (b *Block) cell(c format.Cell, t format.TimeCell) {
	n := len(b.cells)
	if n+format.CellSize > cap(b.cells) {
		b.cells = slices.Grow(b.cells, format.CellSize)
	}
	b.cells = b.cells[:n+format.CellSize]
	c.Put(b.cells[n:])
	b.times = append(b.times, t)
}

// name appends the thread's name, unless it is too long for the format.
func (b *Block) name(v format.Version) {
	b.told = true
	n := format.ThreadName{Thread: b.Thread, Name: b.Name}
	if object, err := n.Append(nil, v); err == nil {
		b.Reference(object, v)
	}
}

// time returns the time of the block.
func (b *Block) time() format.TimeCell {
	if !b.span.known {
		return format.TimeCell{ID: b.Thread, Duration: format.NoDuration}
	}
	return format.TimeCell{ID: b.Thread, Start: b.span.from, Duration: b.span.to - b.span.from}
}

// Resume makes b, which is new, continue a thread of a trace that was begun before: next is the
// logical offset of its next object, and its name is written already.
func (b *Block) Resume(next int64) { b.logical, b.told = next, true }

// Reuse gives b, which has no objects, the memory of a block whose objects are written, and which
// is not used any more.
func (b *Block) Reuse(from *Block) {
	b.data, b.cells, b.times, b.refs = from.data[:0], from.cells[:0], from.times[:0], from.refs[:0]
	from.Free()
}

// Free releases the memory of a block whose objects are written. The thread may continue.
func (b *Block) Free() { b.data, b.cells, b.times, b.refs = nil, nil, nil, nil }

// begin empties the block for the next one of the thread.
func (b *Block) begin() {
	b.data, b.cells, b.times, b.refs = b.data[:0], b.cells[:0], b.times[:0], b.refs[:0]
	b.header, b.span = false, span{}
}
