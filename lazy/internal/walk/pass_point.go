package walk

import (
	"fmt"
	"math"

	"tracex/format"
	"tracex/lazy/internal/trace"
)

// Point returns the trace point, decoded. It is valid until the visitor returns.
func (p *PassPoint) Point() (*format.Point, error) {
	if p.point != nil {
		return p.point, nil
	}
	if p.data != nil {
		p.point = &p.data.Point
		return p.point, nil
	}
	b, err := p.walk.Bytes(p.At)
	if err != nil {
		return nil, err
	}
	into := &p.walk.decoded
	if _, err := p.walk.version.DecodePoint(b, into); err != nil {
		return nil, p.walk.fail(p.walk.Damaged(err, p.At))
	}
	p.point = into
	return into, nil
}

// Head returns the trace point without its values: the fields of [format.Version.DecodeHead]. The others may
// have anything. It is valid until the visitor returns.
func (p *PassPoint) Head() (*format.Point, error) {
	if p.point != nil || p.data != nil || p.size == 0 || p.size > len(p.walk.window) { // a tree's edits have no window
		return p.Point()
	}
	b, into := p.walk.window[:p.size], &p.walk.head
	if p.Class == format.ClassIteration {
		if _, err := p.walk.version.DecodeHead(b, into); err != nil {
			return nil, p.walk.fail(p.walk.Damaged(err, p.At))
		}
		return into, nil
	}
	into.Class, into.Ref, into.Event, into.Location = p.Class, p.Ref, p.Event, p.Location
	into.Thread, into.Diff, into.Number = format.ThreadOf(b), format.DiffStatus(b[format.PointDiffAt]), 0
	return into, nil
}

// Bytes returns the header or the leaf as recorded, in Enter and Leaf; nil if folding put
// another point in its place.
func (p *PassPoint) Bytes() []byte {
	if p.data != nil || p.size == 0 {
		return nil
	}
	return p.walk.window[:p.size]
}

// FromEnding returns the bytes from the footer on, in Exit; nil if there is none, or if folding
// put another point in place of the one recorded.
func (p *PassPoint) FromEnding() []byte {
	if p.data != nil || p.foot < 0 {
		return nil
	}
	return p.walk.window
}

// Ending returns the footer as recorded, in Exit; nil if there is none, or if folding put another
// point in place of the one recorded.
func (p *PassPoint) Ending() []byte {
	b := p.FromEnding()
	if b == nil {
		return nil
	}
	n, err := p.walk.version.Size(b, p.Class)
	if err != nil {
		p.walk.fail(p.walk.Damaged(err, p.foot))
		return nil
	}
	return b[:n]
}

// DecodeEnding decodes the footer as recorded, in Exit. It returns false if there is none, or if folding put another
// point in place of the one recorded.
func (p *PassPoint) DecodeEnding(f *format.Footer) bool {
	b := p.FromEnding()
	if b == nil {
		return false
	}
	if _, err := p.walk.version.DecodeFooter(b, p.Class, f); err != nil {
		p.walk.fail(p.walk.Damaged(err, p.foot))
		return false
	}
	return true
}

// Ordinal returns the number of a container's cell among those of its thread, in Exit; -1 if it has none: it never ended.
func (p *PassPoint) Ordinal() int64 {
	if p.foot < 0 {
		return -1
	}
	return p.walk.ord
}

// EndsAt returns the logical offset of the footer, in Exit; -1 if there is none.
func (p *PassPoint) EndsAt() int64 { return p.foot }

// Last returns the number of the event recorded last before, or at, the point: in Exit, that of the
// last one in the container or of the container itself.
func (p *PassPoint) Last() int32 { return p.walk.last }

// Moment returns the last known time that is not after the point: when a container begins, in Exit
// when it ends; for others, when the container around it began, or one before it in the same container
// ended. ok is false if that is not known.
func (p *PassPoint) Moment() (ns int64, ok bool) {
	x := p.walk
	if !x.R.Timed() {
		return 0, false
	}
	if p.Class.Container() {
		t, ok := p.Time()
		if p.size == 0 { // being left
			return t.End(), ok && p.State == StateWhole
		}
		return t.Start, ok
	}
	from := int64(0)
	if p.parent != nil {
		from = p.parent.Start
	}
	if n := x.ord; n > 0 {
		if c := x.S.Cells.At(n - 1); c.End >= from {
			_, c, at := x.S.Cells.Around(n-1, math.MaxInt64, &x.near)
			t, ok := x.Time(&NodeData{Point: format.Point{Event: c.ID}, CellAt: at})
			return t.End(), ok
		}
	}
	if p.parent == nil {
		return 0, false
	}
	e := p.walk.stack.dataOf(p.parent)
	if e == nil {
		e = &NodeData{At: p.parent.At, Start: from, End: from, Next: from, Point: format.Point{Class: p.parent.Class, Event: p.parent.Event}}
		if err := x.endOf(nil, x.S.Cells.FirstEnding(from), e); err != nil {
			x.fail(err)
			return 0, false
		}
	}
	t, ok := x.Time(e)
	return t.Start, ok
}

// Parent returns what the text of the point needs to know about the container around it.
func (p *PassPoint) Parent() format.Parent {
	if p.parent == nil || p.parent.Class != format.ClassCall {
		return format.Parent{}
	}
	return format.Parent{Call: true, Method: p.parent.Ref}
}

// Inside returns the container around the point; ok is false for a root.
func (p *PassPoint) Inside() (f PassFrame, ok bool) {
	if p.within != nil {
		if p.Depth == 0 {
			return f, false
		}
		return p.within[p.Depth-1], true
	}
	if p.parent == nil {
		return f, false
	}
	return p.parent.PassFrame, true
}

// end finds the end of a container that is being entered or left.
func (p *PassPoint) end() (*NodeData, error) {
	if p.ends != nil {
		return p.ends, nil
	}
	if p.data != nil {
		p.ends = p.data
		return p.data, nil
	}
	e := &p.walk.looked
	var err error
	if p.size > 0 {
		*e = NodeData{At: p.At, Point: format.Point{Class: p.Class, Event: p.Event}}
		e.Start = p.At + int64(p.size)
		e.End, e.Next = e.Start, e.Start
		if p.Class.Container() {
			err = p.walk.endOf(p.walk.window, p.walk.ord, e)
		}
	} else {
		err = p.walk.left(p, e)
	}
	if err != nil {
		return nil, p.walk.fail(err)
	}
	p.ends = e
	return e, nil
}

// Footer returns the footer of a container: nil if it is not known, as for a container that
// has not ended in a growing trace; that of [format.Unfinished] if it never ended.
func (p *PassPoint) Footer() (*format.Footer, error) {
	if p.footer != nil || !p.Class.Container() || p.closes() {
		return p.footer, nil
	}
	e, err := p.end()
	if err != nil {
		return nil, err
	}
	if p.size == 0 && p.foot >= 0 && p.data == nil {
		if _, err := p.walk.version.DecodeFooter(p.walk.window, p.Class, &e.Foot); err != nil {
			return nil, p.walk.fail(p.walk.Damaged(err, p.foot))
		}
	}
	p.footer = e.ShownFooter()
	return p.footer, nil
}

// closes decodes the footer of a call that is being entered, if it follows the header, as that of most
// calls does: then the index need not be searched. Otherwise ends is not nil when footer is not.
func (p *PassPoint) closes() bool {
	x := p.walk
	if p.size == 0 || p.data != nil || p.ends != nil || p.Class != format.ClassCall || p.size >= len(x.window) {
		return false
	}
	b := x.window[p.size:]
	if format.Kind(b[0]) != format.KindFooter {
		return false
	}
	x.closing = format.Footer{}
	if _, err := x.version.DecodeFooter(b, p.Class, &x.closing); err != nil {
		return false
	}
	p.footer = &x.closing
	return true
}

// Threw reports whether a call ended by an exception. In Exit it decodes nothing else.
func (p *PassPoint) Threw() (bool, error) {
	if p.size > 0 || p.foot < 0 || p.data != nil || p.around || p.Class != format.ClassCall {
		f, err := p.Footer()
		return f != nil && (f.Threw || f.Exception != ""), err
	}
	threw, err := p.walk.version.Threw(p.walk.window)
	if err != nil {
		return false, p.walk.fail(p.walk.Damaged(err, p.foot))
	}
	return threw, nil
}

// Time returns when a container began and how long it took; ok is false if that is not
// known. In Exit it takes no search.
func (p *PassPoint) Time() (t trace.Time, ok bool) {
	if !p.Class.Container() {
		return trace.NoTime, false
	}
	e, err := p.end()
	if err != nil {
		return trace.NoTime, false
	}
	return p.walk.Time(e)
}

// Content returns the logical offsets of the content of a container: from the end of its
// header to its footer.
func (p *PassPoint) Content() (from, to int64, err error) {
	e, err := p.end()
	if err != nil {
		return 0, 0, err
	}
	return e.Start, e.End, nil
}

// Ended returns whether the end of a container is known, in Enter as well.
func (p *PassPoint) Ended() (State, error) {
	if !p.Class.Container() || p.footer != nil && p.ends == nil || p.closes() {
		return StateWhole, nil
	}
	e, err := p.end()
	if err != nil {
		return StatePending, err
	}
	return e.State, nil
}

// Size returns how many bytes of the trace a point takes, with everything in it.
func (p *PassPoint) Size() (int64, error) {
	if !p.Class.Container() {
		return int64(p.size), nil
	}
	e, err := p.end()
	if err != nil {
		return 0, err
	}
	if p.data == nil && p.size == 0 && p.foot >= 0 { // being left: the footer follows
		n, err := p.walk.version.Size(p.walk.window, p.Class)
		if err != nil {
			return 0, p.walk.fail(p.walk.Damaged(err, p.foot))
		}
		return p.foot + int64(n) - p.At, nil
	}
	return e.Next - p.At, nil
}

// Frames calls f for the containers around the point, innermost first, while f returns true.
func (p *PassPoint) Frames(f func(PassFrame) bool) {
	for i := p.Depth - 1; i >= 0; i-- {
		if p.within != nil && !f(p.within[i]) || p.within == nil && !f(p.walk.stack.At(i).PassFrame) {
			return
		}
	}
}

// Within calls visit with the point as if around were the containers around it, outermost first:
// that is what Depth, Inside and Frames tell meanwhile. Parent remains what the text of the point
// was recorded in.
func (p *PassPoint) Within(around []PassFrame, visit func(*PassPoint)) {
	depth, within := p.Depth, p.within
	p.Depth, p.within = len(around), around
	if around == nil {
		p.within = []PassFrame{}
	}
	visit(p)
	p.Depth, p.within = depth, within
}

// Fail ends the pass with an error: a visitor's, which has no result of its own.
func (p *PassPoint) Fail(err error) { p.walk.fail(err) }

// Context returns the descriptors, which do not change until the visitor returns.
func (p *PassPoint) Context() *format.Context { return p.walk.R.Ctx }

// When returns between which times the point was recorded; both are the same if its own is known, as that of
// a container where it is entered and where it is left. Otherwise, as for all leaves, they are those of
// the nearest containers of the thread that began or ended before and after it, as recorded; from the
// begin of the thread if there is none before, and to [math.MaxInt64] if nothing after it has a time. ok is false if the trace has no times.
func (p *PassPoint) When() (from, to int64, ok bool) {
	if !p.walk.R.Timed() {
		return 0, 0, false
	}
	if p.Class.Container() {
		if t, ok := p.Time(); ok && p.size > 0 {
			return t.Start, t.Start, true
		} else if ok {
			return t.End(), t.End(), true
		}
	}
	at := p.At
	if p.Class.Container() && p.size == 0 {
		if at = p.foot; at < 0 {
			at = p.walk.S.Size
		}
	}
	from, to = p.walk.timesAround(at)
	return from, to, true
}

// fail keeps the first error of a request, which ends the walk.
func (x *PassWalk) fail(err error) error {
	if x.err == nil {
		x.err = err
	}
	return err
}

// checkEnd checks that a container that seems to have no end has none.
func (x *PassWalk) checkEnd(ord int64, e *NodeData) error {
	if e.State != StateWhole && x.S.Cells.FirstAround(ord, e.Start) < x.S.Cells.Len() {
		return x.Contradiction(e.At, fmt.Sprintf("event %d, whose end the index does not have", e.Point.Event))
	}
	return nil
}

// endOf finds the end of a container whose header has been read; b begins with it, or is empty.
func (x *PassWalk) endOf(b []byte, ord int64, e *NodeData) error {
	if err := x.contentIn(b, ord, x.S.Size, e, true); err != nil {
		return err
	}
	return x.checkEnd(ord, e)
}

// left describes the container that is being left.
func (x *PassWalk) left(p *PassPoint, e *NodeData) error {
	f := x.stack.At(p.level)
	if p.around {
		start := NodeData{At: f.At, Start: f.Start, End: f.Start, Next: f.Start, Point: format.Point{Class: f.Class, Event: f.Event}}
		if *e = start; x.inner > 0 {
			if err := x.endOf(nil, x.inner, e); err != nil || e.State == StateWhole {
				return err
			}
			*e = start
		}
		return x.endOf(nil, x.S.Cells.FirstEnding(f.Start), e)
	}
	*e = NodeData{At: f.At, Start: f.Start, State: p.State, Point: format.Point{Class: f.Class, Event: f.Event}}
	if p.foot < 0 {
		e.End, e.Next = x.S.Size, x.S.Size
		e.Foot = format.Unfinished(f.Class)
		if p.State == StateUnfinished && f.Class == format.ClassLoop {
			e.First = x.S.Cells.FirstEnding(f.Start)
			return x.countIterations(e)
		}
		return nil
	}
	e.End = p.foot
	var c format.Cell
	_, c, e.CellAt = x.S.Cells.Around(x.ord, math.MaxInt64, &x.near)
	if e.CellAt == 0 || c.End != p.foot || c.ID != p.Event && f.data == 0 {
		return x.Contradiction(f.At, fmt.Sprintf("event %d that ends at %d, which the index has as event %d that ends at %d",
			p.Event, p.foot, c.ID, c.End))
	}
	return nil
}
