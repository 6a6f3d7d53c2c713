package tree

import (
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

// ShortName returns the name of a node in a path: a call without its arguments, a goroutine without who started it.
func (o *Outline) ShortName(n *lazy.Node) string {
	if p := n.Point(); p != nil && p.Class.Container() {
		return string(o.Tree.AppendName(nil, n))
	}
	text, parts := o.Text(n)
	if n.IsThread() {
		return text[:parts[0].End]
	}
	return text
}

// Named returns all that a user can read of a node, without the mark of a diff, which has its own column.
func (o *Outline) Named(n *lazy.Node) lazy.Named {
	named := o.Tree.Named(n, o.Wide)
	if p := n.Point(); p != nil {
		cut := len(p.Mark())
		named.Text = named.Text[cut:]
		if named.At >= 0 {
			named.At -= cut
		}
	}
	return named
}

// Crumbs returns the path to the cursor, as much as fits into width cells.
func (o *Outline) Crumbs(width int, g *screen.Glyphs) []string {
	path := screen.Path(o.Cursor)
	return screen.Crumbs(len(path), func(i int) string { return o.ShortName(path[i]) }, width-2, g)
}

// CrumbAt returns the row of the crumb at a cell of the line that shows crumbs; ok is false if there is none. The crumb
// that stands for others is the last of them.
func (o *Outline) CrumbAt(crumbs []string, x int, g *screen.Glyphs) (r lazy.Row, ok bool) {
	path := screen.Path(o.Cursor)
	i := screen.CrumbAt(crumbs, x, g)
	if i > 0 {
		i += len(path) - len(crumbs) // those before the last are left out
	}
	if i < 0 || i >= len(path) {
		return r, false
	}
	return RowOf(path[i]), true
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
