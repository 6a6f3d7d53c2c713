package instrumented

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"tracex/format"
	"tracex/format/tracefile"
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
		if kind != raw.EventEnter && kind != raw.EventExit {
			break
		}
		if r.t == nil && s.t != nil && s.t.waits() {
			if f := p.program.function(id); f == nil || f.method == none {
				break
			}
			s.t.endWait(s.counter + uint64(le.Uint32(data[at+wordSize:])))
		}
		if r.t == nil && !r.begin(p, s, kind) {
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
	t.Touch(r.first)
	t.Touch(r.ns)
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
	event := c.numberEvent()
	r.calls++
	which := counter
	if t.Untimed {
		which = uint64(t.calls + uint32(r.calls))
	}
	t.stack = append(t.stack, open{tracefile.Open{Start: ns, Content: r.base + int64(len(b)), Event: event}, which, f})
	f.called = true
	if t.first == nil {
		t.first, t.caller = f, pc
		if e.test != "" {
			t.test, t.tested = e.test, p.program.symbols.names.of(f.Package, f.Flags&raw.FunctionMain != 0)
		}
		if t.test != "" && t.resumed == nil {
			p.roots[t.id] = root{t.Thread, event}
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
	t.Container(o.Content, r.base+int64(len(r.b)), t.Time(&o.Open, ns))
	t.stack = t.stack[:depth]
	r.passed(b, counter, ns, false)
	return true
}

// head appends the header of a call of the next event, up to its arguments, and makes room for a
// short value.
func (p *process) head(b []byte, thread, location, method int32) []byte {
	at := len(b)
	b = slices.Grow(b, headSize+commonRoom)[:at+headSize]
	p.encoder.layout.PutPointHead(b[at:], format.ClassCall, location, thread, p.to.nextEvent())
	binary.BigEndian.PutUint32(b[at+methodAt:], uint32(method))
	return b
}

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

// leave ends a call, however it ended.
func (p *process) leave(t *thread, f *function, kind uint32, counter uint64) bool {
	e := &p.encoder
	depth := len(t.stack) - 1
	for depth >= 0 && t.stack[depth].f != f {
		depth-- // the ends of calls within it are missing
	}
	if depth < 0 {
		e.b = nil // nothing is known about the call
	} else {
		for len(t.stack)-1 > depth {
			p.cut(t, max(p.clock.at(counter), t.last), format.ValueUnfinished)
		}
		e.b = t.Bytes()
	}
	e.b = append(e.b, byte(format.KindFooter))
	switch kind {
	case raw.EventExit:
		e.b = p.results(e.b, f)
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

// thrown adds the leaf of a panic that began, or was recovered.
func (p *process) thrown(t *thread, class format.Class) bool {
	c, e := p.to, &p.encoder
	pc, called := e.c.U32(), e.c.U32()
	text := e.appendText([]byte("panic: "), nil, 0, false)
	if e.c.Bad || !t.begin(c) || !c.number() {
		return false
	}
	location := none
	switch {
	case pc == 0: // it is not known
	case p.program.symbols.at(p.program.address(called)).name == "runtime.sigpanic":
		location = p.program.location(pc + 1) // of a return address, the instruction before counts
	default:
		location = p.program.location(pc)
	}
	at := len(t.Bytes())
	e.b = slices.Grow(t.Bytes(), headSize)[:at+headSize] // PutPointHead writes more than it needs
	e.layout.PutPointHead(e.b[at:], class, location, t.Thread, c.numberEvent())
	e.b = e.b[:at+format.PointHeadSize]
	e.rawBytes(text)
	t.Leaf(e.b)
	return true
}

// mostThrown is how many characters are kept of the text of a panic: all, unless it is a struct.
const mostThrown = 4 << 10

// threw encodes that a call threw, the rest of its footer.
func (p *process) threw(exception string) {
	e := &p.encoder
	result := e.layout.Version.Thrown(values.Shorten(exception, mostThrown))
	footer, err := result.Append(nil, e.layout.Version, format.ClassCall)
	if err != nil {
		e.c.Bad = true // cannot happen: the text is cut
		return
	}
	e.b = append(e.b, footer[format.FooterSize:]...)
}

// cut ends the innermost call, whose end is not in the recording. result says why: see [format.ValueUntracked].
func (p *process) cut(t *thread, ns int64, result format.ValueKind) {
	f := format.Footer{Result: format.Value{Kind: result}}
	p.encoder.b, _ = f.Append(t.Bytes(), p.encoder.layout.Version, format.ClassCall) // cannot fail: its text is short
	p.pop(t, ns)
}

// pop adds the footer of the innermost call, which is encoded.
func (p *process) pop(t *thread, ns int64) {
	o := &t.stack[len(t.stack)-1]
	t.stack = t.stack[:len(t.stack)-1]
	t.End(p.encoder.b, &o.Open, ns)
}

// callLocation returns the location of a call by its return address: that of the go statement for the
// function that a goroutine runs.
func (p *program) callLocation(pc uint32, g *goroutine) int32 {
	id := p.location(pc)
	if id == none && g.made-p.text <= math.MaxUint32 && p.symbols.at(p.address(pc)-1).name == goexit {
		return p.location(uint32(g.made - p.text))
	}
	return id
}

// push adds the header of a call that is encoded, and numbers it.
func (p *process) push(t *thread, f *function, ns int64) {
	t.stack = append(t.stack, open{Open: t.Begin(p.encoder.b, p.to.numberEvent(), ns), f: f})
}

// nameAlike notes the package of a function that was called for the patterns that name the function.
func nameAlike(p *process, f *function) {
	for _, pattern := range p.to.options.Patterns {
		if f.named(pattern) {
			p.to.named.name(pattern, p.program.symbols.names.of(f.Package, f.Flags&raw.FunctionMain != 0))
		}
	}
}
