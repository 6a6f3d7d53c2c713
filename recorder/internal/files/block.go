package files

import (
	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/values"
)

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
	time    int   // position of its time in the times buffer
	span    span
}

// begin starts a block with the pending objects of the registry, which shift the draft.
func (f *Files) begin(s *Stream, d *draft) {
	f.current = block{to: &f.fileWriters, version: f.Layout.Version, s: s, dump: f.Dump, start: f.data.size(), before: d.before, cell: len(f.index.buf), time: len(f.times.buf)}
	b := &f.current
	f.data.buf = format.AppendBlockHead(f.data.buf, s.ID)
	b.base = f.data.size()
	f.last = b.base
	if !f.Dump {
		b.add(format.Cell{}, span{}) // reserved
	}
	s.blocks++
	at := len(f.data.buf)
	f.data.buf, f.refs = f.Registry.Take(f.data.buf, f.refs[:0])
	for _, c := range f.refs {
		b.reference(c.Kind, c.ID, b.base+c.Start)
	}
	if s.blocks == 1 {
		b.name()
	}
	d.shift(s, int64(len(f.data.buf)-at))
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
		b.to.times.buf = s.cell(c.ID).Append(b.to.times.buf)
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
	f.times.buf = append(f.times.buf, d.times...)
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
		b.span.cell(b.s.ID).Append(f.times.buf[:b.time])
	}
}

// ending returns the cell of the block if its BLOCK_END is at end.
func (b *block) ending(end int64) format.Cell {
	return format.Cell{Kind: format.KindBlockStart, ID: b.s.ID, Start: b.start, End: end}
}
