package export

import (
	"bytes"
	"strconv"

	"tracex/format"
	"tracex/lazy"
)

type speedscopePart struct {
	*Clock
	of   *speedscope
	out  []byte // events, a comma before each
	used bitSet
	runs []speedscopeRun
}

// speedscopeRun is what a part has of one thread.
type speedscopeRun struct {
	thread     int32
	from, to   int     // its bytes in the part's
	first, now int64   // of its first and its last event
	closed     int     // calls that began before
	open       []int32 // frames of calls that began in it and have not ended
}

func (p *speedscopePart) clock() *Clock { return p.Clock }

func (p *speedscopePart) ends() {
	if n := len(p.runs); n > 0 {
		p.runs[n-1].to = len(p.out)
	}
}

func (p *speedscopePart) Begin(thread int32, _ []lazy.PassFrame) {
	p.ends()
	p.runs = append(p.runs, speedscopeRun{thread: thread, from: len(p.out), first: -1})
	p.Clock.Begin(thread)
}

func (p *speedscopePart) Enter(x *lazy.PassPoint) {
	s := p.Clock.Enter(x)
	if x.Class != format.ClassCall {
		return
	}
	f := p.of.frameOf(x.Ref)
	p.used.set(f)
	r := p.event('O', f, s.Begin)
	r.open = append(r.open, f)
}

func (p *speedscopePart) Leaf(*lazy.PassPoint) {}

// Exit is for the pass. A call whose end is not known closes when the last call in it does.
func (p *speedscopePart) Exit(x *lazy.PassPoint) {
	if x.State != lazy.StateWhole {
		return // it stays open to the end of its thread: nothing follows there
	}
	s := p.Clock.Exit(x)
	if x.Class != format.ClassCall {
		return
	}
	at := s.Begin
	if s.Known {
		at = s.End
	}
	f := p.of.frameOf(x.Ref)
	r := p.event('C', f, at)
	if n := len(r.open); n > 0 {
		r.open = r.open[:n-1]
	} else {
		p.used.set(f)
		r.closed++
	}
}

// event writes an event, which is not before the last one.
func (p *speedscopePart) event(kind byte, frame int32, at int64) *speedscopeRun {
	r := &p.runs[len(p.runs)-1]
	r.now = max(r.now, at)
	if r.first < 0 {
		r.first = r.now
	}
	p.out = p.of.event(append(p.out, ','), kind, frame, r.now)
	return r
}

const atKey = `,"at":`

func (s *speedscope) event(b []byte, kind byte, frame int32, at int64) []byte {
	b = append(append(append(b, "\n{\"type\":\""...), kind), `","frame":`...)
	b = append(strconv.AppendInt(b, int64(frame), 10), atKey...)
	return append(s.at(b, at), '}')
}

// at appends a time in the unit of the profiles.
func (s *speedscope) at(b []byte, ns int64) []byte {
	if s.j.Timed {
		return strconv.AppendInt(b, ns, 10)
	}
	b = strconv.AppendInt(b, ns/eventTime, 10)
	if ns%eventTime != 0 {
		b = append(b, ".5"...)
	}
	return b
}

// raised appends events, of which those at the beginning that are before the last one of their thread are at the time of
// that: their part could not know it.
func (s *speedscope) raised(dst, events []byte) []byte {
	now := s.at(nil, s.now)
	for len(events) > 0 {
		n := bytes.IndexByte(events, '}') + 1
		key := bytes.LastIndex(events[:n], []byte(atKey))
		if s.atOf(events[key+len(atKey):n-1]) >= s.now {
			break
		}
		dst = append(append(append(dst, events[:key+len(atKey)]...), now...), '}')
		events = events[n:]
	}
	return append(dst, events...)
}

func (s *speedscope) atOf(text []byte) int64 {
	whole, half := bytes.CutSuffix(text, []byte(".5"))
	n, _ := strconv.ParseInt(string(whole), 10, 64)
	if s.j.Timed {
		return n
	}
	if n *= eventTime; half {
		n += eventEnd
	}
	return n
}
