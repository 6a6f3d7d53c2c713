package instrumented

import (
	"math"

	"tracex/format"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// What the trace tells of processes: see [format.ProcessNote].

// teller adds notes about a process.
type teller struct {
	number int64 // of the process, from 1 on
	dict   *dictionary
}

func (t *teller) say(n *format.ProcessNote) {
	n.Number = t.number
	t.dict.text(n.String())
}

// tellBegin says what is known of a process when its recording begins, and which recorded process started it.
func tellBegin(p *process) {
	h := &p.file.Head
	n := format.ProcessNote{Process: format.Process{PID: int64(min(h.PID, math.MaxInt64)), Program: p.programName()}}
	parent := p.to.lines.ParentOf(h)
	if len(h.Line) > 1 {
		n.PPID = int64(min(h.Line[1].PID, math.MaxInt64))
	}
	from, until := h.Nanos, h.Nanos
	if parent.Of >= 0 {
		n.Parent, n.Via = p.to.inLine[parent.Of].teller.number, int64(min(parent.Via.PID, math.MaxInt64))
		n.Became, n.Unsure = parent.Became, parent.Unsure
		if !n.Became {
			from, until = started(h, &p.to.inLine[parent.Of].file.Head, parent.Via)
		}
	} else if e := p.to.options.Elsewhere; e != nil {
		n.Elsewhere, n.ParentName = e(h)
	}
	if p.clock.kind != raw.ClockNone {
		n.Timed = true
		n.From, n.Until, n.Began = p.clock.nanos(from), p.clock.nanos(until), p.clock.nanos(h.Nanos)
	}
	p.teller.say(&n)
}

// started returns between which times a process of the line of a header was started, by a recorded one.
func started(h, by *raw.Header, m raw.Member) (from, until uint64) {
	from, known := h.Moment(m)
	if !known {
		return by.Nanos, h.Nanos
	}
	return from, min(from+raw.LineUnit, h.Nanos)
}

// mostIn bounds the name of a function in a note.
const mostIn = 1000

// tellStart says that the thread started a process, between two times, and which event of the trace tells it. in is what was called there.
func (t *thread) tellStart(pid uint64, from, until int64, event int32, in string) {
	if pid == 0 || pid > math.MaxInt32 {
		return
	}
	s := format.Start{PID: int64(pid), Thread: t.Thread, Event: event, In: values.Cut(in, mostIn)}
	if t.p.clock.kind != raw.ClockNone {
		s.At, s.Until = from, until
	}
	t.p.teller.say(&format.ProcessNote{Start: s})
}
