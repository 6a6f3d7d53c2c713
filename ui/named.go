package ui

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/pattern"
)

// named returns all that a person can read of a node, without the mark of a diff, which has
// its own column.
func (m *Model) named(n *lazy.Node) lazy.Named {
	named := m.out.Tree.Named(n, m.out.Wide)
	if p := n.Point(); p != nil {
		cut := len(p.Mark())
		named.Text = named.Text[cut:]
		if named.At >= 0 {
			named.At -= cut
		}
	}
	return named
}

// lit returns the parts of a row's text that match the search. If the search has found a
// call by another of its names, these are the parts of that name that appear in the text, or
// the method's name.
func (m *Model) lit(n *lazy.Node, text string) [][2]int {
	p := m.search.Pattern()
	if p == nil || p.Source == "" {
		return nil
	}
	if p.Only != (pattern.Identity{}) && !m.isOnly(n, p.Only) {
		return nil
	}
	if list := p.Ranges([]byte(text)); len(list) > 0 || n.IsThread() {
		return list
	}
	named := m.named(n)
	if !named.Match(p.Find, p.Limits) {
		return nil
	}
	return pattern.LitName(&named, p, len(text))
}

// isOnly reports whether a search by identity matches a node.
func (m *Model) isOnly(n *lazy.Node, only pattern.Identity) (is bool) {
	if p := n.Point(); p != nil {
		m.r.WithContext(func(c *format.Context) { is = only.Finds(c, p) })
	}
	return is
}
