package format

// Border is where a container begins or ends, as recorded by [Scanner.Leap].
type Border struct {
	At    int64 // logical: of the kind byte of its header, or of its footer
	To    int64 // logical: the end of the header, or of the footer
	Event int32 // of a header
	Class Class
	Ends  bool // it is a footer
}

// Leap records what a [Scanner] has passed in one leap.
type Leap struct {
	Borders []Border // in order; a leap ends if there is no room for another
	Calls   int64    // calls that began
	Points  int64    // trace points, calls among them
	Logical int64    // where the leap ended, in the stream of the thread
}

// Leap skips trace points and footers of the scanner's current block. It passes all objects
// that Next would visit, up to the first one of another kind, one that needs the slow path, or
// the physical offset stop. It fills l anew, within the capacity of l.Borders, and reports
// whether it has passed anything. The last result of Object becomes invalid.
func (s *Scanner) Leap(stop int64, l *Leap) bool {
	*l = Leap{Borders: l.Borders[:0]}
	if s.err != nil || s.cur == nil || s.obj.Kind == KindBlockEnd {
		return false
	}
	s.leave()
	t, buf, opened := s.cur, s.buf, s.cur.open
	end := int(min(stop-s.base, int64(len(buf))))
	before := t.size - int64(s.pos) // of the block: converts physical to logical
	thread := s.obj.Thread
	s.obj = Object{Kind: KindBlockStart, Thread: s.obj.Thread} // nothing is left to count
	classes := s.version.classes()
	borders, k := l.Borders[:cap(l.Borders)], 0
	pos, newest := s.pos, s.version >= V27
	for pos < end && k < len(borders) {
		open := ClassIteration // a footer that closes nothing is refused below
		if n := len(opened); n > 0 {
			open = opened[n-1]
		}
		b := buf[pos:]
		var n int
		if newest {
			n = fastSize27(b, open)
		} else {
			n = fastSize22(b, open)
		}
		if n == 0 {
			if n = s.version.leapSize(b, open); n == 0 {
				break
			}
		}
		if Kind(b[0]) == KindTracePoint {
			if ThreadOf(b) != thread || b[PointClassAt] >= classCount {
				break
			}
			l.Points++
			class := classes[b[PointClassAt]]
			if class.Container() {
				if class == ClassCall {
					l.Calls++
				}
				o := &borders[k]
				o.At, o.Event, o.Class, o.Ends = before+int64(pos), EventOf(b), class, false
				o.To = o.At + int64(n)
				k++
				opened = append(opened, class)
			}
		} else {
			if len(opened) == 0 {
				break
			}
			o := &borders[k]
			o.At, o.Event, o.Class, o.Ends = before+int64(pos), 0, open, true
			o.To = o.At + int64(n)
			k++
			opened = opened[:len(opened)-1]
		}
		pos += n
	}
	passed := pos > s.pos
	s.pos, t.open, t.size = pos, opened, before+int64(pos)
	l.Borders, l.Logical = borders[:k], t.size
	return passed
}

// leapSize is the slow path of Leap. It returns the size of the trace point or footer at the
// start of b, or 0 if it is something else or Next has to look.
func (v Version) leapSize(b []byte, open Class) int {
	if len(b) == 0 || Kind(b[0]) != KindTracePoint && Kind(b[0]) != KindFooter {
		return 0
	}
	c := skipper{reader{b: b, v: v}}
	c.skipAny(open)
	if c.err != nil || c.i > MaxObject {
		return 0
	}
	return c.i
}
