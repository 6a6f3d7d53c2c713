package format

// Peek decodes the fields that identify the TRACEPOINT at the start of b, without its values:
// Class, Location, Thread, Event, Diff, Ref, and Number of an iteration. Other fields of p are
// unchanged. n is the size of the point in bytes.
func (v Version) Peek(b []byte, p *Point) (n int, err error) {
	n, err = v.Size(b, 0)
	if err != nil {
		return 0, err
	}
	c := reader{b: b[:n], i: PointClassAt, v: v}
	p.Class, _ = v.PointClass(c.u8())
	p.Location, p.Thread, p.Event = c.i32(), c.i32(), c.i32()
	p.Diff = DiffStatus(c.u8())
	p.Ref, p.Number = 0, 0
	switch p.Class {
	case ClassCall, ClassLoop, ClassIteration:
		statuses, _ := c.subtreeCount()
		c.take(statuses, "diff statuses")
		p.Ref = c.i32()
		if p.Class == ClassIteration {
			p.Number = c.i32()
		}
	case ClassVariableRead, ClassVariableWrite, ClassFieldRead, ClassFieldWrite:
		p.Ref = c.i32()
	}
	return n, c.error()
}
