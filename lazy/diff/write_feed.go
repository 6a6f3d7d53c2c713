package diff

import (
	"fmt"

	"tracex/format"
	"tracex/lazy/internal/walk"
)

// feed reads siblings of a thread of a side with everything in them, object by object. A container without a footer gets
// one at the end of the thread. The side must be held.
type feed struct {
	s    *source
	pos  int64  // of the next object, logical
	b    []byte // from there to the end of the block; nil to find it
	ord  int64  // of the first cell that ends at or after pos
	open []feedOpen
	// heads reads only heads of points and nothing of footers.
	heads bool

	// The current object: a point, or a footer if closed is set, then with the Class and the Event of the point.
	closed bool
	at     int64
	point  format.Point
	footer format.Footer
	cellAt int64 // of a container's footer: see [walk.NodeData]; 0 if unknown
}

// feedOpen is a container whose footer is still to come.
type feedOpen struct {
	class      format.Class
	event      int32
	iterations int32
}

// start begins with the siblings at an offset.
func (f *feed) start(s *source, at int64) {
	f.s, f.pos, f.b, f.open = s, at, nil, f.open[:0]
	f.ord = s.w.S.Cells.FirstEnding(at)
}

// release forgets the bytes: the mappings may change.
func (f *feed) release() { f.b = nil }

// next reads the next object. Of a list of siblings it does not know the end.
func (f *feed) next() error {
	for {
		if f.pos >= f.s.w.S.Size {
			return f.unended()
		}
		if len(f.b) == 0 {
			var err error
			if f.b, err = f.s.w.Bytes(f.pos); err != nil {
				return err
			}
		}
		f.at = f.pos
		switch k := format.Kind(f.b[format.KindAt]); {
		case k == format.KindTracePoint:
			return f.enter()
		case k == format.KindFooter && len(f.open) > 0:
			return f.leave()
		case k.Reference():
			n, err := f.s.version.Size(f.b, 0)
			if err != nil {
				return f.s.w.Damaged(err, f.pos)
			}
			f.pass(n)
		default:
			return f.s.w.Contradiction(f.pos, k.String()+" where a trace point should be")
		}
	}
}

// atEnd passes reference objects, and reports whether the thread ends there.
func (f *feed) atEnd() (bool, error) {
	at, b, err := f.s.w.SeekPoint(f.pos, f.s.w.S.Size)
	f.pos, f.b = at, b
	return b == nil, err
}

func (f *feed) pass(n int) {
	f.pos += int64(n)
	f.b = f.b[n:]
	f.s.read = f.pos
}

func (f *feed) enter() error {
	var n int
	var err error
	if f.heads {
		n, err = f.s.version.DecodeHead(f.b, &f.point)
	} else {
		n, err = f.s.version.DecodePoint(f.b, &f.point)
	}
	if err != nil {
		return f.s.w.Damaged(err, f.pos)
	}
	f.closed = false
	f.pass(n)
	p := &f.point
	if last := len(f.open) - 1; last >= 0 && p.Class == format.ClassIteration {
		f.open[last].iterations = p.Number + 1
	}
	if p.Class.Container() {
		f.open = append(f.open, feedOpen{class: p.Class, event: p.Event})
	}
	return nil
}

func (f *feed) leave() error {
	o := f.pop()
	var n int
	var err error
	if f.heads {
		n, err = f.s.version.Size(f.b, o.class)
	} else {
		n, err = f.s.version.DecodeFooter(f.b, o.class, &f.footer)
	}
	if err != nil {
		return f.s.w.Damaged(err, f.pos)
	}
	if f.cellAt = 0; f.s.r.Timed() && f.ord < f.s.w.S.Cells.Len() {
		c, cellAt := f.s.w.S.Cells.WithOffset(f.ord)
		if c.ID != o.event || c.End != f.pos {
			return f.s.w.Contradiction(f.pos, fmt.Sprintf("the end of event %d, which the index does not have", o.event))
		}
		f.cellAt = cellAt
	}
	f.ord++
	f.pass(n)
	return nil
}

// unended ends a container that did not end.
func (f *feed) unended() error {
	if len(f.open) == 0 {
		return f.s.w.Contradiction(f.pos, "the end of the thread where a trace point should be")
	}
	o := f.pop()
	f.cellAt = 0
	f.footer = format.Unfinished(o.class)
	if o.class == format.ClassLoop {
		f.footer.Iterations = o.iterations
	}
	return nil
}

func (f *feed) pop() feedOpen {
	o := f.open[len(f.open)-1]
	f.open = f.open[:len(f.open)-1]
	f.closed = true
	f.point.Class, f.point.Event = o.class, o.event
	return o
}

// took returns how long the container took whose footer is the current object, in ns; -1 if that is not known.
func (f *feed) took() int64 {
	return f.s.took(&walk.NodeData{CellAt: f.cellAt, Point: format.Point{Event: f.point.Event}})
}
