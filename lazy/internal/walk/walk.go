// Package walk reads the threads of an open trace, point by point, and keeps none of them.
//
//	Walker        reads one thread: the next point, where its content ends, its time
//	ChildReader   the children of one point, as they are or folded, with or without edits
//	Reader        a trace.Worker that walks over whole traces: Pass, Search, Print, Translate, Summarize, and
//	              finds places: by number, by time, by fraction
//
// Package lazy has the tree, which keeps points, and the names of this package that others use.
package walk

import (
	"fmt"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
)

// State is whether the end of a trace point is known.
type State uint8

const (
	StateWhole      State = iota
	StateUnfinished       // the recording ends within it
	StatePending          // its end has not been found yet
)

// NodeData is a trace point as it was read from its thread's stream. Offsets are
// logical.
type NodeData struct {
	At     int64 // of the header or leaf
	Next   int64 // after the footer or leaf
	Start  int64 // of a container: its content, from start to end
	End    int64
	First  int64 // ordinal of the first cell that ends at or after start
	After  int64 // ordinal of the first cell that ends at or after next
	CellAt int64 // offset of its cell in a streaming recorder's index; 0 if it has none
	Inner  int64 // of a loop whose content is that of its only iteration: the iteration's header; 0 otherwise
	State  State
	Point  format.Point
	Foot   format.Footer

	// In an edited tree:
	In     *Splice   // what it was recorded in
	Inside EditState // of a container: the state in it
}

// Container reports whether the point may have children.
func (e *NodeData) Container() bool { return e.Point.Class.Container() }

// ShownFooter returns the footer for the text: nil while it is not known.
func (e *NodeData) ShownFooter() *format.Footer {
	if e.State == StatePending {
		return nil
	}
	return &e.Foot
}

// HasContent reports whether there are bytes between header and footer.
func (e *NodeData) HasContent() bool { return e.End > e.Start }

// Walker reads one thread's stream. It must be used within use, by one
// goroutine.
type Walker struct {
	R    *trace.Trace
	V    *index.View
	S    *index.Stream
	hint int // block
	near int // passed to Cells.Around
}

// Bytes returns the bytes at a logical offset below the stream's size, up to the
// end of the block, or of its known part.
func (w *Walker) Bytes(pos int64) ([]byte, error) {
	w.hint = w.S.Locate(pos, w.hint)
	if w.hint < 0 {
		return nil, w.Contradiction(pos, "no block")
	}
	b := w.S.Block(w.hint)
	lo, hi := b.Physical+pos-b.Logical, b.Physical+w.S.End(w.hint)-b.Logical
	if lo >= hi || hi > int64(len(w.R.Data.Bytes())) {
		return nil, w.Contradiction(pos, "a block after the end of the data")
	}
	return w.R.Data.Bytes()[lo:hi], nil
}

// Next reads the child at pos, or after reference objects there, in content that ends
// at end. ord is the ordinal of the first cell that ends at or after pos. If want is
// false, it reads only Class, Event, Ref, and Location of the point, and nothing of
// the footer. It returns false at the end of the content.
func (w *Walker) Next(pos, ord, end int64, e *NodeData, want bool) (bool, error) {
	pos, b, err := w.SeekPoint(pos, end)
	if b == nil || err != nil {
		return false, err
	}
	return true, w.point(pos, ord, end, b, e, want)
}

// SeekPoint passes reference objects. It returns where the next trace point before end is,
// and the bytes from there on, nil if there is none.
func (w *Walker) SeekPoint(pos, end int64) (at int64, b []byte, err error) {
	for pos < end {
		if b, err = w.Bytes(pos); err != nil {
			return pos, nil, err
		}
		switch k := format.Kind(b[0]); {
		case k == format.KindTracePoint:
			return pos, b, nil
		case k.Reference():
			n, err := w.R.Data.Version().Size(b, 0)
			if err != nil {
				return pos, nil, w.Damaged(err, pos)
			}
			pos += int64(n)
		default:
			return pos, nil, w.Contradiction(pos, k.String()+" where a trace point should be")
		}
	}
	return pos, nil, nil
}

// point reads the trace point at the start of b, which is at pos.
func (w *Walker) point(pos, ord, end int64, b []byte, e *NodeData, want bool) error {
	var n int
	var err error
	if want {
		n, err = w.R.Data.Version().DecodePoint(b, &e.Point)
	} else {
		n, err = w.R.Data.Version().DecodeHead(b, &e.Point)
	}
	if err != nil {
		return w.Damaged(err, pos)
	}
	e.At, e.Next = pos, pos+int64(n)
	e.After, e.State = ord, StateWhole
	e.Start, e.End, e.CellAt, e.Inner = e.Next, e.Next, 0, 0
	e.Foot = format.Footer{}
	if !e.Container() {
		e.First = ord
		return nil
	}
	return w.contentIn(b, ord, end, e, want)
}

// Content finds the end of a container whose header has been read.
func (w *Walker) Content(ord, end int64, e *NodeData, want bool) error {
	return w.contentIn(nil, ord, end, e, want)
}

// contentIn is content for a header at the start of b. If the footer is in b too, no block is
// looked up.
func (w *Walker) contentIn(b []byte, ord, end int64, e *NodeData, want bool) error {
	e.First, e.CellAt = ord, 0
	own, c, cellAt := w.S.Cells.Around(ord, e.Start, &w.near)
	if own < w.S.Cells.Len() {
		switch {
		case c.Start != e.Start: // an outer container: this one has no end
		case c.End < e.Start || c.End >= end || c.ID != e.Point.Event:
			return w.Contradiction(e.At, fmt.Sprintf("event %d from %d to %d, which the index has as event %d from %d to %d",
				e.Point.Event, e.Start, end, c.ID, c.Start, c.End))
		default:
			e.End, e.After, e.CellAt = c.End, own+1, cellAt
			if n := e.End - e.At; n < int64(len(b)) {
				return w.footer(b[n:], e, want)
			}
			b, err := w.Bytes(e.End)
			if err != nil {
				return err
			}
			return w.footer(b, e, want)
		}
	}
	if end != w.S.Size {
		return w.Contradiction(e.At, fmt.Sprintf("event %d, whose end the index does not have", e.Point.Event))
	}
	// It contains everything that follows.
	e.End, e.Next, e.After = w.S.Size, w.S.Size, w.S.Cells.Len()
	e.State = StatePending
	if w.V.Complete {
		e.State = StateUnfinished
		e.Foot = format.Unfinished(e.Point.Class)
		if want && e.Point.Class == format.ClassLoop {
			return w.countIterations(e)
		}
	}
	return nil
}

// countIterations sets the number of iterations of a loop without a footer from its
// last iteration. If the last child is something else, which no recorder writes, it
// counts all iterations.
func (w *Walker) countIterations(e *NodeData) error {
	last, ok, err := w.Last(e, false)
	if !ok || err != nil {
		return err
	}
	if last.Point.Class == format.ClassIteration {
		b, err := w.Bytes(last.At)
		if err == nil {
			_, err = w.R.Data.Version().DecodePoint(b, &last.Point)
		}
		e.Foot.Iterations = last.Point.Number + 1
		return err
	}
	var child NodeData
	for pos, ord := e.Start, e.First; ; pos, ord = child.Next, child.After {
		ok, err := w.Next(pos, ord, e.End, &child, false)
		if !ok || err != nil {
			return err
		}
		if child.Point.Class == format.ClassIteration {
			e.Foot.Iterations++
		}
	}
}

// footer reads the footer at the start of b, which is at e.end.
func (w *Walker) footer(b []byte, e *NodeData, want bool) error {
	if k := format.Kind(b[0]); k != format.KindFooter {
		return w.Contradiction(e.End, k.String()+" where a footer should be")
	}
	var n int
	var err error
	if want {
		n, err = w.R.Data.Version().DecodeFooter(b, e.Point.Class, &e.Foot)
	} else {
		n, err = w.R.Data.Version().Size(b, e.Point.Class)
	}
	if err != nil {
		return w.Damaged(err, e.End)
	}
	if !w.plausible(b[n:]) {
		return w.Contradiction(e.End, "bytes that only look like a footer")
	}
	e.Next = e.End + int64(n)
	return nil
}

// plausible reports whether another object of the thread can begin at the start
// of b, which follows a footer and may be empty. An offset from a wrong cell is seldom
// followed by one.
func (w *Walker) plausible(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	switch k := format.Kind(b[0]); {
	case k == format.KindTracePoint:
		if len(b) < format.PointDiffAt {
			return false
		}
		class, ok := w.R.Data.Version().PointClass(b[format.PointClassAt])
		return ok && (class == format.ClassSnapshot || format.ThreadOf(b) == w.S.Thread)
	case k.Reference():
		_, err := w.R.Data.Version().Size(b, 0)
		return err == nil
	default:
		return k == format.KindFooter
	}
}

// Damaged adds the position to an error of the decoders, whose bytes began at pos.
func (w *Walker) Damaged(err error, pos int64) error {
	return format.At(err, w.R.Path, w.S.Physical(pos))
}

// Contradiction returns the error that index and data contradict each other.
func (w *Walker) Contradiction(pos int64, found string) error {
	return &format.Error{File: w.R.Path, Offset: w.S.Physical(pos), Err: index.ErrContradiction, Found: found}
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

// Splice is a container without a row, whose children are read in its place; or, outermost, the node
// whose children are read. It does not change.
type Splice struct {
	Outer *Splice // nil for the node
	At    int64   // logical: of the header
	Start int64   // of the content, as the view shows it
	End   int64
	First int64 // ordinal of the first cell that ends at or after start
	Next  int64 // where outer's children continue; of the first cell that ends at or after that
	After int64
	Depth int32 // how many containers are around what is in it, as recorded, with the thread
	Text  format.Parent
	State EditState
	// Leaves is Edits.Leaves of state.
	Leaves EditLeaves
}

// holds reports whether an offset is in the content, or at one of its ends.
func (s *Splice) holds(at int64) bool { return s.Outer == nil || s.Start <= at && at <= s.End }

// Nested is Nested for a point: 0 for a leaf.
func (e *NodeData) Nested() int64 {
	switch {
	case !e.Container():
		return 0
	case e.State == StateWhole:
		return max(0, e.After-e.First-1) // its own cell is the last
	}
	return max(0, e.After-e.First)
}

// WalkerOn returns a walker of a thread's stream in a view.
func (t *Reader) WalkerOn(v *index.View, thread int32) (*Walker, error) {
	if !t.Shows(v) {
		return nil, trace.ErrStale
	}
	s := v.Stream(thread)
	if s == nil {
		return nil, fmt.Errorf("thread %d is not in the trace", thread)
	}
	return &Walker{R: t.Trace, V: v, S: s}, nil
}

// Reader reads an open trace: its methods walk over the whole of it, or find a place in it.
type Reader struct{ *trace.Worker }

// Open opens a trace.
func Open(path string, o trace.Options) (*Reader, error) {
	w, err := trace.Open(path, o, CheckEnds)
	if err != nil {
		return nil, err
	}
	return &Reader{w}, nil
}

// endsChecked is how many roots CheckEnds checks, of all threads together.
const endsChecked = 1 << 16

// CheckEnds refuses an index whose recording ends within a call: only the data tells
// which containers are open. It must be called within use. In a trace with more than
// endsChecked roots it checks the first ones.
func CheckEnds(t *trace.Trace, v *index.View) error {
	left := endsChecked
	var walk Walker
	var e NodeData
	for _, s := range v.Streams.All() {
		if left == 0 {
			break
		}
		walk, e = Walker{R: t, V: v, S: s}, NodeData{}
		for pos, ord := int64(0), int64(0); left > 0; left-- {
			ok, err := walk.Next(pos, ord, s.Size, &e, false)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if e.State != StateWhole {
				return walk.Contradiction(e.At, fmt.Sprintf("event %d, whose end the index does not have", e.Point.Event))
			}
			pos, ord = e.Next, e.After
		}
	}
	return nil
}
