package tree

import (
	"tracex/lazy"
	"tracex/ui/internal/rows"
)

// Rows returns the contents of rows of the tree. lit returns the parts of a node's text that
// match a search. The cursor's row is scrolled to its first match, unless the user has scrolled it.
func (p *Part) Rows(of []lazy.Row, lit func(n *lazy.Node, text string) [][2]int) []rows.Row {
	lines := p.Out.Tree.Lines(of, p.Out.Wide)
	list := make([]rows.Row, len(lines))
	v := p.View("")
	p.Out.Found = 0
	for i, l := range lines {
		r := &list[i]
		*r = rows.New(l)
		r.Stuck = i < len(p.Out.Stuck) && l.Row == p.Out.Stuck[i]
		if l.Node == nil {
			r.Err = p.loads.Err(l.Row)
			continue
		}
		r.Matches, r.Skip = lit(l.Node, r.Shown), p.Out.SkipOf(l.Node)
		r.Loading = !l.Loaded && p.loads.Of(l.Node)
		if l.Row == p.Out.Cursor && p.Out.Slid != l.Node {
			v.ShowMatch(r, p.Out.Indent(), p.Out.Width)
			p.Out.Found = r.Skip - p.Out.Skip
		}
	}
	return list
}

// View returns how rows are drawn. pending is the mark after a node that has not ended.
func (p *Part) View(pending string) rows.View {
	return rows.View{
		Glyphs: p.env.Glyphs, Spinner: p.env.Spinner(), Pending: pending, Cursor: p.Out.Cursor,
		Timed: p.timed(), Choice: p.Columns, ByWeight: p.Out.ByWeight(), Open: p.Open, Part: lazy.ShownIn(p.Out.Tree).Part(), Edited: p.Out.Tree.Edited(),
	}
}

// Hidden returns how many cells of a row's text do not fit on its line.
func (p *Part) Hidden(of lazy.Row) int {
	v, r := p.View(""), rows.New(p.Out.Tree.Lines([]lazy.Row{of}, p.Out.Wide)[0])
	return v.Hidden(&r, p.Out.Indent(), p.Out.Width)
}
