package lazy

import (
	"tracex/format"
	"tracex/lazy/internal/fold"
)

// fold returns what the folded view shows in place of e; nil for nothing. The result
// has the offsets of e, and may be e itself.
func (l *childReader) fold(e *nodeData) (*nodeData, error) {
	if e.state == StatePending {
		return e, nil // undecided until its end is known
	}
	if l.folder == nil {
		l.folder = &fold.Folder[*nodeData]{Context: l.r.ctx, Access: foldAccess{l}}
	}
	f := l.folder
	if keep, ok := f.Settled(&e.point); ok || l.stays(e) {
		if !keep {
			return nil, nil
		}
		return e, nil
	}
	if e.point.Class == format.ClassLoop && l.endsEmpty(e) {
		if e.foot.Iterations == 1 {
			return nil, nil
		}
		return f.Access.Shortened(e, e.foot.Iterations-1), nil
	}
	out, keep, err := f.Fold(e)
	if err != nil || !keep {
		return nil, err
	}
	if out != e {
		out.at, out.next, out.after = e.at, e.next, e.after
	}
	return out, nil
}

// stays reports, by looking at one or two bytes, whether a loop or an iteration
// folds to itself, as nearly all do.
func (l *childReader) stays(e *nodeData) bool {
	switch e.point.Class {
	case format.ClassIteration:
		return l.beginsWithPoint(e.start, e.end)
	case format.ClassLoop:
		last, ok := l.lastIteration(e)
		return ok && l.beginsWithPoint(last.Start, last.End)
	}
	return false
}

// endsEmpty reports, by looking at a cell, whether a loop's last iteration is surely empty,
// as it is where the recorder began one before the loop turned out to be over.
func (l *childReader) endsEmpty(e *nodeData) bool {
	last, ok := l.lastIteration(e)
	return ok && last.Start == last.End
}

// lastIteration returns the cell of a loop's last child if that surely is an iteration.
func (l *childReader) lastIteration(e *nodeData) (last format.Cell, ok bool) {
	if e.state != StateWhole || e.after < 2 || !e.hasContent() || e.foot.Iterations == 0 {
		return last, false
	}
	// The footer of an iteration is the only one of a single byte: a container that ends
	// one byte before the loop does is its last iteration.
	last = l.s.Cells.At(e.after - 2)
	return last, last.End == e.end-1 && last.Start >= e.start
}

// beginsWithPoint reports whether the first object of the content is a trace
// point.
func (l *childReader) beginsWithPoint(start, end int64) bool {
	if end <= start {
		return false
	}
	b, err := l.bytes(start)
	return err == nil && format.Kind(b[0]) == format.KindTracePoint
}

// mayFold reports whether e, with only the fields known that DecodeHead reads, may
// fold to something else or to nothing.
func (l *childReader) mayFold(e *nodeData) bool {
	switch e.point.Class {
	case format.ClassCall:
		return l.r.ctx.MayFold(e.point.Ref)
	case format.ClassLoop:
		return true // its footer decides
	case format.ClassIteration:
		return !l.stays(e)
	}
	return l.r.ctx.Coverage(&e.point)
}

// newData returns room for a trace point, for folding.
func (l *childReader) newData() *nodeData {
	if l.lender == nil {
		return new(nodeData)
	}
	return l.lender.take()
}

// copyOf returns a copy of e, which is no longer used. Lent ones keep the memory of
// their own slices, so that no two share any.
func (l *childReader) copyOf(e *nodeData) *nodeData {
	out := l.newData()
	args, subtree := out.point.Args, out.point.Subtree
	*out = *e
	if l.lender != nil {
		e.point.Args, e.point.Subtree = args[:0], subtree[:0]
	}
	return out
}

// foldAccess is the fold.Access to the points of a trace.
type foldAccess struct{ l *childReader }

func (s foldAccess) Point(e *nodeData) (*format.Point, error) { return &e.point, nil }

func (s foldAccess) Iterations(e *nodeData) (int32, error) { return e.foot.Iterations, nil }

func (s foldAccess) HasChildren(e *nodeData) (bool, error) {
	if !e.hasContent() {
		return false, nil
	}
	var child nodeData
	return s.l.next(e.start, e.first, e.end, &child, false)
}

func (s foldAccess) Begins(e *nodeData) (*format.Point, error) {
	at, b, err := s.l.seekPoint(e.start, e.end)
	if b == nil || err != nil {
		return nil, err
	}
	if _, err := s.l.r.data.Version().DecodeHead(b, &s.l.begins); err != nil {
		return nil, s.l.damaged(err, at)
	}
	return &s.l.begins, nil
}

func (s foldAccess) First(dst []*nodeData, e *nodeData, n int) ([]*nodeData, error) {
	pos, ord := e.start, e.first
	for len(dst) < n {
		child := s.l.newData()
		ok, err := s.l.next(pos, ord, e.end, child, true)
		if !ok || err != nil {
			return dst, err
		}
		dst = append(dst, child)
		pos, ord = child.next, child.after
	}
	return dst, nil
}

func (s foldAccess) Last(e *nodeData) (*nodeData, bool, error) { return s.l.last(e, true) }

func (s foldAccess) Moved(e *nodeData, location int32, diff format.DiffStatus) *nodeData {
	out := s.l.copyOf(e)
	out.point.Location, out.point.Diff = location, diff
	return out
}

func (s foldAccess) Shortened(e *nodeData, iterations int32) *nodeData {
	out := s.l.copyOf(e)
	out.foot.Iterations = iterations
	return out
}

// mostBegun bounds how many more iterations may begin in a loop of one: the children of a damaged loop are not
// all read for its row.
const mostBegun = 16

// inlined returns e with what the only iteration of a loop contains as its content, or e itself if
// it is no such loop. The recorder may have begun a second iteration before the loop turned out
// to be over. A mark of a diff on the iteration keeps its row.
func (l *childReader) inlined(e *nodeData) *nodeData {
	if e.point.Class != format.ClassLoop || e.state != StateWhole || e.foot.Iterations != 1 || !e.hasContent() {
		return e
	}
	var only nodeData
	ok, err := l.next(e.start, e.first, e.end, &only, true)
	if err != nil || !ok || !only.onlyIteration() || only.point.Diff != format.DiffNone && only.point.Diff != e.point.Diff {
		return e
	}
	for pos, ord, n := only.next, only.after, 0; pos < e.end; n++ {
		var more nodeData
		if n == mostBegun {
			return e
		}
		ok, err := l.next(pos, ord, e.end, &more, false)
		if err != nil || ok && (more.point.Class != format.ClassIteration || more.state != StateWhole || more.hasContent()) {
			return e
		}
		if !ok {
			break
		}
		pos, ord = more.next, more.after
	}
	out := *e
	out.inner, out.start, out.end, out.first = only.at, only.start, only.end, only.first
	return &out
}

// onlyIteration reports whether a child of a loop can be its only iteration.
func (e *nodeData) onlyIteration() bool {
	return e.point.Class == format.ClassIteration && e.point.Number == 0 && e.state == StateWhole && e.hasContent()
}
