package files

import (
	"fmt"
	"slices"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/values"
)

// draft is what can be made of a block before its position is known: the cells of the
// containers that end in it. Its positions are those of a block with nothing in front of the
// part; shift makes room for something.
type draft struct {
	clock   *clock.Clock // nil if no times are wanted
	layout  *values.Layout
	segment clock.Segment // the part of the clock's line that was used last

	before int64       // the thread's content bytes before the block
	had    []Container // scratch: the open containers that a part may change
	index  []byte      // cells
	times  []format.TimeCell
	tail   []byte // footers of what the thread left open
	span   span
	low    int   // levels of the stack that have not changed
	begun  int64 // containers that begin in the part
}

// span is the time from the first header or footer of a block to its last.
type span struct {
	from, to int64 // ns
	known    bool
}

// make drafts a block from a part. It fails if the marks cannot be those of one goroutine's
// calls; then s is unchanged.
func (d *draft) make(s *Stream, p buffers.Part, last bool) error {
	d.before, d.span.known = s.logical, false
	d.index, d.times, d.tail, d.begun = d.index[:0], d.times[:0], d.tail[:0], 0
	d.low = len(s.open)
	if n := len(p.Marks); n > 0 {
		d.index = slices.Grow(d.index, n*format.CellSize)
		d.times = slices.Grow(d.times, n)
		if d.clock != nil {
			d.read(s, p.Marks[0].Reading)
			d.span = span{from: s.latest, known: true}
		}
		latest, open := s.latest, len(s.open)
		changes := min(open, n)
		d.had = append(d.had[:0], s.open[open-changes:]...)
		if err := d.cells(s, p); err != nil {
			s.latest, s.open = latest, append(s.open[:open-changes], d.had...)
			return err
		}
		d.span.to = s.latest
	}
	s.logical += int64(len(p.Data))
	if last {
		d.close(s)
	}
	return nil
}

// cells makes the cells of the containers that end in a part. This is most of the cost of a
// call besides its recording. Most calls contain nothing with a mark: their header and footer
// are adjacent, and need no stack. A block appends the cells to an index, with its own and those
// of reference objects; write.go writes them to the file.
func (d *draft) cells(s *Stream, p buffers.Part) error {
	delta := s.logical - int64(p.First)
	after, end := p.First, p.First+len(p.Data)
	for i := 0; i < len(p.Marks); i++ {
		m := &p.Marks[i]
		pos, start := m.Pos(), m.End()
		if pos < after || start <= pos || start > end {
			return misplaced(p, i)
		}
		after = start
		if d.clock != nil {
			d.read(s, m.Reading)
		}
		object := p.Data[pos-p.First : start-p.First]
		if m.Footer() {
			if len(s.open) == 0 || object[0] != byte(format.KindFooter) {
				return misplaced(p, i)
			}
			d.pop(s, delta+int64(pos))
			continue
		}
		if len(object) < format.PointHeadSize || object[0] != byte(format.KindTracePoint) {
			return misplaced(p, i)
		}
		d.begun++
		class, event := d.layout.Class(object[format.PointClassAt]), format.EventOf(object)
		if class == format.ClassIteration && len(s.open) > 0 {
			s.open[len(s.open)-1].iterations++
			d.low = min(d.low, len(s.open)-1)
		}
		if i+1 == len(p.Marks) || !p.Marks[i+1].Footer() {
			s.push(class, event, delta+int64(start))
			continue
		}
		i++
		m = &p.Marks[i]
		if pos, after = m.Pos(), m.End(); pos < start || after <= pos || after > end || p.Data[pos-p.First] != byte(format.KindFooter) {
			return misplaced(p, i)
		}
		begun := s.latest
		if d.clock != nil {
			d.read(s, m.Reading)
		}
		d.add(event, delta+int64(start), delta+int64(pos), begun, s.latest)
	}
	return nil
}

// misplaced returns the error for a mark that cannot be that of a header or footer.
func misplaced(p buffers.Part, i int) error {
	m := &p.Marks[i]
	return fmt.Errorf("no header or footer can lie from %d to %d in bytes %d to %d", m.Pos(), m.End(), p.First, p.First+len(p.Data))
}

// read notes when a header or footer was recorded. A thread's times never decrease, even if
// the counter of another core is late.
func (d *draft) read(s *Stream, reading uint64) {
	if !d.segment.Has(reading) {
		d.segment = d.clock.Around(reading)
	}
	s.latest = max(s.latest, d.segment.At(reading))
}

// pop adds the cells of the innermost container, whose footer is at end.
func (d *draft) pop(s *Stream, end int64) {
	last := len(s.open) - 1
	c := &s.open[last]
	s.open = s.open[:last]
	d.low = min(d.low, last)
	d.add(c.event, c.start, end, c.ns, s.latest)
}

// add adds the cells of a container. There is room for them.
func (d *draft) add(event int32, start, end, begun, ended int64) {
	at := len(d.index)
	d.index = d.index[:at+format.CellSize]
	format.Cell{Kind: format.KindTracePoint, ID: event, Start: start, End: end}.Put(d.index[at:])
	if d.clock != nil {
		d.times = append(d.times, format.TimeCell{ID: event, Start: begun, Duration: ended - begun})
	}
}

// close adds footers for everything open.
func (d *draft) close(s *Stream) {
	n := len(s.open)
	if n == 0 {
		return
	}
	if d.clock != nil {
		d.read(s, s.Ended)
		if d.span.to = s.latest; !d.span.known {
			d.span.from, d.span.known = s.latest, true
		}
	}
	d.index = slices.Grow(d.index, n*format.CellSize)
	d.times = slices.Grow(d.times, n)
	for ; n > 0; n-- {
		at := len(d.tail)
		c := &s.open[n-1]
		footer := format.Unfinished(c.class)
		footer.Iterations = c.iterations
		var err error
		if d.tail, err = footer.Append(d.tail, d.layout.Version, c.class); err != nil {
			return // impossible: c is a container
		}
		d.pop(s, s.logical)
		s.logical += int64(len(d.tail) - at)
	}
}

// shift moves the content of the block by n bytes that are put in front of it.
func (d *draft) shift(s *Stream, n int64) {
	if n == 0 {
		return
	}
	moved := func(start int64) int64 {
		if start >= d.before {
			start += n
		}
		return start
	}
	for at := 0; at < len(d.index); at += format.CellSize {
		c := format.DecodeCell(d.index[at:])
		c.Start, c.End = moved(c.Start), c.End+n
		c.Put(d.index[at:])
	}
	for i := range s.open {
		s.open[i].start = moved(s.open[i].start)
	}
	s.logical += n
}

// block is a block that is being added to the bytes for the files. It has
//
//	BLOCK_START, thread id
//	the reference objects that were registered since the last block of any thread
//	the thread's name, if it is the thread's first block: so a reader of a growing trace, or
//	    of a killed program's trace, knows it from the first call on
//	parts: what the thread published; more than one in a dump
//	the name again, if a container's header would be last: Lincheck's reader refuses a
//	    trace in which nothing follows it in the block
//	footers of what is open, if it is the thread's last block
//	BLOCK_END
//
// The thread's lock and the files' mu are held.
type block struct {
	to      *fileWriters
	version format.Version
	s       *Stream
	dump    bool
	start   int64 // position of BLOCK_START
	after   int64 // position after BLOCK_END; 0 if it has none yet
	base    int64 // of its first content byte
	before  int64 // the thread's content bytes in earlier blocks
	cell    int   // position of the block's cell in the index buffer
	span    span
}

// open reports whether there is a block without an end: other parts of its thread follow.
func (b *block) open() bool { return b.s != nil && b.after == 0 }

// cut reports whether a position is inside the block, if there is one, with or without an end.
func (b *block) cut(at int64) bool {
	return b.s != nil && b.start < at && (at < b.after || b.after == 0)
}

func (b *block) add(c format.Cell, s span) {
	b.to.index.buf = c.Append(b.to.index.buf)
	if b.to.times.to != nil {
		b.to.cells = append(b.to.cells, s.cell(c.ID))
	}
}

// cell returns the time cell of a block or a reference object.
func (s span) cell(id int32) format.TimeCell {
	if !s.known {
		return format.TimeCell{ID: id, Duration: format.NoDuration}
	}
	return format.TimeCell{ID: id, Start: s.from, Duration: s.to - s.from}
}

// reference adds the cell of a reference object at a physical position.
func (b *block) reference(kind format.Kind, id int32, at int64) {
	b.add(format.Cell{Kind: kind, ID: id, Start: at, End: format.ReferenceEnd(b.base, b.before)}, span{})
}

// part adds what a thread recorded, as drafted.
func (b *block) part(p buffers.Part, d *draft) {
	f := b.to
	f.data.buf = append(append(f.data.buf, p.Data...), d.tail...)
	f.index.buf = append(f.index.buf, d.index...)
	f.cells = append(f.cells, d.times...)
	if d.span.known {
		if !b.span.known {
			b.span = d.span
		}
		b.span.to = d.span.to
	}
}

func (b *block) name() {
	data := &b.to.data
	b.reference(format.KindThreadName, b.s.ID, data.size())
	name := format.ThreadName{Thread: b.s.ID, Name: values.Shorten(b.s.Name, values.MaxText)}
	data.buf, _ = name.Append(data.buf, b.version) // MaxText characters are never too long
}

// nameAgain adds the thread's name after the other content of the block.
func (b *block) nameAgain() {
	at := len(b.to.data.buf)
	b.name()
	b.s.logical += int64(len(b.to.data.buf) - at)
}

// end ends the block and sets its cells: a streaming writer puts them before those of the
// block's objects, a dump writer after them.
func (b *block) end() {
	f := b.to
	end := f.data.size()
	f.data.buf = append(f.data.buf, byte(format.KindBlockEnd))
	b.after = f.data.size()
	if b.dump {
		b.add(b.ending(end), b.span)
		return
	}
	b.ending(end).Append(f.index.buf[:b.cell]) // in the reserved room
	if f.times.to != nil {
		f.cells[0] = b.span.cell(b.s.ID)
	}
}

// ending returns the cell of the block if its BLOCK_END is at end.
func (b *block) ending(end int64) format.Cell {
	return format.Cell{Kind: format.KindBlockStart, ID: b.s.ID, Start: b.start, End: end}
}
