package outline

import (
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/rows"
	"tracex/ui/internal/screen"
)

// Indent returns how far the rows on the screen are indented.
func (o *Outline) Indent() rows.Indent {
	deepest, root := 0, 0
	if n := o.Tree.Focused(); n != nil {
		root = n.Depth()
	}
	for _, r := range o.Rows {
		deepest = max(deepest, r.Depth)
	}
	return rows.IndentFor(deepest-root, o.Width).Below(root)
}

// Text returns the text of a node without the mark of a diff.
func (o *Outline) Text(n *lazy.Node) (string, []format.Span) {
	r := rows.New(o.Tree.Lines([]lazy.Row{RowOf(n)}, o.Wide)[0])
	return r.Shown, r.Styles
}

// ShortName returns the name of a node in a path: a call without its arguments.
func (o *Outline) ShortName(n *lazy.Node) string {
	if p := n.Point(); p == nil || p.Class.Container() {
		return string(o.Tree.AppendName(nil, n))
	}
	text, _ := o.Text(n)
	return text
}

// Named returns all that a user can read of a node.
func (o *Outline) Named(n *lazy.Node) lazy.Named { return nodetext.Named(o.Tree, n, o.Wide) }

// Crumbs returns the path to the cursor, as much as fits into width cells. Of a path above the tree,
// what stays at the top of the tree is left out.
func (o *Outline) Crumbs(width int, above bool, g *screen.Glyphs) []string {
	return nodetext.Crumbs(o.path(above), func(n *lazy.Node) string {
		if n == nil {
			return g.More
		}
		return o.ShortName(n)
	}, width, g)
}

// CrumbAt returns the row of the crumb at a cell of the line that shows crumbs; ok is false if there is none.
func (o *Outline) CrumbAt(crumbs []string, x int, above bool, g *screen.Glyphs) (r lazy.Row, ok bool) {
	path := o.path(above)
	i := nodetext.CrumbAt(crumbs, x, g)
	if i > 0 {
		i += len(path) - len(crumbs) // those before the last are left out
	}
	if i < 0 || i >= len(path) || path[i] == nil {
		return r, false
	}
	return RowOf(path[i]), true
}

// path returns the path to the cursor. Above the tree, nil stands for what stays at the top of the tree.
func (o *Outline) path(above bool) []*lazy.Node {
	path := nodetext.Path(o.Cursor)
	if !above || len(o.Stuck) == 0 {
		return path
	}
	short := path[:0:0]
	for _, n := range path {
		stuck := slices.ContainsFunc(o.Stuck, func(r lazy.Row) bool { return r.Node == n })
		switch {
		case !stuck:
			short = append(short, n)
		case len(short) > 0 && short[len(short)-1] != nil:
			short = append(short, nil) // for all of them
		}
	}
	return short
}
