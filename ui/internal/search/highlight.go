package search

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/pattern"
)

// Highlight returns the parts of a row's text that match the search. If the search has found a call
// by another of its names, these are the parts of that name that appear in the text, or the
// method's name. wide means that the rows show code locations.
func (p *Part) Highlight(t *lazy.Tree, wide bool, n *lazy.Node, text string) [][2]int {
	what := p.Pattern()
	if what == nil || what.Text == "" {
		return nil
	}
	if what.Only != (pattern.Identity{}) && !p.isOnly(n, what.Only) {
		return nil
	}
	if list := what.Ranges([]byte(text)); len(list) > 0 || n.IsThread() {
		return list
	}
	named := nodetext.Named(t, n, wide)
	if !named.Match(what.Find, what.Limits) {
		return nil
	}
	return pattern.NameRanges(&named, what, len(text))
}

// isOnly reports whether a search by identity matches a node.
func (p *Part) isOnly(n *lazy.Node, only pattern.Identity) (is bool) {
	if at := n.Point(); at != nil {
		p.r.WithContext(func(c *format.Context) { is = only.Finds(c, at) })
	}
	return is
}

// LikeThis returns the pattern for calls of the method of a node, or accesses of the same field
// or variable; nil if the node has no name. The node is a trace point.
func (p *Part) LikeThis(n *lazy.Node) (what *pattern.Pattern) {
	p.r.WithContext(func(c *format.Context) { what = pattern.Alike(c, n.Point()) })
	return what
}

// LikeMethod returns the pattern that finds the calls of a method, whose class has this full name;
// nil if the trace has no such method.
func (p *Part) LikeMethod(class, method string) (what *pattern.Pattern) {
	p.r.WithContext(func(c *format.Context) {
		for m := range c.Methods() {
			of := c.Class(m.ClassID)
			if m.Name == method && (of != nil && of.Name == class || of == nil && class == "") {
				what = pattern.Alike(c, &format.Point{Class: format.ClassCall, Ref: m.ID})
				return
			}
		}
	})
	return what
}
