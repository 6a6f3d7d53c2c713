package index

import (
	"math"
	"slices"

	"tracex/format"
)

// leapBorders is how many borders of containers the scan takes at a time.
const leapBorders = 512

// leastRoom is the room for additional containers that the stack of a thread may keep
// between two of its blocks, if it has any.
const leastRoom = 64

// leapt processes the objects that the scanner has leapt over.
func (s *Scan) leapt() {
	t, l := s.cur, &s.leap
	t.counts.Calls += l.Calls
	t.counts.Events += l.Points
	if s.out == nil && s.partial == nil {
		s.borders(l.Borders)
	} else {
		for i := range l.Borders {
			b := &l.Borders[i]
			if b.Ends {
				s.footer(b.At, b.To)
			} else {
				t.stack = append(t.stack, openFrame{at: b.At, start: b.To, event: b.Event, class: b.Class})
			}
		}
	}
	t.Size = l.Logical
}

// borders is leapt for a scan without sink and partial. It has no branch that depends on
// whether a border is a beginning or an end, which the processor cannot predict: it
// treats both as a beginning, writes above the top of the stack for an end, and moves
// the top one up or one down.
func (s *Scan) borders(list []format.Border) {
	t := s.cur
	top, n, cellAt, least := len(t.stack), t.n, s.cellAt, t.min
	stack := s.roomFor(len(list) + 1)
	for i := range list {
		b := &list[i]
		end := 0
		if b.Ends {
			end = 1
		}
		o := &stack[top]
		o.at, o.start, o.event, o.class, o.kept = b.At, b.To, b.Event, b.Class, nil
		least = min(least, stack[top-end].start|int64(end-1)&math.MaxInt64)
		top += 1 - 2*end
		n += int64(end)
		cellAt += int64(end) * format.CellSize
		if n%ScanGroup|int64(1-end) == 0 {
			t.stack, t.n, t.min, s.cellAt = stack[:top], n, least, cellAt
			s.endGroup(b.To)
			least = t.min
		}
	}
	t.stack, t.n, t.min, s.cellAt = stack[:top], n, least, cellAt
}

// roomFor returns the stack of the current thread with room for n more containers,
// sliced to its full capacity.
func (s *Scan) roomFor(n int) []openFrame {
	stack := s.cur.stack
	if most := len(stack) + n; cap(stack) < most && cap(s.room) >= most {
		stack, s.room = append(s.room, stack...), nil
	} else if cap(stack) < most {
		stack = slices.Grow(stack, n)
	}
	return stack[:cap(stack)]
}

// giveRoom takes unused room from the stack of the current thread, at the end of its
// block: there may be many threads.
func (s *Scan) giveRoom() {
	switch t := s.cur; {
	case len(t.stack) == 0:
		s.room, t.stack = t.stack, nil
	case cap(t.stack) > 2*len(t.stack)+leastRoom:
		s.room, t.stack = t.stack[:0], slices.Clone(t.stack)
	}
}

// footer processes the footer at a logical offset, which ends at to.
func (s *Scan) footer(at, to int64) {
	t := s.cur
	f := &t.stack[len(t.stack)-1]
	t.stack = t.stack[:len(t.stack)-1]
	if s.partial != nil {
		s.partial.ended(len(t.stack), *f)
	}
	if s.out != nil {
		s.out.Cell(format.Cell{Kind: format.KindTracePoint, ID: f.event, Start: f.start, End: at})
	}
	s.cellAt += format.CellSize
	t.min = min(t.min, f.start)
	if t.n++; t.n%ScanGroup == 0 {
		s.endGroup(to)
	}
}

// endGroup completes a group of cells with the container whose footer ends at to.
func (s *Scan) endGroup(to int64) {
	t := s.cur
	if t.groups == nil {
		t.groups = &scannedGroups{points: []checkpoint{{}}}
	}
	g := t.groups
	g.mins = append(g.mins, t.min)
	t.min = math.MaxInt64
	g.points = append(g.points, checkpoint{pos: to, cellAt: s.cellAt, open: t.keepOpen()})
}

// keepOpen returns the containers that are open now, for a checkpoint. It makes a frame
// of each at most once.
func (t *streamScan) keepOpen() *frame {
	i := len(t.stack)
	for i > 0 && t.stack[i-1].kept == nil {
		i--
	}
	var parent *frame
	if i > 0 {
		parent = t.stack[i-1].kept
	}
	for ; i < len(t.stack); i++ {
		o := &t.stack[i]
		o.kept = &frame{start: o.start, event: o.event, class: o.class, parent: parent}
		parent = o.kept
	}
	return parent
}
