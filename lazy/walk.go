package lazy

import (
	"fmt"

	"tracex/format"
	"tracex/lazy/internal/index"
)

// State is whether the end of a trace point is known.
type State uint8

const (
	StateWhole      State = iota
	StateUnfinished       // the recording ends within it
	StatePending          // its end has not been found yet
)

// nodeData is a trace point as it was read from its thread's stream. Offsets are
// logical.
type nodeData struct {
	at     int64 // of the header or leaf
	next   int64 // after the footer or leaf
	start  int64 // of a container: its content, from start to end
	end    int64
	first  int64 // ordinal of the first cell that ends at or after start
	after  int64 // ordinal of the first cell that ends at or after next
	cellAt int64 // offset of its cell in a streaming recorder's index; 0 if it has none
	inner  int64 // of a loop whose content is that of its only iteration: the iteration's header; 0 otherwise
	state  State
	point  format.Point
	foot   format.Footer

	// In an edited tree:
	in     *splice   // what it was recorded in
	inside EditState // of a container: the state in it
}

// container reports whether the point may have children.
func (e *nodeData) container() bool { return e.point.Class.Container() }

// shownFooter returns the footer for the text: nil while it is not known.
func (e *nodeData) shownFooter() *format.Footer {
	if e.state == StatePending {
		return nil
	}
	return &e.foot
}

// hasContent reports whether there are bytes between header and footer.
func (e *nodeData) hasContent() bool { return e.end > e.start }

// walker reads one thread's stream. It must be used within use, by one
// goroutine.
type walker struct {
	r    *trace
	v    *index.View
	s    *index.Stream
	hint int // block
	near int // passed to Cells.Around
}

// bytes returns the bytes at a logical offset below the stream's size, up to the
// end of the block, or of its known part.
func (w *walker) bytes(pos int64) ([]byte, error) {
	w.hint = w.s.Locate(pos, w.hint)
	if w.hint < 0 {
		return nil, w.contradiction(pos, "no block")
	}
	b := w.s.Block(w.hint)
	lo, hi := b.Physical+pos-b.Logical, b.Physical+w.s.End(w.hint)-b.Logical
	if lo >= hi || hi > int64(len(w.r.data.Bytes())) {
		return nil, w.contradiction(pos, "a block after the end of the data")
	}
	return w.r.data.Bytes()[lo:hi], nil
}

// next reads the child at pos, or after reference objects there, in content that ends
// at end. ord is the ordinal of the first cell that ends at or after pos. If want is
// false, it reads only Class, Event, Ref, and Location of the point, and nothing of
// the footer. It returns false at the end of the content.
func (w *walker) next(pos, ord, end int64, e *nodeData, want bool) (bool, error) {
	pos, b, err := w.seekPoint(pos, end)
	if b == nil || err != nil {
		return false, err
	}
	return true, w.point(pos, ord, end, b, e, want)
}

// seekPoint passes reference objects. It returns where the next trace point before end is,
// and the bytes from there on, nil if there is none.
func (w *walker) seekPoint(pos, end int64) (at int64, b []byte, err error) {
	for pos < end {
		if b, err = w.bytes(pos); err != nil {
			return pos, nil, err
		}
		switch k := format.Kind(b[0]); {
		case k == format.KindTracePoint:
			return pos, b, nil
		case k.Reference():
			n, err := w.r.data.Version().Size(b, 0)
			if err != nil {
				return pos, nil, w.damaged(err, pos)
			}
			pos += int64(n)
		default:
			return pos, nil, w.contradiction(pos, k.String()+" where a trace point should be")
		}
	}
	return pos, nil, nil
}

// point reads the trace point at the start of b, which is at pos.
func (w *walker) point(pos, ord, end int64, b []byte, e *nodeData, want bool) error {
	var n int
	var err error
	if want {
		n, err = w.r.data.Version().DecodePoint(b, &e.point)
	} else {
		n, err = w.r.data.Version().DecodeHead(b, &e.point)
	}
	if err != nil {
		return w.damaged(err, pos)
	}
	e.at, e.next = pos, pos+int64(n)
	e.after, e.state = ord, StateWhole
	e.start, e.end, e.cellAt, e.inner = e.next, e.next, 0, 0
	e.foot = format.Footer{}
	if !e.container() {
		e.first = ord
		return nil
	}
	return w.contentIn(b, ord, end, e, want)
}

// content finds the end of a container whose header has been read.
func (w *walker) content(ord, end int64, e *nodeData, want bool) error {
	return w.contentIn(nil, ord, end, e, want)
}

// contentIn is content for a header at the start of b. If the footer is in b too, no block is
// looked up.
func (w *walker) contentIn(b []byte, ord, end int64, e *nodeData, want bool) error {
	e.first, e.cellAt = ord, 0
	own, c, cellAt := w.s.Cells.Around(ord, e.start, &w.near)
	if own < w.s.Cells.Len() {
		switch {
		case c.Start != e.start: // an outer container: this one has no end
		case c.End < e.start || c.End >= end || c.ID != e.point.Event:
			return w.contradiction(e.at, fmt.Sprintf("event %d from %d to %d, which the index has as event %d from %d to %d",
				e.point.Event, e.start, end, c.ID, c.Start, c.End))
		default:
			e.end, e.after, e.cellAt = c.End, own+1, cellAt
			if n := e.end - e.at; n < int64(len(b)) {
				return w.footer(b[n:], e, want)
			}
			b, err := w.bytes(e.end)
			if err != nil {
				return err
			}
			return w.footer(b, e, want)
		}
	}
	if end != w.s.Size {
		return w.contradiction(e.at, fmt.Sprintf("event %d, whose end the index does not have", e.point.Event))
	}
	// It contains everything that follows.
	e.end, e.next, e.after = w.s.Size, w.s.Size, w.s.Cells.Len()
	e.state = StatePending
	if w.v.Complete {
		e.state = StateUnfinished
		e.foot = format.Unfinished(e.point.Class)
		if want && e.point.Class == format.ClassLoop {
			return w.countIterations(e)
		}
	}
	return nil
}

// countIterations sets the number of iterations of a loop without a footer from its
// last iteration. If the last child is something else, which no recorder writes, it
// counts all iterations.
func (w *walker) countIterations(e *nodeData) error {
	last, ok, err := w.last(e, false)
	if !ok || err != nil {
		return err
	}
	if last.point.Class == format.ClassIteration {
		b, err := w.bytes(last.at)
		if err == nil {
			_, err = w.r.data.Version().DecodePoint(b, &last.point)
		}
		e.foot.Iterations = last.point.Number + 1
		return err
	}
	var child nodeData
	for pos, ord := e.start, e.first; ; pos, ord = child.next, child.after {
		ok, err := w.next(pos, ord, e.end, &child, false)
		if !ok || err != nil {
			return err
		}
		if child.point.Class == format.ClassIteration {
			e.foot.Iterations++
		}
	}
}

// footer reads the footer at the start of b, which is at e.end.
func (w *walker) footer(b []byte, e *nodeData, want bool) error {
	if k := format.Kind(b[0]); k != format.KindFooter {
		return w.contradiction(e.end, k.String()+" where a footer should be")
	}
	var n int
	var err error
	if want {
		n, err = w.r.data.Version().DecodeFooter(b, e.point.Class, &e.foot)
	} else {
		n, err = w.r.data.Version().Size(b, e.point.Class)
	}
	if err != nil {
		return w.damaged(err, e.end)
	}
	if !w.plausible(b[n:]) {
		return w.contradiction(e.end, "bytes that only look like a footer")
	}
	e.next = e.end + int64(n)
	return nil
}

// plausible reports whether another object of the thread can begin at the start
// of b, which follows a footer and may be empty. An offset from a wrong cell is seldom
// followed by one.
func (w *walker) plausible(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	switch k := format.Kind(b[0]); {
	case k == format.KindTracePoint:
		if len(b) < format.PointDiffAt {
			return false
		}
		class, ok := w.r.data.Version().PointClass(b[format.PointClassAt])
		return ok && (class == format.ClassSnapshot || format.ThreadOf(b) == w.s.Thread)
	case k.Reference():
		_, err := w.r.data.Version().Size(b, 0)
		return err == nil
	default:
		return k == format.KindFooter
	}
}

// damaged adds the position to an error of the decoders, whose bytes began at pos.
func (w *walker) damaged(err error, pos int64) error {
	return format.At(err, w.r.path, w.s.Physical(pos))
}

// contradiction returns the error that index and data contradict each other.
func (w *walker) contradiction(pos int64, found string) error {
	return &format.Error{File: w.r.path, Offset: w.s.Physical(pos), Err: index.ErrContradiction, Found: found}
}

// EditState is what Edits know about what is around a point. It does not change.
type EditState any

// EditLeaves tells which points that are no containers are shown.
type EditLeaves uint8

const (
	LeavesAll   EditLeaves = iota
	LeavesNone             // all are merged
	LeavesAsked            // those that [Edits].Leaf says
)

// splice is a container without a row, whose children are read in its place; or, outermost, the node
// whose children are read. It does not change.
type splice struct {
	outer *splice // nil for the node
	at    int64   // logical: of the header
	start int64   // of the content, as the view shows it
	end   int64
	first int64 // ordinal of the first cell that ends at or after start
	next  int64 // where outer's children continue; of the first cell that ends at or after that
	after int64
	depth int32 // how many containers are around what is in it, as recorded, with the thread
	text  format.Parent
	state EditState
	// leaves is Edits.Leaves of state.
	leaves EditLeaves
}

// holds reports whether an offset is in the content, or at one of its ends.
func (s *splice) holds(at int64) bool { return s.outer == nil || s.start <= at && at <= s.end }

// nested is Nested for a point: 0 for a leaf.
func (e *nodeData) nested() int64 {
	switch {
	case !e.container():
		return 0
	case e.state == StateWhole:
		return max(0, e.after-e.first-1) // its own cell is the last
	}
	return max(0, e.after-e.first)
}

// walkerOn returns a walker of a thread's stream in a view.
func (t *walkReader) walkerOn(v *index.View, thread int32) (*walker, error) {
	if !t.shows(v) {
		return nil, errStale
	}
	s := v.Stream(thread)
	if s == nil {
		return nil, fmt.Errorf("thread %d is not in the trace", thread)
	}
	return &walker{r: t.trace, v: v, s: s}, nil
}
