package tree

import (
	"tracex/format"
	"tracex/lazy"
)

// way is the path to the newest row of a thread. Nesting can be too deep to find it anew each
// time.
type way struct {
	path     []*lazy.Node // the nodes around the row, as far as known: the thread first
	of       int          // generation of the reader when path was checked
	expanded []*lazy.Node // nodes of path that were expanded to get there
}

// retrace drops the end of the path that no longer leads to the newest row.
func (w *way) retrace(t *lazy.Tree, thread *lazy.Node, generation int) {
	if len(w.path) == 0 || w.path[0] != thread {
		w.path, w.of = []*lazy.Node{thread}, generation
	}
	if w.of == generation {
		return
	}
	w.of = generation
	last := len(w.path) - 1
	for n := w.path[last]; last > 0 && (over(n) || t.Resolve(RowOf(n)).Node != n); n = w.path[last] {
		last--
	}
	clear(w.path[last+1:])
	w.path = w.path[:last+1]
}

// down continues to the last row of the thread that is not within an ended call, see over, nor left out by
// a filter. It expands calls that have not ended. If there is a gap on the way, it returns the gap.
func (w *way) down(t *lazy.Tree) (row lazy.Row, gap bool) {
	row = RowOf(w.path[len(w.path)-1])
	for {
		n := w.path[len(w.path)-1]
		if !t.IsExpanded(n) {
			t.Expand(n)
			w.expanded = append(w.expanded, n)
		}
		last, ok := t.LastChild(n)
		switch {
		case !ok:
			return row, false
		case last.Gap():
			return last, true
		case last.Node == nil || over(last.Node): // rows that a filter leaves out, or one that has ended
			return last, false
		}
		row = last
		w.path = append(w.path, last.Node)
	}
}

// tidy collapses the nodes that were expanded for an earlier newest row.
func (w *way) tidy(t *lazy.Tree) {
	around := make(map[*lazy.Node]bool, len(w.path))
	for _, n := range w.path {
		around[n] = true
	}
	kept := w.expanded[:0]
	for _, n := range w.expanded {
		if around[n] {
			kept = append(kept, n)
		} else {
			t.Collapse(n)
		}
	}
	clear(w.expanded[len(kept):])
	w.expanded = kept
}

// over reports whether a node has ended by itself. A call that was still running when the
// program ended has not, nor have the nodes it was in the middle of.
func over(n *lazy.Node) bool {
	if n.State() != lazy.StateWhole {
		return false
	}
	for ; !n.IsThread(); n = n.Parent() {
		if n.Point().Class == format.ClassCall {
			return n.Footer().Result.Kind != format.ValueUnfinished
		}
	}
	return true
}
