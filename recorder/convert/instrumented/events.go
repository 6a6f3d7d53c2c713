package instrumented

import (
	"encoding/binary"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

const (
	wordSize  = 4
	eventHead = 2 * wordSize // an event's word, and how far the counter advanced
)

// convert converts the events at the beginning of data, which is the rest of a stream's chunk.
// It returns how many bytes of events were whole, and whether the chunk has no more. seen is as
// [raw.Window.Read] returns it.
func (p *process) convert(s *stream, data, seen []byte) (read int, whole bool) {
	le := binary.LittleEndian
	e := &p.encoder
	e.c, p.looked = raw.Cursor{B: data}, 0
	for p.to.err == nil {
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
			e.c.Align(wordSize)
			e.c.Bad = e.c.Bad || !known || e.c.At > (len(data)+3)&^3
		}
		if e.c.Bad {
			p.flushDue(s.t)
			if cut := int64(s.at)+int64(len(data)) < int64(s.chunk.Size); cut && !p.ended {
				return at, false // the file is still to grow
			}
			p.problem(p.file.Fault(s.chunk.Offset+int64(s.at+at), "a damaged event of kind %d: the rest of its chunk of %d bytes is left out", kind, s.chunk.Size))
			return at, true
		}
	}
	p.flushDue(s.t)
	return e.c.At, false
}

// event converts an event after its head. It reports false if the event cannot be read.
// Nothing is changed then.
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
	f := p.program.function(id)
	if f == nil || kind == 0 || kind > raw.EventMost || f.method == none && kind != raw.EventGo {
		return false
	}
	t := s.t
	if t == nil { // what told the goroutine is missing
		t = &thread{p: p}
		s.t = t
	}
	var ok bool
	switch kind {
	case raw.EventEnter:
		ok = p.enter(t, f, counter)
	case raw.EventGo:
		if f.Flags&raw.FunctionGo == 0 {
			return false
		}
		ok = p.goStatement(t, f, counter)
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

// enter begins a call.
func (p *process) enter(t *thread, f *function, counter uint64) bool {
	c, e := p.to, &p.encoder
	pc := e.c.U32()
	if e.c.Bad || !t.begin(c) || !c.number() {
		return false
	}
	if !f.known || f.lastPC != int32(pc) {
		f.lastPC, f.lastPlace, f.known = int32(pc), p.program.location(pc), true
	}
	args := f.args
	p.head(t, f.lastPlace, f.method)
	if f.Flags&raw.FunctionReceiver != 0 && len(args) > 0 {
		e.value(args[0], 0, 0)
		args = args[1:]
	} else {
		e.kind(values.NullKind)
	}
	e.b = binary.BigEndian.AppendUint32(e.b, uint32(len(args)))
	for _, a := range args {
		e.value(a, 0, 0)
	}
	e.b = append(e.b, 0, 0) // flags
	if e.c.Bad {
		return false
	}
	p.push(t, f, p.time(t, counter))
	if t.first == nil {
		t.first, t.caller = f, int32(pc)
	}
	f.called = true
	p.told.Calls++
	return true
}

// head begins the header of a call of the next event.
func (p *process) head(t *thread, location, method int32) {
	e := &p.encoder
	e.b = t.Bytes()
	at := len(e.b)
	e.b = append(e.b, noHead[:]...)
	e.layout.PutPointHead(e.b[at:], format.ClassCall, location, t.Thread, int32(p.to.numbered))
	e.b = binary.BigEndian.AppendUint32(e.b, uint32(method))
}

// noHead has the size of the beginning of a call.
var noHead [format.PointHeadSize + format.StatusCountSize]byte

// push adds the header of a call that is encoded, and numbers it.
func (p *process) push(t *thread, f *function, ns int64) {
	event := int32(p.to.numbered)
	p.to.numbered++
	at := t.Header(p.encoder.b)
	if p.clock.kind != raw.ClockNone {
		t.Touch(ns)
	}
	t.stack = append(t.stack, open{content: at, start: ns, f: f, event: event})
}

// leave ends a call.
func (p *process) leave(t *thread, f *function, kind uint32, counter uint64) bool {
	e := &p.encoder
	depth := len(t.stack) - 1
	for depth >= 0 && t.stack[depth].f != f {
		depth-- // the ends of calls within it are missing
	}
	if depth < 0 {
		e.b = nil // nothing is known of the call
	} else {
		for len(t.stack)-1 > depth {
			p.cut(t, max(p.clock.at(counter), t.last))
		}
		e.b = t.Bytes()
	}
	e.b = append(e.b, byte(format.KindFooter))
	switch kind {
	case raw.EventExit:
		p.results(f)
	case raw.EventPanic:
		p.threw(string(e.appendText([]byte("panic: "), nil, 0, false)))
	case raw.EventGoexit:
		p.threw("runtime.Goexit")
	case raw.EventUnwound:
		p.threw("<unwound>")
	}
	if e.c.Bad || depth < 0 {
		return !e.c.Bad
	}
	switch kind {
	case raw.EventPanic:
		p.told.Panics++
	case raw.EventGoexit:
		p.told.Goexits++
	case raw.EventUnwound:
		p.told.Unwound++
	}
	p.pop(t, p.time(t, counter))
	return true
}

// results encodes the results of a call, the rest of its footer.
func (p *process) results(f *function) {
	e := &p.encoder
	switch len(f.results) {
	case 0:
		e.kind(values.VoidKind)
	case 1:
		e.value(f.results[0], 0, 0)
	default:
		text := append(e.text[:0], '(')
		e.text = nil
		for i, t := range f.results {
			if i > 0 {
				text = append(text, ", "...)
			}
			text = e.appendText(text, t, 0, false)
		}
		text = append(text, ')')
		e.raw(string(text))
		e.text = text
	}
	for range e.layout.Returned {
		e.b = append(e.b, 0)
	}
}

// threw encodes that a call threw, the rest of its footer.
func (p *process) threw(exception string) {
	e := &p.encoder
	result := format.Footer{Exception: values.Shorten(exception, values.MaxException), Threw: true, Result: format.Value{Kind: format.ValueVoid}}
	if e.layout.Version >= format.V27 {
		result.Result.Kind = format.ValueUnfinished
	}
	footer, err := result.Append(nil, e.layout.Version, format.ClassCall)
	if err != nil {
		e.c.Bad = true // impossible: it is cut
		return
	}
	e.b = append(e.b, footer[format.FooterSize:]...)
}

// cut ends the innermost call without knowing its end.
func (p *process) cut(t *thread, ns int64) {
	f := format.Unfinished(format.ClassCall)
	p.encoder.b, _ = f.Append(t.Bytes(), p.encoder.layout.Version, format.ClassCall) // cannot fail: its text is short
	p.pop(t, ns)
}

// pop adds the footer of the innermost call, which is encoded.
func (p *process) pop(t *thread, ns int64) {
	o := &t.stack[len(t.stack)-1]
	t.stack = t.stack[:len(t.stack)-1]
	p.footer(t, o, ns)
}

func (p *process) footer(t *thread, o *open, ns int64) {
	cell := format.TimeCell{ID: o.event, Duration: format.NoDuration}
	if p.clock.kind != raw.ClockNone {
		cell.Start, cell.Duration = o.start, max(0, ns-o.start)
		t.Touch(ns)
	}
	t.Footer(p.encoder.b, o.content, cell)
}

// goroutine begins a goroutine, or continues one with the calls that are open.
func (p *process) goroutine(s *stream, again bool) bool {
	c := &p.encoder.c
	t := &thread{p: p}
	var counter uint64
	t.id, t.parent, t.made, t.start, counter = readGoroutine(c)
	if !again {
		if c.Bad {
			return false
		}
		if s.t != nil {
			p.endThread(s.t, s.t.last)
		}
		p.told.Goroutines++
		s.t, s.counter = t, counter
		if at := p.program.symbols.at(t.made - 1); t.parent != 0 && at.file != "" {
			p.sites.born(siteKey{t.parent, at.file, at.line}, child{t.id, counter, p.to.tick})
		}
		return true
	}
	n := c.U32()
	c.U32()
	calls := c.Take(int(min(n, 1<<30)) * raw.OpenSize)
	if c.Bad {
		return false
	}
	if s.t != nil && s.t.id == t.id {
		t = s.t
	} else {
		if s.t != nil {
			p.endThread(s.t, s.t.last)
		}
		p.told.Goroutines++
	}
	s.t, s.counter = t, counter
	p.resume(t, calls, counter)
	return true
}

// resume makes the calls of a thread the open ones: those that it does not have begin without
// arguments.
func (p *process) resume(t *thread, calls []byte, counter uint64) {
	le := binary.LittleEndian
	n := len(calls) / raw.OpenSize
	same := 0
	for ; same < min(n, len(t.stack)); same++ {
		if t.stack[same].f.ID != le.Uint32(calls[same*raw.OpenSize:]) {
			break
		}
	}
	for len(t.stack) > same {
		p.cut(t, t.last)
	}
	for i := same; i < n; i++ {
		call := raw.Cursor{B: calls[i*raw.OpenSize:][:raw.OpenSize]}
		id := call.U32()
		call.U32()
		f := p.program.function(id)
		if f == nil || f.method == none || !t.begin(p.to) || !p.to.number() {
			p.problem(p.file.Fault(-1, "a call of the function %d, which is not described, goes on", id))
			continue
		}
		p.head(t, none, f.method)
		e := &p.encoder
		e.kind(values.NullKind)
		e.b = binary.BigEndian.AppendUint32(e.b, 0)
		e.b = binary.BigEndian.AppendUint16(e.b, uint16(format.FlagUnderWay))
		p.push(t, f, p.time(t, call.U64()))
		f.called = true
		p.told.Calls++
	}
}

// endThread ends a thread: its goroutine is gone.
func (p *process) endThread(t *thread, ns int64) {
	for len(t.stack) > 0 {
		p.cut(t, max(ns, t.last))
	}
	t.ended, t.stack = true, nil
	if t.begun {
		p.to.wrote(t)
		p.to.ending(t)
	}
}

// flushDue notes what a thread has, and writes its block if that is large.
func (p *process) flushDue(t *thread) {
	if t != nil && t.begun {
		p.to.wrote(t)
	}
}
