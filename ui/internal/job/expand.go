package job

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// ExpandLimit is the largest number of rows that one key expands.
const ExpandLimit = 50_000

// ExpandMore expands one more level below the cursor's node.
func (p *Part) ExpandMore() tea.Cmd {
	return p.expand(lazy.ExpandMore)
}

// Expand expands the nodes below the cursor's node, depth levels deep; 0 means all.
func (p *Part) Expand(depth int) tea.Cmd {
	return p.expand(func(ctx context.Context, t *lazy.Tree, n *lazy.Node, limit int, report func(int)) (int, bool, error) {
		return t.ExpandAll(ctx, n, depth, limit, report)
	})
}

// expand expands nodes below the cursor's node.
func (p *Part) expand(nodes func(context.Context, *lazy.Tree, *lazy.Node, int, func(int)) (rows int, complete bool, err error)) tea.Cmd {
	n := p.tree.Out.Cursor.Node
	if n == nil {
		return p.tree.Again()
	}
	if n.Leaf() {
		p.env.Say(tree.NoChildren)
		return nil
	}
	ctx, id, report := p.BeginRows(p.env.Life, "expanding")
	t := p.tree.Out.Tree
	return p.soon(func() Msg {
		seen := 0
		rows, complete, err := nodes(ctx, t, n, ExpandLimit, func(rows int) {
			seen = rows
			report(rows)
		})
		return expanded{id, rows, complete, seen >= ExpandLimit, err}
	})
}

// ToDepth shows exactly n levels below the cursor's node.
func (p *Part) ToDepth(n int) tea.Cmd {
	if node := p.tree.Out.Cursor.Node; node != nil {
		p.tree.Out.Tree.CollapseAll(node)
	}
	return p.Expand(n)
}

// expanded is the result of expanding many nodes.
type expanded struct {
	id       int
	rows     int
	complete bool
	limited  bool // there are more rows than one key expands
	err      error
}

func (e expanded) apply(p *Part) tea.Cmd {
	if !p.End(e.id) {
		return nil
	}
	rows := screen.Plural(int64(e.rows), "row")
	switch {
	case e.err != nil:
		p.env.Fail("cannot expand all", e.err)
	case e.complete && e.rows == 0:
		p.env.Say("all below this row is expanded")
	case e.complete:
		p.env.Say("expanded " + rows)
	case e.limited:
		p.env.Say("stopped at " + rows + "; press " + screen.ActionKey("expand-all", p.env.Glyphs) + " on one of them to expand more")
	default:
		p.env.Say("stopped at " + rows + ": the memory budget is used up (" + screen.ActionKey("unload", p.env.Glyphs) + " unloads, --memory raises it)")
	}
	return nil
}
