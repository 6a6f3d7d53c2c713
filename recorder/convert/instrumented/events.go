package instrumented

import (
	"encoding/binary"

	"tracex/format"
	"tracex/recorder/instrument/raw"
)

const (
	wordSize  = 4
	eventHead = 2 * wordSize // an event's word, and how far the counter advanced
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
	if kind == raw.EventTest {
		return p.test(s)
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

// time returns the time of an event of a thread.
func (p *process) time(t *thread, counter uint64) int64 {
	ns := max(p.clock.at(counter), t.last)
	t.last = ns
	p.last = max(p.last, ns)
	return ns
}

// flushDue counts what was added to a thread's block, and writes the block if it is large.
func (p *process) flushDue(t *thread) {
	if t != nil && t.begun {
		p.to.blocks.wrote(t)
	}
}
