package instrumented

import (
	"encoding/binary"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

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
	e.test = ""
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
		t.first, t.caller, t.test = f, pc, e.test
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
	results := p.program.returned(f)
	switch len(results) {
	case 0:
		e.kind(values.VoidKind)
	case 1:
		e.value(results[0], 0, 0)
	default:
		text := append(e.text[:0], '(')
		e.text = nil
		for i, t := range results {
			if i > 0 {
				text = append(text, ", "...)
			}
			text = e.appendText(text, t, 0, false)
		}
		text = append(text, ')')
		e.rawBytes(text)
		e.text = text
	}
	for range e.layout.Returned {
		e.b = append(e.b, 0)
	}
}

// thrown adds the leaf of a panic.
func (p *process) thrown(t *thread) bool {
	c, e := p.to, &p.encoder
	text := e.appendText([]byte("panic: "), nil, 0, false)
	if e.c.Bad || !t.begin(c) || !c.number() {
		return false
	}
	e.b = t.Bytes()
	at := len(e.b)
	e.b = append(e.b, noHead[:format.PointHeadSize+1]...) // PutPointHead writes one byte more
	e.layout.PutPointHead(e.b[at:], format.ClassThrow, none, t.Thread, int32(c.numbered))
	c.numbered++
	e.b = e.b[:at+format.PointHeadSize]
	e.rawBytes(text)
	t.Leaf(e.b)
	p.told.Thrown++
	return true
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
