package lazy

import "tracex/format"

// Inline makes a folded tree show a loop of one iteration without a row for the iteration: what the
// iteration contains is shown as what the loop contains.
//
//	▾ loop(1 iterations)          ▾ loop(1 iterations)
//	  ▾ <iteration 1>               execute(7)
//	    execute(7)
//
// The position of the iteration then is that of the loop's row. A raw tree stays as it is. Call it
// before anything is loaded.
func Inline(t *Tree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inline = t.folded
}

// Inlined returns the position of the iteration that has no row of its own, because it is the only one
// of the loop n; ok is false if there is none.
func Inlined(n *Node) (p Position, ok bool) {
	at := n.e.Load().inner
	return Position{Thread: n.thread, At: at}, at > 0
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
