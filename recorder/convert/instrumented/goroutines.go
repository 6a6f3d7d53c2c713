package instrumented

import (
	"encoding/binary"

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

// endThread ends a thread: its goroutine is gone.
func (p *process) endThread(t *thread, ns int64) {
	for len(t.stack) > 0 {
		p.cut(t, max(ns, t.last), format.ValueUnfinished)
	}
	t.Ended, t.stack = true, nil
	if t.begun {
		p.to.blocks.wrote(t)
		p.to.blocks.ending(t)
	}
}
