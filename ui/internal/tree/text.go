package tree

import (
	"slices"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/screen"
)

// Text returns the text of a node without the mark of a diff.
func (o *Outline) Text(n *lazy.Node) (string, []format.Span) {
	r := newRow(o.Tree.Lines([]lazy.Row{RowOf(n)}, o.Wide)[0])
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
func (o *Outline) Named(n *lazy.Node) lazy.Named { return screen.Named(o.Tree, n, o.Wide) }

// Crumbs returns the path to the cursor, as much as fits into width cells. Of a path above the tree,
// what stays at the top of the tree is left out.
func (o *Outline) Crumbs(width int, above bool, g *screen.Glyphs) []string {
	return screen.Crumbs(o.path(above), func(n *lazy.Node) string {
		if n == nil {
			return g.More
		}
		return o.ShortName(n)
	}, width, g)
}

// CrumbAt returns the row of the crumb at a cell of the line that shows crumbs; ok is false if there is none.
func (o *Outline) CrumbAt(crumbs []string, x int, above bool, g *screen.Glyphs) (r lazy.Row, ok bool) {
	path := o.path(above)
	i := screen.CrumbAt(crumbs, x, g)
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
	path := screen.Path(o.Cursor)
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

// While a pattern is typed, ToMatch looks at this many open rows, and for this long.
const (
	incremental    = 20_000
	incrementalFor = 5 * time.Millisecond
)

// ToMatch goes to the first match at or after a row, among the rows that are expanded and
// loaded, and reports whether there is one.
func (p *Tree) ToMatch(what *pattern.Pattern, from lazy.Row) bool {
	until := time.Now().Add(incrementalFor)
	t, r, ok := p.Out.Tree, from, true
	for i := 0; ok && i < incremental; i++ {
		if r.Node != nil {
			if named := p.Out.Named(r.Node); named.Match(what.Find, what.Limits) {
				p.Out.Jump(r)
				return true
			}
		}
		if i%64 == 63 && time.Now().After(until) {
			break
		}
		r, ok = t.Next(r)
	}
	return false
}
