package tree

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// Sort changes the order of a node's children: that of the calls, or the longest first; without times, those that
// contain the most. By weight, the cursor moves to the heaviest child; back in the order of the calls, it stays.
func (p *Jobs) Sort() tea.Cmd {
	n := p.tree.Out.Sortable()
	if n == nil {
		return p.env.Say("threads keep their order; " + keys.ActionKey("expand", p.env.Glyphs) + " expands this one, then " + keys.ActionKey("sort", p.env.Glyphs) + " sorts its calls")
	}
	to, name := lazy.OrderWeight, "sorting by "+p.weight()
	if n.Order() == lazy.OrderWeight {
		to, name = lazy.OrderCalls, "sorting by call"
	}
	t, on := p.tree.Out.Tree, p.tree.Out.Cursor.Node
	if on == n {
		on = nil // nothing above the node's children moves
	}
	return p.Run(name, "cannot sort", func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
		err, there := t.Sort(ctx, n, to, report), on
		if err == nil && on != nil && to == lazy.OrderCalls {
			there, err = t.Reveal(ctx, on.Position())
		}
		return func() tea.Cmd { return p.sorted(n, to, on, there) }, err
	})
}

// ClickHead sorts by the column at a cell of the head: a share as the duration, a start as the calls; or says why not.
func (p *Jobs) ClickHead(x, width int) tea.Cmd {
	v := p.tree.View()
	switch title := v.headAt(x, width); {
	case title == "":
		return nil
	case title == v.weighs(), title == "share", title == "start" && v.ByWeight:
		return p.Sort()
	case title == "start":
		return p.env.Say("already in the order of the calls")
	default:
		return p.env.Say("the tree cannot be sorted by " + title + ", only by " + p.weight() + " (" + keys.ActionKey("sort", p.env.Glyphs) + ")")
	}
}

func (p *Jobs) weight() string {
	if p.env.Trace.Timed() {
		return "duration"
	}
	return "what is nested"
}

// sorted moves the cursor after the children of n have been sorted. on was its node, and is now there; nil if it was n.
func (p *Jobs) sorted(n *lazy.Node, to lazy.Order, on, there *lazy.Node) (cmd tea.Cmd) {
	// The user may have moved the cursor meanwhile.
	if at := p.tree.Out.Cursor; there != nil && (at.Node == on || at.Gap() && at.Parent == n) {
		if to == lazy.OrderCalls {
			p.tree.Out.Put(RowOf(there), p.tree.Out.Line)
		} else {
			p.tree.jumpTo(n)
			cmd = p.tree.Aim(ToFirstChild(n))
		}
	}
	p.tree.retry(n)
	name := p.env.Glyphs.CutMiddle(p.tree.Out.ShortName(n), max(16, p.env.Width-52))
	if to == lazy.OrderCalls {
		p.env.Say(name + ": in call order")
	} else {
		p.env.Say(name + ": sorted by " + p.weight() + " (" + keys.ActionKey("sort", p.env.Glyphs) + ": call order)")
	}
	return cmd
}

// orderKey identifies a node with sorted children in all trees of a trace. A loop may have those of its only iteration.
func orderKey(n *lazy.Node) lazy.Position {
	if p, ok := lazy.Inlined(n); ok {
		return p
	}
	return PlaceOf(n)
}

// sortedPath returns which nodes around a row have sorted children.
func sortedPath(row lazy.Row) map[lazy.Position]bool {
	keys := make(map[lazy.Position]bool)
	for _, n := range screen.Path(row) {
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
	return t.Reveal(ctx, PlaceOf(n))
}
