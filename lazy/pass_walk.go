package lazy

import (
	"encoding/binary"
	"fmt"
	"math"

	"tracex/format"
)

// passWalk visits the objects of a part of a thread in the order of the data. It must be used
// within use, by one goroutine.
type passWalk struct {
	*walker
	version format.Version
	l       *childReader // for folding
	folded  bool
	to      int64 // logical: where to end; -1 for the end of the thread
	pos     int64 // logical: of the next object
	ord     int64 // of the first cell that ends at or after pos
	stack   []passFrame
	window  []byte // from pos to the end of the block, or to what is known; nil to find it
	visit   []Visitor
	skimmed skimming
	hides   *hiddenVisitor // nil if the pass is not about what is hidden

	now     PassPoint     // the argument of visitors
	lent    dataPool      // for folding
	decoded format.Point  // by PassPoint.Point
	head    format.Point  // by PassPoint.Head
	leaf    format.Point  // the argument of Coverage
	looked  nodeData      // by PassPoint.end
	closing format.Footer // by PassPoint.closes
	read    nodeData      // before folding
	err     error         // of a visitor's request
	changed bool          // folding changed or dropped a point
	last    int32         // number of the event visited last, before folding
	visited int           // how many objects were visited or passed
}

// passFrame is an open container.
type passFrame struct {
	PassFrame
	start int64 // logical: its content
	// resume is where to continue after the footer, with the ordinal after; 0 for
	// right after it.
	resume, after int64
	data          *nodeData // in place of what was recorded; nil if the same
	skim          skimState
}

// fail keeps the first error of a request, which ends the walk.
func (x *passWalk) fail(err error) error {
	if x.err == nil {
		x.err = err
	}
	return err
}

// steps visits up to n objects. more is false at the end of the part.
func (x *passWalk) steps(n int) (more bool, err error) {
	x.window = nil // the mapping may have changed
	most := n
	defer func() { x.visited += most - n }()
	for ; n > 0; n-- {
		if x.skimmed.by != nil {
			n -= x.skim(n)
		}
		if more, err = x.step(); !more || err != nil {
			return more, err
		}
		if x.err != nil {
			return false, x.err
		}
	}
	return true, nil
}

// step visits the next object.
func (x *passWalk) step() (more bool, err error) {
	if len(x.window) == 0 {
		if x.pos >= x.s.Size {
			if x.to >= 0 {
				return false, nil
			}
			return false, x.leaveAll()
		}
		if x.window, err = x.bytes(x.pos); err != nil {
			return false, err
		}
	}
	switch k := format.Kind(x.window[0]); {
	case k == format.KindTracePoint:
		if x.to >= 0 && x.pos >= x.to {
			return false, nil
		}
		return true, x.point()
	case k == format.KindFooter:
		return true, x.footer()
	case k.Reference():
		n, err := x.version.Size(x.window, 0)
		if err != nil {
			return false, x.damaged(err, x.pos)
		}
		x.advance(n)
		return true, nil
	default:
		return false, x.contradiction(x.pos, k.String()+" where a trace point should be")
	}
}

func (x *passWalk) advance(n int) {
	x.window = x.window[n:]
	x.pos += int64(n)
}

// jump continues at a logical offset, at or after pos.
func (x *passWalk) jump(pos, ord int64) {
	if n := pos - x.pos; n < int64(len(x.window)) {
		x.window = x.window[n:]
	} else {
		x.window = nil
	}
	x.pos, x.ord = pos, ord
}

// point visits the trace point at pos.
func (x *passWalk) point() error {
	b := x.window
	n, err := x.version.Size(b, 0)
	if err != nil {
		return x.damaged(err, x.pos)
	}
	p := &x.now
	p.Class, _ = x.version.PointClass(b[format.PointClassAt])
	p.Location, p.Event, p.At = format.LocationOf(b), format.EventOf(b), x.pos
	p.Ref = refOf(x.version, p.Class, b)
	x.last = p.Event
	p.size, p.State, p.foot = n, StateWhole, -1
	p.point, p.ends, p.footer, p.data = nil, nil, nil, nil
	p.Depth = len(x.stack)
	p.parent = nil
	if p.Depth > 0 {
		p.parent = &x.stack[p.Depth-1]
	}
	if x.folded {
		if plain, err := x.plain(p, n); !plain || err != nil {
			return err
		}
	}
	if !p.Class.Container() {
		for _, v := range x.visit {
			v.Leaf(p)
		}
		x.advance(n)
		return nil
	}
	for _, v := range x.visit {
		v.Enter(p)
	}
	x.stack = append(x.stack, passFrame{PassFrame: p.PassFrame, start: x.pos + int64(n)})
	x.advance(n)
	return nil
}

// refOf returns the Ref of the point of a class at the start of b, which must be whole.
func refOf(v format.Version, class format.Class, b []byte) int32 {
	switch class {
	case format.ClassCall, format.ClassLoop, format.ClassIteration:
		at := format.StatusCountAt + format.StatusCountSize + v.StatusCount(b[format.StatusCountAt])
		if at+format.IDSize > len(b) {
			return -1
		}
		return int32(binary.BigEndian.Uint32(b[at:]))
	case format.ClassVariableRead, format.ClassVariableWrite, format.ClassFieldRead, format.ClassFieldWrite:
		return int32(binary.BigEndian.Uint32(b[format.LeafIDAt:]))
	}
	return 0
}

// checkEnd checks that a container that seems to have no end has none.
func (x *passWalk) checkEnd(ord int64, e *nodeData) error {
	if e.state != StateWhole && x.s.Cells.FirstAround(ord, e.start) < x.s.Cells.Len() {
		return x.contradiction(e.at, fmt.Sprintf("event %d, whose end the index does not have", e.point.Event))
	}
	return nil
}

// endOf finds the end of a container whose header has been read; b begins with it, or is empty.
func (x *passWalk) endOf(b []byte, ord int64, e *nodeData) error {
	if err := x.contentIn(b, ord, x.s.Size, e, true); err != nil {
		return err
	}
	return x.checkEnd(ord, e)
}

// left describes the container that is being left.
func (x *passWalk) left(p *PassPoint, e *nodeData) error {
	f := &x.stack[p.level]
	if p.around {
		*e = nodeData{at: f.At, start: f.start, end: f.start, next: f.start, point: format.Point{Class: f.Class, Event: f.Event}}
		return x.endOf(nil, x.s.Cells.FirstEnding(f.start), e)
	}
	*e = nodeData{at: f.At, start: f.start, state: p.State, point: format.Point{Class: f.Class, Event: f.Event}}
	if p.foot < 0 {
		e.end, e.next = x.s.Size, x.s.Size
		e.foot = format.Unfinished(f.Class)
		if p.State == StateUnfinished && f.Class == format.ClassLoop {
			e.first = x.s.Cells.FirstEnding(f.start)
			return x.countIterations(e)
		}
		return nil
	}
	e.end = p.foot
	var c format.Cell
	_, c, e.cellAt = x.s.Cells.Around(x.ord, math.MaxInt64, &x.near)
	if e.cellAt == 0 || c.End != p.foot || c.ID != p.Event && f.data == nil {
		return x.contradiction(f.At, fmt.Sprintf("event %d that ends at %d, which the index has as event %d that ends at %d",
			p.Event, p.foot, c.ID, c.End))
	}
	return nil
}

// footer leaves the innermost container, whose footer is at pos.
func (x *passWalk) footer() error {
	if len(x.stack) == 0 {
		return x.contradiction(x.pos, format.KindFooter.String()+" where a trace point should be")
	}
	n, err := x.version.Size(x.window, x.stack[len(x.stack)-1].Class) // folding never changes it
	if err != nil {
		return x.damaged(err, x.pos)
	}
	x.exit(StateWhole, x.pos)
	f := &x.stack[len(x.stack)-1]
	if f.resume > 0 {
		if x.hides != nil {
			x.hides.hide(x.ord, f.after-1)
		}
		x.jump(f.resume, f.after)
	} else {
		x.ord++
		x.advance(n)
	}
	x.stack = x.stack[:len(x.stack)-1]
	return nil
}

// exit calls visitors for the innermost container.
func (x *passWalk) exit(state State, foot int64) {
	x.describe(len(x.stack)-1, state, foot)
	for _, v := range x.visit {
		v.Exit(&x.now)
	}
}

// describe makes an open container the argument of visitors.
func (x *passWalk) describe(depth int, state State, foot int64) {
	p := &x.now
	f := &x.stack[depth]
	p.PassFrame, p.Depth, p.level, p.State, p.foot = f.PassFrame, depth, depth, state, foot
	p.size, p.data = 0, f.data
	p.point, p.ends, p.footer = nil, nil, nil
	p.parent = nil
	if depth > 0 {
		p.parent = &x.stack[depth-1]
	}
}

// leaveAll leaves all containers that are open at the end of the thread.
func (x *passWalk) leaveAll() error {
	state := StatePending
	if x.v.Complete {
		state = StateUnfinished
	}
	for len(x.stack) > 0 {
		x.exit(state, -1)
		x.stack = x.stack[:len(x.stack)-1]
	}
	return x.err
}
