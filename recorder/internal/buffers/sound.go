package buffers

import "tracex/format"

// Sound returns the longest prefix of a part that one goroutine could have recorded into a
// thread within open containers of these classes, and the classes of those open after it.
func (p Part) Sound(v format.Version, thread int32, open []format.Class) (Part, []format.Class) {
	good, marks := 0, 0
	for at := 0; at < len(p.Data); {
		var m *Mark
		if marks < len(p.Marks) && p.Marks[marks].Pos() == p.First+at {
			m = &p.Marks[marks]
		}
		n, after := soundObject(v, thread, p.Data[at:], m, open)
		if n == 0 {
			break
		}
		open = after
		at += n
		if m != nil {
			marks++
		}
		good = at
	}
	return Part{Data: p.Data[:good], Marks: p.Marks[:marks], First: p.First, Chunk: p.Chunk}, open
}

// soundObject returns the length of the object at the start of b, or 0 if it cannot be there,
// and the containers open after it.
func soundObject(v format.Version, thread int32, b []byte, m *Mark, open []format.Class) (int, []format.Class) {
	n, err := 0, error(nil)
	switch format.Kind(b[0]) {
	case format.KindTracePoint:
		var point format.Point
		n, err = v.DecodePoint(b, &point)
		if err != nil || point.Thread != thread || point.Class.Container() != (m != nil) || m != nil && m.Footer() {
			return 0, nil
		}
		if m != nil {
			open = append(open, point.Class)
		}
	case format.KindFooter:
		if len(open) == 0 || m == nil || !m.Footer() {
			return 0, nil
		}
		var footer format.Footer
		n, err = v.DecodeFooter(b, open[len(open)-1], &footer)
		open = open[:len(open)-1]
	default:
		return 0, nil
	}
	if err != nil || n <= 0 || m != nil && m.End()-m.Pos() != n {
		return 0, nil
	}
	return n, open
}
