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
	if t.waits() && same == n && len(t.stack) == n+1 && before == t.calls {
		same++ // waiting is no call
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
		o := &t.stack[len(t.stack)-1]
		if o.counter = begun; i == 0 {
			t.resumed = &root{t.Thread, o.Event}
		}
		p.gap.resumed++
		f.called = true
		p.told.Calls++
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

// gap is what is missing between the first part of a recording and the newest. Moments are in ns.
type gap struct {
	variable int32     // of the notes, plus one; 0: there is none yet
	resumed  int64     // calls that begin in the gap, and are in the trace as they were open at its end
	told     int64     // calls dropped from threads that continue after it
	full     int64     // when the last chunk of the first part began
	after    int64     // when the first chunk of the newest part began; 0: there is none
	from, to int64     // of the threads that miss calls: when the first had its last one before the gap, and the last one continued
	lost     []*thread // threads that went on when the recording has no more of them
}
