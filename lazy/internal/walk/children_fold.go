package walk

import (
	"tracex/format"
	"tracex/lazy/internal/fold"
)

// Fold returns what the folded view shows in place of e; nil for nothing. The result
// has the offsets of e, and may be e itself.
func (l *ChildReader) Fold(e *NodeData) (*NodeData, error) {
	if e.State == StatePending {
		return e, nil // undecided until its end is known
	}
	if l.folder == nil {
		l.folder = &fold.Folder[*NodeData]{Context: l.R.Ctx, Access: foldAccess{l}}
	}
	f := l.folder
	if keep, ok := f.Settled(&e.Point); ok || l.stays(e) {
		if !keep {
			return nil, nil
		}
		return e, nil
	}
	if e.Point.Class == format.ClassLoop && l.endsEmpty(e) {
		if e.Foot.Iterations == 1 {
			return nil, nil
		}
		return f.Access.Shortened(e, e.Foot.Iterations-1), nil
	}
	out, keep, err := f.Fold(e)
	if err != nil || !keep {
		return nil, err
	}
	if out != e {
		out.At, out.Next, out.After = e.At, e.Next, e.After
	}
	return out, nil
}

// stays reports, by looking at one or two bytes, whether a loop or an iteration
// folds to itself, as nearly all do.
func (l *ChildReader) stays(e *NodeData) bool {
	switch e.Point.Class {
	case format.ClassIteration:
		return l.beginsWithPoint(e.Start, e.End)
	case format.ClassLoop:
		last, ok := l.lastIteration(e)
		return ok && l.beginsWithPoint(last.Start, last.End)
	}
	return false
}

// endsEmpty reports, by looking at a cell, whether a loop's last iteration is surely empty,
// as it is where the recorder began one before the loop turned out to be over.
func (l *ChildReader) endsEmpty(e *NodeData) bool {
	last, ok := l.lastIteration(e)
	return ok && last.Start == last.End
}

// lastIteration returns the cell of a loop's last child if that surely is an iteration.
func (l *ChildReader) lastIteration(e *NodeData) (last format.Cell, ok bool) {
	if e.State != StateWhole || e.After < 2 || !e.HasContent() || e.Foot.Iterations == 0 {
		return last, false
	}
	// The footer of an iteration is the only one of a single byte: a container that ends
	// one byte before the loop does is its last iteration.
	last = l.S.Cells.At(e.After - 2)
	return last, last.End == e.End-1 && last.Start >= e.Start
}

// beginsWithPoint reports whether the first object of the content is a trace
// point.
func (l *ChildReader) beginsWithPoint(start, end int64) bool {
	if end <= start {
		return false
	}
	b, err := l.Bytes(start)
	return err == nil && format.Kind(b[0]) == format.KindTracePoint
}

// MayFold reports whether e, with only the fields known that DecodeHead reads, may
// fold to something else or to nothing.
func (l *ChildReader) MayFold(e *NodeData) bool {
	switch e.Point.Class {
	case format.ClassCall:
		return l.R.Ctx.MayFold(e.Point.Ref)
	case format.ClassLoop:
		return true // its footer decides
	case format.ClassIteration:
		return !l.stays(e)
	}
	return l.R.Ctx.Coverage(&e.Point)
}

// newData returns room for a trace point, for folding.
func (l *ChildReader) newData() *NodeData {
	if l.Lender == nil {
		return new(NodeData)
	}
	return l.Lender.take()
}

// copyOf returns a copy of e, which is no longer used. Lent ones keep the memory of
// their own slices, so that no two share any.
func (l *ChildReader) copyOf(e *NodeData) *NodeData {
	out := l.newData()
	args, subtree := out.Point.Args, out.Point.Subtree
	*out = *e
	if l.Lender != nil {
		e.Point.Args, e.Point.Subtree = args[:0], subtree[:0]
	}
	return out
}

// foldAccess is the fold.Access to the points of a trace.
type foldAccess struct{ l *ChildReader }

func (s foldAccess) Point(e *NodeData) (*format.Point, error) { return &e.Point, nil }

func (s foldAccess) Iterations(e *NodeData) (int32, error) { return e.Foot.Iterations, nil }

func (s foldAccess) HasChildren(e *NodeData) (bool, error) {
	if !e.HasContent() {
		return false, nil
	}
	var child NodeData
	return s.l.Next(e.Start, e.First, e.End, &child, false)
}

func (s foldAccess) Begins(e *NodeData) (*format.Point, error) {
	at, b, err := s.l.SeekPoint(e.Start, e.End)
	if b == nil || err != nil {
		return nil, err
	}
	if _, err := s.l.R.Data.Version().DecodeHead(b, &s.l.begins); err != nil {
		return nil, s.l.Damaged(err, at)
	}
	return &s.l.begins, nil
}

func (s foldAccess) First(dst []*NodeData, e *NodeData, n int) ([]*NodeData, error) {
	pos, ord := e.Start, e.First
	for len(dst) < n {
		child := s.l.newData()
		ok, err := s.l.Next(pos, ord, e.End, child, true)
		if !ok || err != nil {
			return dst, err
		}
		dst = append(dst, child)
		pos, ord = child.Next, child.After
	}
	return dst, nil
}

func (s foldAccess) Last(e *NodeData) (*NodeData, bool, error) { return s.l.Last(e, true) }

func (s foldAccess) Moved(e *NodeData, location int32, diff format.DiffStatus) *NodeData {
	out := s.l.copyOf(e)
	out.Point.Location, out.Point.Diff = location, diff
	return out
}

func (s foldAccess) Shortened(e *NodeData, iterations int32) *NodeData {
	out := s.l.copyOf(e)
	out.Foot.Iterations = iterations
	return out
}

// MostBegun bounds how many more iterations may begin in a loop of one: the children of a damaged loop are not
// all read for its row.
const MostBegun = 16

// Inlined returns e with what the only iteration of a loop contains as its content, or e itself if
// it is no such loop. The recorder may have begun a second iteration before the loop turned out
// to be over. A mark of a diff on the iteration keeps its row.
func (l *ChildReader) Inlined(e *NodeData) *NodeData {
	if e.Point.Class != format.ClassLoop || e.State != StateWhole || e.Foot.Iterations != 1 || !e.HasContent() {
		return e
	}
	var only NodeData
	ok, err := l.Next(e.Start, e.First, e.End, &only, true)
	if err != nil || !ok || !only.onlyIteration() || only.Point.Diff != format.DiffNone && only.Point.Diff != e.Point.Diff {
		return e
	}
	for pos, ord, n := only.Next, only.After, 0; pos < e.End; n++ {
		var more NodeData
		if n == MostBegun {
			return e
		}
		ok, err := l.Next(pos, ord, e.End, &more, false)
		if err != nil || ok && (more.Point.Class != format.ClassIteration || more.State != StateWhole || more.HasContent()) {
			return e
		}
		if !ok {
			break
		}
		pos, ord = more.Next, more.After
	}
	out := *e
	out.Inner, out.Start, out.End, out.First = only.At, only.Start, only.End, only.First
	return &out
}

// onlyIteration reports whether a child of a loop can be its only iteration.
func (e *NodeData) onlyIteration() bool {
	return e.Point.Class == format.ClassIteration && e.Point.Number == 0 && e.State == StateWhole && e.HasContent()
}
