package instrumented

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// goroutine begins a goroutine, or continues one with the calls that are open.
func (p *process) goroutine(s *stream, again bool) bool {
	c := &p.encoder.c
	g, counter := readGoroutine(c)
	t := &thread{p: p, goroutine: g}
	if !again {
		if c.Bad {
			return false
		}
		p.replace(s)
		s.t, s.counter = t, counter
		if at := p.program.symbols.at(t.made - 1); t.parent != 0 && at.file != "" {
			p.sites.born(siteKey{t.parent, at.file, at.line}, child{t.id, counter, p.to.blocks.tick})
		}
		return true
	}
	n, before := c.U32(), c.U32()
	calls := c.Take(int(min(n, 1<<30)) * raw.OpenSize)
	if c.Bad {
		return false
	}
	if s.t != nil && s.t.id == t.id {
		t = s.t
	} else {
		p.replace(s)
	}
	s.t, s.counter, s.crossed = t, counter, false
	p.resume(t, calls, counter, before)
	return true
}

// test notes which test a goroutine runs whose function is not recorded.
func (p *process) test(s *stream) bool {
	e := &p.encoder
	path, name := string(e.testName()), string(e.testName())
	if e.c.Bad {
		return false
	}
	if s.t == nil { // the event that names the goroutine is missing
		s.t = &thread{p: p}
	}
	if s.t.first == nil {
		s.t.test, s.t.tested = name, p.program.symbols.names.of(path, false)
	}
	return true
}

// resume makes calls the open calls of a thread. Those that the thread lacks begin without
// arguments. before is how many calls the goroutine had begun: a note says how many of them are missing.
func (p *process) resume(t *thread, calls []byte, counter uint64, before uint32) {
	n := len(calls) / raw.OpenSize
	same := 0
	for c := (raw.Cursor{B: calls}); same < min(n, len(t.stack)); same++ {
		id, begun := readOpen(&c)
		if o := &t.stack[same]; o.f.ID != id || o.counter != 0 && begun != 0 && o.counter != begun {
			break
		}
	}
	ended := len(t.stack) > same
	for len(t.stack) > same {
		p.cut(t, t.last, format.ValueUntracked)
	}
	if p.file.Head.Ring > 0 {
		dropped := int64(int32(before - t.calls))
		p.gap.told += max(dropped, 0)
		if missing := max(dropped-int64(n-same), 0); missing > 0 || ended { // those that are resumed are in the trace
			p.gap.to = max(p.gap.to, p.clock.at(counter))
			p.note(t, missing, true)
		}
	}
	t.calls = before
	for i := same; i < n; i++ {
		call := raw.Cursor{B: calls[i*raw.OpenSize:][:raw.OpenSize]}
		id, begun := readOpen(&call)
		f := p.program.function(id)
		if f == nil || f.method == none || !t.begin(p.to) || !p.to.number() {
			p.problem(p.file.Fault(-1, "a call of the function %d, which is not described, continues", id))
			continue
		}
		e := &p.encoder
		e.b = p.head(t.Bytes(), t.Thread, none, f.method)
		e.kind(values.NullKind)
		e.b = binary.BigEndian.AppendUint32(e.b, 1)
		e.raw("…")
		e.b = binary.BigEndian.AppendUint16(e.b, uint16(format.FlagUnderWay))
		p.push(t, f, p.time(t, counter))
		t.stack[len(t.stack)-1].counter = begun
		p.gap.resumed++
		f.called = true
		p.told.Calls++
	}
}

// goStatement adds the leaf of a go statement.
func (p *process) goStatement(t *thread, f *function, counter uint64) bool {
	c, e := p.to, &p.encoder
	if !t.begin(c) || !c.number() {
		return false
	}
	if !f.placed {
		class, method := f.class, ""
		if n := len(t.stack); n > 0 {
			class, method = t.stack[n-1].f.class, t.stack[n-1].f.name
		}
		f.method = c.blocks.dict.method(class, f.name, format.GoStatement)
		f.place, f.placed = c.blocks.dict.location(baseName(f.File), f.Line, class, method), true
	}
	e.b = p.head(t.Bytes(), t.Thread, f.place, f.method)
	e.kind(values.NullKind)
	if f.statement == "" {
		e.b = binary.BigEndian.AppendUint32(e.b, 0)
	} else {
		e.b = binary.BigEndian.AppendUint32(e.b, 1)
		e.raw(f.statement)
	}
	e.b = append(e.b, 0, 0) // flags
	ns := p.time(t, counter)
	p.push(t, f, ns)
	e.b = append(t.Bytes(), byte(format.KindFooter))
	l := &leaf{at: len(e.b), time: counter, key: siteKey{t.id, baseName(f.File), f.Line}}
	e.kind(values.VoidKind)
	for range e.layout.Returned {
		e.b = append(e.b, 0)
	}
	p.pop(t, ns)
	if p.program.symbols.table != nil && t.id != 0 {
		t.leaves = append(t.leaves, l)
		if !slices.Contains(t.sites, l.key) {
			t.sites = append(t.sites, l.key)
		}
		s := p.sites.at(l.key)
		s.leaves = append(s.leaves, l)
	}
	return true
}

// follow notes which chunk a stream has next.
func (p *process) follow(s *stream, next *raw.Chunk) {
	at := p.clock.at(next.Counter)
	s.crossed = false
	switch first := p.file.Head.First(next); {
	case first:
		p.gap.full = max(p.gap.full, at)
	case p.file.Head.Gap():
		s.crossed = p.file.Head.First(&s.chunk)
		if p.gap.after == 0 {
			p.gap.after = at
		}
	}
}

// replace ends the goroutine of a stream that has another one from now on. If the gap is between them, it may have
// gone on there. If it has open calls, it did: after the gap, too, there may have been no room for it.
func (p *process) replace(s *stream) {
	switch {
	case s.t == nil:
	case s.crossed, p.file.Head.Gap() && len(s.t.stack) > 0:
		p.gap.lost = append(p.gap.lost, s.t)
	default:
		p.endThread(s.t, s.t.last)
	}
	s.crossed = false
}

// lose ends the threads that went on without being recorded: what followed was dropped, or had no room. list has all
// streams.
func (p *process) lose(list []*stream) {
	for _, s := range list {
		if s.t != nil && !s.unfull && p.file.Head.Gap() {
			p.gap.lost = append(p.gap.lost, s.t)
			s.t = nil
		}
	}
	rest := max(int64(p.file.Head.Missing)-p.gap.told, 0)
	for _, t := range p.gap.lost {
		if rest > 0 || len(t.stack) > 0 {
			p.note(t, rest, rest == 0)
		}
	}
	if p.gap.variable != 0 { // before the last blocks
		if rest > 0 { // calls of others than those that continue
			p.gap.from = min(p.gap.from, p.gap.full)
		}
		p.to.blocks.dict.variable(p.gap.variable-1, p.gap.name(p))
	}
	for _, t := range p.gap.lost {
		for len(t.stack) > 0 {
			p.cut(t, t.last, format.ValueUntracked)
		}
		p.endThread(t, t.last)
	}
	p.gap.lost = nil
}

// name is that of the variable of the notes. It tells of all threads, and so is known only at the end.
func (g *gap) name(p *process) string {
	name := fmt.Sprintf("%s%d calls", format.GapPrefix, g.missing(p))
	if length := max(g.to, g.after) - g.from; p.clock.kind != raw.ClockNone && length > 0 {
		name += " in " + time.Duration(length).Round(time.Microsecond).String()
	}
	return name + ">"
}

// missing returns how many calls are missing in the gap.
func (g *gap) missing(p *process) int64 { return int64(p.file.Head.Missing) - g.resumed }

// note says in a thread how many of its calls are missing here; if that is not sure, it is at most so many.
func (p *process) note(t *thread, missing int64, sure bool) {
	from := p.gap.full // it began in the gap
	if t.begun {
		from = t.last
	}
	if !t.begin(p.to) || !p.to.number() {
		return
	}
	if p.gap.variable == 0 {
		p.gap.variable, p.gap.from = p.to.blocks.dict.Reserve(format.KindVariableDescriptor)+1, from
	}
	p.gap.from = min(p.gap.from, from)
	const room = format.LeafValueAt + format.MaxObjectSize
	e := &p.encoder
	e.b = slices.Grow(t.Bytes(), room)
	at := len(e.b)
	n := e.layout.PutDropped(e.b[at:at+room], t.Thread, p.to.numberEvent(), p.gap.variable-1, missing)
	e.b = e.b[:at+n]
	if !sure {
		e.b = e.b[:at+format.LeafValueAt]
		e.raw(fmt.Sprint("at most ", missing))
	}
	t.Leaf(e.b)
}
