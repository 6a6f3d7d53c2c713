package raw

import (
	"encoding/binary"
	"math"
	"time"
)

// Member is a process of the line from which a recorded one descends.
type Member struct {
	PID     uint64
	Started uint64 // in LineUnit since the start of the system
}

// lineOf reads the line of a process; nil if it is not one: each is started by the next.
func lineOf(b []byte, pid uint64) (line []Member) {
	le := binary.LittleEndian
	for ; len(b) >= LineSize && le.Uint64(b) != 0; b = b[LineSize:] {
		m := Member{le.Uint64(b), le.Uint64(b[8:])}
		if n := len(line); n == 0 && m.PID != pid || n > 0 && (m.Started > line[n-1].Started || m.PID == line[n-1].PID) {
			break
		}
		line = append(line, m)
	}
	return line
}

// Parent is the recorded process that a process descends from.
type Parent struct {
	Of  int    // its number in Lines; -1 if none is known
	Via Member // the process that it started: the one that descends from it, or for example a shell between the two
	// Became: it is the process itself, which ran another program before.
	Became bool
	// Unsure: when it started Via, the process may have run the program that it ran before.
	Unsure bool
}

// Lines finds which recorded process started which.
type Lines struct {
	all []*Header
	by  map[Member][]int // several if a process ran several programs
}

// Add adds the header of a recording. It gets the next number, from 0 on.
func (l *Lines) Add(h *Header) {
	if len(h.Line) > 0 {
		if l.by == nil {
			l.by = make(map[Member][]int)
		}
		l.by[h.Line[0]] = append(l.by[h.Line[0]], len(l.all))
	}
	l.all = append(l.all, h)
}

// ParentOf finds the nearest recorded process from which that of a header descends. If the process ran several recorded programs, the
// parent is the last that may have started Via. The header may have been added, too.
func (l *Lines) ParentOf(h *Header) Parent {
	for i, m := range h.Line {
		p := Parent{Of: -1, Via: h.Line[max(i-1, 0)], Became: i == 0}
		from := h.Nanos
		if i > 0 {
			var known bool
			if from, known = h.Moment(p.Via); !known {
				from = 0
			}
		}
		for _, k := range l.by[m] {
			o := l.all[k]
			switch {
			case o.Nanos >= h.Nanos || !h.oneSystem(o):
				continue
			case i == 0 && (h.Sibling != 0 || o.Sibling != 0):
				continue
			case i > 0 && o.beganAfter(p.Via): // an earlier program of that process started it
				continue
			}
			switch {
			case p.Of < 0:
				p.Of = k
			case o.Nanos > l.all[p.Of].Nanos:
				p.Of, p.Unsure = k, o.Nanos > from
			default:
				p.Unsure = p.Unsure || l.all[p.Of].Nanos > from
			}
		}
		if p.Of >= 0 {
			return p
		}
	}
	return Parent{Of: -1}
}

// oneSystem reports whether the ids in two recordings are those of one system: of one namespace, since the same start.
func (h *Header) oneSystem(o *Header) bool {
	const most = uint64(time.Hour)
	if h.Namespace != o.Namespace {
		return false
	}
	apart := (h.Wall - h.Nanos) - (o.Wall - o.Nanos)
	return apart < most || -apart < most
}

// beganAfter reports whether a recording surely began after a process was started.
func (h *Header) beganAfter(m Member) bool {
	return m.Started < math.MaxInt64/LineUnit && h.Boot > (m.Started+1)*LineUnit
}

// Moment returns the earliest time when a process of the line was started, by the clock of Nanos: it was at most LineUnit
// later, and before Nanos. If that is not known, it is Nanos.
func (h *Header) Moment(m Member) (nanos uint64, known bool) {
	if m.Started > math.MaxInt64/LineUnit || m.Started*LineUnit > h.Boot {
		return h.Nanos, false
	}
	if age := h.Boot - m.Started*LineUnit; age < h.Nanos {
		return h.Nanos - age, true
	}
	return h.Nanos, false
}
