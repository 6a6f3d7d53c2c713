package job

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// ExpandLimit is the largest number of rows that one key expands.
const ExpandLimit = 50_000

// Expand expands the nodes below the cursor's node, depth levels deep; 0 means all.
func (p *Part) Expand(depth int) tea.Cmd {
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
		rows, complete, err := t.ExpandAll(ctx, n, depth, ExpandLimit, report)
		return expanded{id, rows, complete, err}
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
	case e.complete:
		p.env.Say("expanded " + rows)
	case e.rows >= ExpandLimit:
		p.env.Say("stopped at " + rows + "; press " + screen.ActionKey("expand-all", p.env.Glyphs) + " on one of them to expand more")
	default:
		p.env.Say("stopped at " + rows + ": the memory budget is used up (" + screen.ActionKey("unload", p.env.Glyphs) + " unloads, --memory raises it)")
	}
	return nil
}
