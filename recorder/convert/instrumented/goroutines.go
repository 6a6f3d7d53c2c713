package instrumented

import (
	"encoding/binary"
	"slices"

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
		if r := s.t.resumed; r != nil {
			p.roots[s.t.id] = *r
		}
	}
	return true
}

// tested notes that a test began, ended or failed.
func (p *process) tested(d *raw.Test) {
	list, took := p.told.Tests, int64(min(d.Took, mostNanos))
	i := len(list) - 1
	for i >= 0 && (list[i].goroutine != d.Goroutine || list[i].Name != d.Name) {
		i--
	}
	if i < 0 {
		p.told.Tests = append(list, Test{Name: d.Name, Package: d.Package, Verdict: d.Verdict, Took: took, Thread: -1, Event: -1, goroutine: d.Goroutine})
		return
	}
	t := &list[i]
	t.Verdict, t.Took = d.Verdict, took
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

// readGoroutine reads the description of a goroutine, and the counter at that time.
func readGoroutine(c *raw.Cursor) (g goroutine, counter uint64) {
	return goroutine{id: c.U64(), parent: c.U64(), made: c.U64(), start: c.U64()}, c.U64()
}
