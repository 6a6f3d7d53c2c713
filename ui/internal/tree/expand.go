package tree

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
)

// ExpandLimit is the largest number of rows that one key expands.
const ExpandLimit = 50_000

// ExpandMore expands one more level below the cursor's node.
func (p *Jobs) ExpandMore() tea.Cmd { return p.expand(lazy.ExpandMore) }

// Expand expands the nodes below the cursor's node, depth levels deep; 0 means all.
func (p *Jobs) Expand(depth int) tea.Cmd {
	return p.expand(func(ctx context.Context, t *lazy.Tree, n *lazy.Node, limit int, report func(int)) (int, bool, error) {
		return t.ExpandAll(ctx, n, depth, limit, report)
	})
}

// ToDepth shows exactly n levels below the cursor's node.
func (p *Jobs) ToDepth(n int) tea.Cmd {
	if node := p.tree.Out.Cursor.Node; node != nil {
		p.tree.Out.Tree.CollapseAll(node)
	}
	return p.Expand(n)
}

func (p *Jobs) expand(nodes func(context.Context, *lazy.Tree, *lazy.Node, int, func(int)) (rows int, complete bool, err error)) tea.Cmd {
	n := p.tree.Out.Cursor.Node
	if n == nil {
		return p.tree.Again()
	}
	if n.Leaf() {
		return p.env.Say(noChildren)
	}
	t := p.tree.Out.Tree
	return p.Run("expanding", "cannot expand all", func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
		seen := 0
		report(0, rowsOnly)
		rows, complete, err := nodes(ctx, t, n, ExpandLimit, func(rows int) {
			seen = rows
			report(int64(rows), rowsOnly)
		})
		return env.Done(func() { p.sayExpanded(rows, complete, seen >= ExpandLimit) }), err
	})
}

// sayExpanded tells how many rows were expanded; limited means that there are more than one key expands.
func (p *Jobs) sayExpanded(n int, complete, limited bool) {
	rows := display.Plural(int64(n), "row")
	switch {
	case complete && n == 0:
		p.env.Say("all below this row is expanded")
	case complete:
		p.env.Say("expanded " + rows)
	case limited:
		p.env.Say("stopped at " + rows + "; press " + keys.ActionKey("expand-all", p.env.Glyphs) + " on one of them to expand more")
	default:
		p.env.Say("stopped at " + rows + ": the memory budget is used up (" + keys.ActionKey("unload", p.env.Glyphs) + " unloads, --memory raises it)")
	}
}
