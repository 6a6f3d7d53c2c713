package instrumented

import (
	"context"
	"encoding/binary"
	"slices"

	"tracex/format"
	"tracex/recorder/instrument/raw"
)

// convert converts the events at the beginning of data, which is the rest of a stream's chunk.
// It returns the size of the whole events, and whether the chunk has no more. seen is as
// [raw.Window.Read] returns it.
func (p *process) convert(s *stream, data, seen []byte) (read int, whole bool) {
	le := binary.LittleEndian
	e := &p.encoder
	e.c, p.looked = raw.Cursor{B: data}, 0
	for p.to.err == nil {
		p.calls(s, seen)
		if p.to.err != nil {
			break
		}
		at := e.c.At
		if len(data)-at < wordSize || le.Uint32(seen[at:]) == 0 {
			break
		}
		word := le.Uint32(data[at:])
		kind, id := word&(1<<raw.EventBits-1), word>>raw.EventBits
		if kind == raw.EventNext {
			p.flushDue(s.t)
			return at, true
		}
		if len(data)-at < eventHead {
			e.c.Bad = true
		} else {
			e.c.At = at + eventHead
			known := p.event(s, kind, id, s.counter+uint64(le.Uint32(data[at+wordSize:])))
			if p.to.err != nil {
				return at, false
			}
			e.c.Align(wordSize)
			e.c.Bad = e.c.Bad || !known || e.c.At > (len(data)+3)&^3
		}
		if e.c.Bad {
			p.flushDue(s.t)
			if cut := int64(s.at)+int64(len(data)) < int64(s.chunk.Size); cut && !p.ended {
				return at, false // the file may still grow
			}
			p.problem(p.file.Fault(s.chunk.Offset+int64(s.at+at), "a damaged event of kind %d: the rest of its chunk of %d bytes is left out", kind, s.chunk.Size))
			return at, true
		}
	}
	p.flushDue(s.t)
	return e.c.At, false
}

// event converts an event after its head. It reports false, and changes nothing, if the event
// cannot be read.
func (p *process) event(s *stream, kind, id uint32, counter uint64) bool {
	e := &p.encoder
	switch kind {
	case raw.EventGoroutine, raw.EventAgain:
		return p.goroutine(s, kind == raw.EventAgain)
	case raw.EventSync:
		if counter = e.c.U64(); e.c.Bad {
			return false
		}
		s.counter = counter
		return true
	}
	switch kind {
	case raw.EventTest:
		return p.test(s)
	case raw.EventWait, raw.EventWaited:
		return s.waits(p, kind == raw.EventWaited, id, counter)
	}
	f := p.program.function(id)
	if f == nil || kind == 0 || kind > raw.EventMost || f.method == none && kind != raw.EventGo {
		return false
	}
	t := s.t
	if t == nil { // the event that names the goroutine is missing
		t = &thread{p: p}
		s.t = t
	}
	t.endWait(counter)
	var ok bool
	switch kind {
	case raw.EventEnter: // see process.calls
	case raw.EventGo:
		if f.Flags&raw.FunctionGo == 0 {
			return false
		}
		if ok = p.goStatement(t, f, counter); ok {
			p.told.Statements++
		}
	case raw.EventThrow:
		if ok = p.thrown(t, format.ClassThrow); ok {
			p.told.Thrown++
		}
	case raw.EventCatch:
		if ok = p.thrown(t, format.ClassCatch); ok {
			p.told.Caught++
		}
	default:
		ok = p.leave(t, f, kind, counter)
	}
	if ok {
		s.counter, t.counter = counter, counter
	}
	return ok
}

// flushDue counts what was added to a thread's block, and writes the block if it is large.
func (p *process) flushDue(t *thread) {
	if t != nil && t.begun {
		p.to.blocks.wrote(t)
	}
}

func (u unfull) stale() bool { return !u.s.unfull || u.s.chunk.Offset != u.offset }

// poll converts what was added to the chunks that were not full.
func (p *process) poll(ctx context.Context) error {
	p.compact()
	list := p.open
	for len(list) > 0 && p.to.err == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := p.together(list)
		if err != nil {
			return err
		}
		for _, u := range list[:n] {
			if err := p.readOn(u.s, p.late); err != nil {
				return err
			}
		}
		list = list[n:]
	}
	p.compact()
	return nil
}

// compact removes the chunks that are full.
func (p *process) compact() {
	p.open = slices.DeleteFunc(p.open, unfull.stale)
	p.compacted = len(p.open)
}

// together reads the rests of neighbouring chunks at once, and returns how many chunks.
func (p *process) together(list []unfull) (n int, err error) {
	const most, gap = readSize, 16 << 10
	from, end := list[0].s.rest()
	for n = 1; n < len(list); n++ {
		start, next := list[n].s.rest()
		if start < end || start-end > gap || next-from > most {
			break
		}
		end = next
	}
	return n, p.late.Fill(from, int(end-from))
}

// rest returns where the rest of the stream's chunk begins and ends in the file.
func (s *stream) rest() (from, end int64) { return s.chunk.Offset + int64(s.at), s.chunk.End() }

// readOn converts what was added to a stream's chunk.
func (p *process) readOn(s *stream, w *raw.Window) error {
	data, seen, err := w.Read(s.chunk.Offset+int64(s.at), s.chunk.Size-s.at)
	if err != nil {
		return err
	}
	read, whole := p.convert(s, data, seen)
	s.at += read
	s.late = true
	if whole || s.at >= s.chunk.Size {
		p.full(s)
	}
	return nil
}

// full notes that a stream's chunk gets no more events.
func (p *process) full(s *stream) {
	s.unfull = false
	left := s.chunk.LeftOut
	if s.late { // it may have grown
		left = p.file.LeftOut(&s.chunk)
	}
	p.told.LeftOut += int64(left)
}

// events converts a chunk.
func (p *process) events(chunk raw.Chunk) error {
	s := p.streams[chunk.Stream]
	if s == nil {
		s = &stream{g: chunk.Stream}
		p.streams[chunk.Stream] = s
	}
	if s.unfull { // there is a next chunk, so the current one is complete
		if !p.ended {
			from, end := s.rest()
			if err := p.late.Fill(from, int(end-from)); err != nil {
				return err
			}
			if err := p.readOn(s, p.late); err != nil {
				return err
			}
		}
		if s.unfull {
			p.full(s)
		}
	}
	p.follow(s, &chunk)
	s.chunk, s.at, s.counter, s.unfull, s.late = chunk, raw.ChunkHead, chunk.Counter, true, false
	data, seen, err := p.chunks.Read(chunk.Offset+raw.ChunkHead, chunk.Size-raw.ChunkHead)
	if err != nil {
		return err
	}
	p.to.read += int64(chunk.Size)
	read, whole := p.convert(s, data, seen)
	if s.at += read; whole || s.at >= chunk.Size {
		p.full(s)
	} else {
		if len(p.open) > 2*p.compacted+1024 {
			p.compact()
		}
		p.open = append(p.open, unfull{s, chunk.Offset})
	}
	return nil
}
