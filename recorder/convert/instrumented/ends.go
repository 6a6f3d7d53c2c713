package instrumented

import (
	"slices"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

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
	e.layout.PutPointHead(e.b[at:], class, location, t.Thread, int32(c.blocks.To.Events))
	c.blocks.To.Events++
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

// push adds the header of a call that is encoded, and numbers it.
func (p *process) push(t *thread, f *function, ns int64) {
	event := int32(p.to.blocks.To.Events)
	p.to.blocks.To.Events++
	at := t.Header(p.encoder.b)
	if p.clock.kind != raw.ClockNone {
		t.Touch(ns)
	}
	t.stack = append(t.stack, open{content: at, start: ns, f: f, event: event})
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
