package instrumented

import (
	"encoding/binary"
	"slices"
	"strconv"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// run is a sequence of events of one thread that begin calls or return from them. It keeps its
// changes of the thread until it ends.
type run struct {
	p       *process
	t       *thread
	b       []byte // the bytes of the thread's block
	base    int64  // logical offset of the first of them
	counter uint64 // of the last event
	ns      int64  // its time
	first   int64  // the time of the first event; -1 if there is none
	calls   int64
	header  bool // the last event began a call
}

// calls converts the events at c.At that begin calls or return from them, up to any other event, the
// end of the whole events, or an event that cannot be read. seen is as [raw.Window.Read] returns it.
func (p *process) calls(s *stream, seen []byte) {
	c, le := &p.encoder.c, binary.LittleEndian
	data := c.B
	var r run
	for p.to.err == nil {
		at := c.At
		if len(data)-at < eventHead || le.Uint32(seen[at:]) == 0 {
			break
		}
		word := le.Uint32(data[at:])
		kind, id := word&(1<<raw.EventBits-1), word>>raw.EventBits
		if kind != raw.EventEnter && kind != raw.EventExit || r.t == nil && !r.begin(p, s, kind) {
			break
		}
		f := p.program.function(id)
		if f == nil || f.method == none {
			break
		}
		counter := r.counter + uint64(le.Uint32(data[at+wordSize:]))
		c.At = at + eventHead
		var ok bool
		if kind == raw.EventEnter {
			ok = r.enter(f, counter)
		} else {
			ok = r.leave(f, counter)
		}
		if c.Align(wordSize); !ok || c.Bad || c.At > (len(data)+3)&^3 {
			c.At, c.Bad = at, false
			break
		}
	}
	r.end(s)
}

// begin begins a run of a stream's events, the first of which has this kind. It reports whether
// there is a thread for them.
func (r *run) begin(p *process, s *stream, kind uint32) bool {
	if kind == raw.EventEnter {
		if s.t == nil { // the event that names the goroutine is missing
			s.t = &thread{p: p}
		}
		s.t.begin(p.to)
	}
	if s.t == nil || !s.t.begun {
		return false
	}
	t := s.t
	*r = run{p: p, t: t, b: t.Bytes(), counter: s.counter, ns: t.last, first: -1}
	r.base = t.Next() - int64(len(r.b))
	return true
}

// end hands the events to the thread.
func (r *run) end(s *stream) {
	t, p := r.t, r.p
	if t == nil || r.first < 0 {
		return
	}
	if r.header {
		t.Header(r.b)
	} else {
		t.Leaf(r.b)
	}
	if p.clock.kind != raw.ClockNone {
		t.Touch(r.first)
		t.Touch(r.ns)
	}
	s.counter, t.counter, t.last = r.counter, r.counter, r.ns
	p.last = max(p.last, r.ns)
	p.told.Calls += r.calls
	t.calls += uint32(r.calls)
}

// passed notes the event that was converted.
func (r *run) passed(b []byte, counter uint64, ns int64, header bool) {
	r.b, r.counter, r.ns, r.header = b, counter, ns, header
	if r.first < 0 {
		r.first = ns
	}
}

// enter begins a call. It reports false, and changes nothing, if the event cannot be read.
func (r *run) enter(f *function, counter uint64) bool {
	p, t := r.p, r.t
	c, e := p.to, &p.encoder
	pc := e.c.U32()
	if e.c.Bad || !c.number() {
		return false
	}
	b, args := p.head(r.b, t.Thread, p.program.callLocation(pc, &t.goroutine), f.method), f.args
	if t.first == nil {
		e.test = ""
	}
	if f.Flags&raw.FunctionReceiver != 0 && len(args) > 0 {
		if e.typedNil(args[0]) { // without its type it would be no receiver
			e.b = b
			e.rawBytes(e.appendNil(e.text[:0], args[0]))
			b = e.b
		} else {
			b = e.values(b, args[:1])
		}
		args = args[1:]
	} else {
		b = b[:len(b)+e.layout.PutKind(b[len(b):len(b)+commonRoom], values.NullKind)]
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(args)))
	b = append(e.values(b, args), 0, 0) // flags
	if e.c.Bad {
		return false
	}
	ns := max(p.clock.at(counter), r.ns)
	event := int32(c.blocks.To.Events)
	c.blocks.To.Events++
	r.calls++
	which := counter
	if p.clock.kind == raw.ClockNone {
		which = uint64(t.calls + uint32(r.calls))
	}
	t.stack = append(t.stack, open{content: r.base + int64(len(b)), start: ns, counter: which, f: f, event: event})
	f.called = true
	if t.first == nil {
		t.first, t.caller = f, pc
		if e.test != "" {
			t.test, t.tested = e.test, p.program.symbols.names.of(f.Package, f.Flags&raw.FunctionMain != 0)
		}
	}
	r.passed(b, counter, ns, true)
	return true
}

// leave ends a call by a return. It reports false, and changes nothing, if the event cannot be
// read, or is not that of the innermost call.
func (r *run) leave(f *function, counter uint64) bool {
	p, t := r.p, r.t
	depth := len(t.stack) - 1
	if depth < 0 || t.stack[depth].f != f {
		return false
	}
	b := p.results(append(r.b, byte(format.KindFooter)), f)
	if p.encoder.c.Bad {
		return false
	}
	ns := max(p.clock.at(counter), r.ns)
	o := &t.stack[depth]
	cell := format.TimeCell{ID: o.event, Start: o.start, Duration: ns - o.start}
	if p.clock.kind == raw.ClockNone {
		cell.Start, cell.Duration = 0, format.NoDuration
	}
	t.Container(o.content, r.base+int64(len(r.b)), cell)
	t.stack = t.stack[:depth]
	r.passed(b, counter, ns, false)
	return true
}

// head appends the header of a call of the next event, up to its arguments, and makes room for a
// short value.
func (p *process) head(b []byte, thread, location, method int32) []byte {
	at := len(b)
	b = slices.Grow(b, headSize+commonRoom)[:at+headSize]
	p.encoder.layout.PutPointHead(b[at:], format.ClassCall, location, thread, int32(p.to.blocks.To.Events))
	binary.BigEndian.PutUint32(b[at+methodAt:], uint32(method))
	return b
}

// The header of a call begins with what all trace points have, and its method.
const (
	methodAt = format.PointHeadSize + format.StatusCountSize
	headSize = methodAt + wordSize
)

// results appends the results of a call, the rest of its footer.
func (p *process) results(b []byte, f *function) []byte {
	e := &p.encoder
	results := p.program.returned(f)
	switch len(results) {
	case 0:
		b = slices.Grow(b, commonRoom)
		b = b[:len(b)+e.layout.PutKind(b[len(b):len(b)+commonRoom], values.VoidKind)]
	case 1:
		b = e.values(b, results)
	default:
		var at int
		b, at = e.layout.BeginObject(b, p.program.dict.results(), 0)
		b = e.layout.BeginFields(b)
		for i := range results {
			b = values.AppendText(b, strconv.Itoa(i+1), values.MaxText)
			b = e.values(b, results[i:i+1])
		}
		b = e.layout.EndFields(b, at, len(results))
	}
	for range e.layout.Returned {
		b = append(b, 0)
	}
	return b
}
