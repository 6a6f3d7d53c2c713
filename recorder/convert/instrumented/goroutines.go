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
		if s.t != nil {
			p.endThread(s.t, s.t.last)
		}
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
		if s.t != nil {
			p.endThread(s.t, s.t.last)
		}
	}
	s.t, s.counter = t, counter
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
		if o := &t.stack[same]; o.f.ID != id || o.counter != 0 && o.counter != begun {
			break
		}
	}
	for len(t.stack) > same {
		p.cut(t, t.last)
	}
	// Those that are resumed are in the trace, too.
	if missing := int64(int32(before-t.calls)) - int64(n-same); p.file.Head.Ring > 0 && missing > 0 {
		p.note(t, missing, counter)
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

// gap is what is missing between the first part of a recording and the newest.
type gap struct {
	variable int32 // of the notes, plus one; 0: there is none yet
	resumed  int64 // calls that begin in the gap, and are in the trace as they were open at its end
	time     time.Duration
}

// name is that of the variable of the notes. It tells of all threads, and so is known only at the end.
func (p *process) gapName() string {
	name := fmt.Sprintf("%s%d calls", format.GapPrefix, p.missing())
	if p.gap.time > 0 {
		name += " in " + p.gap.time.String()
	}
	return name + ">"
}

// missing returns how many calls are missing in the gap.
func (p *process) missing() int64 { return int64(p.file.Head.Missing) - p.gap.resumed }

// note says in a thread how many of its calls are missing here.
func (p *process) note(t *thread, missing int64, counter uint64) {
	if !t.begin(p.to) || !p.to.number() {
		return
	}
	if p.gap.variable == 0 {
		p.gap.variable = p.to.blocks.dict.reserveVariable() + 1
		if p.clock.kind != raw.ClockNone && p.last > 0 {
			p.gap.time = time.Duration(max(p.clock.at(counter)-p.last, 0)).Round(time.Microsecond)
		}
	}
	const room = format.LeafValueAt + format.MaxObjectSize
	b := slices.Grow(t.Bytes(), room)
	n := p.encoder.layout.PutDropped(b[len(b):len(b)+room], t.Thread, int32(p.to.numbered), p.gap.variable-1, missing)
	p.to.numbered++
	t.Leaf(b[:len(b)+n])
}

// endThread ends a thread: its goroutine is gone.
func (p *process) endThread(t *thread, ns int64) {
	for len(t.stack) > 0 {
		p.cut(t, max(ns, t.last))
	}
	t.ended, t.stack = true, nil
	if t.begun {
		p.to.blocks.wrote(t)
		p.to.blocks.ending(t)
	}
}
