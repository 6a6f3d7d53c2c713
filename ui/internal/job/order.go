package job

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
)

// The order of a node's children: that of the calls, or the longest first; without times, those
// that contain the most. A node keeps its
// order until the user changes it.

// Sort changes the order of children. When it sorts by weight, the cursor moves to the
// heaviest child. Back in the order of the calls, the cursor stays on its row, and the row on
// its line.
func (p *Part) Sort(int) tea.Cmd {
	n := p.tree.Out.Sortable()
	if n == nil {
		p.env.Say("threads keep their order; " + screen.ActionKey("expand", p.env.Glyphs) + " expands this one, then " + screen.ActionKey("sort", p.env.Glyphs) + " sorts its calls")
		return nil
	}
	to, name := lazy.OrderWeight, "sorting by "+p.weight()
	if n.Order() == lazy.OrderWeight {
		to, name = lazy.OrderCalls, "sorting by call"
	}
	ctx, id, progress := p.BeginLook(p.env.Life, name)
	t, on := p.tree.Out.Tree, p.tree.Out.Cursor.Node
	if on == n {
		on = nil // nothing above the node's children moves
	}
	return p.soon(func() Msg { return reorder(ctx, t, progress, sorted{id: id, n: n, to: to, from: on, on: on}) })
}

// weight names what children are sorted by.
func (p *Part) weight() string {
	if p.timed() {
		return "duration"
	}
	return "what is nested"
}

// reorder sorts, and loads the cursor's node in its new position.
func reorder(ctx context.Context, t *lazy.Tree, progress lazy.Progress, s sorted) sorted {
	if s.err = t.Sort(ctx, s.n, s.to, progress); s.err == nil && s.on != nil && s.to == lazy.OrderCalls {
		s.on, s.err = t.Reveal(ctx, s.on.Position())
	}
	return s
}

// sorted is the result of sorting.
type sorted struct {
	id   int
	n    *lazy.Node // the node whose children were sorted
	to   lazy.Order
	from *lazy.Node // the cursor's node at the start, if among the children; otherwise nil
	on   *lazy.Node // the same node, loaded in its new position
	err  error
}

func (s sorted) apply(p *Part) tea.Cmd {
	if !p.End(s.id) {
		return nil
	}
	if s.err != nil {
		p.env.Fail("cannot sort", s.err)
		return nil
	}
	// The user may have moved the cursor meanwhile.
	var cmd tea.Cmd
	if at := p.tree.Out.Cursor; s.on != nil && (at.Node == s.from || at.Gap() && at.Parent == s.n) {
		if s.to == lazy.OrderCalls {
			p.tree.Out.Put(outline.RowOf(s.on), p.tree.Out.Line)
		} else {
			p.tree.JumpTo(s.n)
			cmd = p.tree.Aim(outline.ToFirstChild(s.n))
		}
	}
	p.tree.Retry(s.n)
	name := screen.CutMiddle(p.tree.Out.ShortName(s.n), max(16, p.env.Width-52), p.env.Glyphs)
	if s.to == lazy.OrderCalls {
		p.env.Say(name + ": in call order")
	} else {
		p.env.Say(name + ": sorted by " + p.weight() + " (" + screen.ActionKey("sort", p.env.Glyphs) + ": call order)")
	}
	return cmd
}

// orderKey identifies a node with sorted children in every tree of a trace. A thread has no
// position of its own. A loop whose only iteration has no row of its own has its children.
func orderKey(n *lazy.Node) lazy.Position {
	if n.IsThread() {
		return lazy.Position{Thread: n.Thread(), At: -1}
	}
	if p, ok := lazy.Inlined(n); ok {
		return p
	}
	return n.Position()
}

// sortedPath returns which nodes around a row have sorted children.
func sortedPath(row lazy.Row) map[lazy.Position]bool {
	keys := make(map[lazy.Position]bool)
	for _, n := range nodetext.Path(row) {
		if n.Order() == lazy.OrderWeight {
			keys[orderKey(n)] = true
		}
	}
	return keys
}

// sortAgain sorts these nodes around n in another tree. It returns n's node there, loaded again.
func sortAgain(ctx context.Context, t *lazy.Tree, n *lazy.Node, sorted map[lazy.Position]bool, progress lazy.Progress) (*lazy.Node, error) {
	for in := n; in != nil; in = in.Parent() {
		if !sorted[orderKey(in)] {
			continue
		}
		if err := t.Sort(ctx, in, lazy.OrderWeight, progress); err != nil {
			return nil, err
		}
	}
	return revealIn(ctx, t, n.Position(), n.IsThread())
}
