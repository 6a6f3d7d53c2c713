package tree

import (
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
)

// edited returns the two rows of an edited pair of a diff, of which n is one: as it was, and as it is. ok is false if n is
// not edited, or the other one is not known.
func (o *Outline) edited(n *lazy.Node) (was, is *lazy.Node, ok bool) {
	if n == nil || n.Point() == nil {
		return nil, nil, false
	}
	switch n.Point().Diff {
	case format.DiffEditedNew:
		r, ok := o.Tree.PrevSibling(RowOf(n))
		return r.Node, n, ok && r.Node != nil && r.Node.Point().Diff == format.DiffEditedOld
	case format.DiffEditedOld:
		r, ok := o.Tree.NextSibling(RowOf(n))
		return n, r.Node, ok && r.Node != nil && r.Node.Point().Diff == format.DiffEditedNew
	}
	return nil, nil, false
}

// Changes returns what is different between an edited row of a diff and its other one.
func (p *Tree) Changes(n *lazy.Node) (list []query.Change) {
	was, is, ok := p.Out.edited(n)
	if !ok {
		return nil
	}
	end := func(n *lazy.Node) *format.Footer {
		if n.State() == lazy.StatePending {
			return nil
		}
		return n.Footer()
	}
	p.env.Trace.Reader.WithContext(func(c *format.Context) { list = query.Changes(c, was.Point(), is.Point(), end(was), end(is)) })
	return list
}

// change returns what is different in a row of a diff, in one line; "" for all rows but those as they are now.
func (p *Tree) change(n *lazy.Node) string {
	if n.Point() == nil || n.Point().Diff != format.DiffEditedNew {
		return ""
	}
	var list []string
	for _, c := range p.Changes(n) {
		list = append(list, c.Text(p.env.Glyphs.Glyphs))
	}
	return strings.Join(list, ", ")
}

// equal reports whether a row stands for what is equal in both traces of a diff.
func (p *Tree) equal(n *lazy.Node) (ok bool) {
	p.env.Trace.Reader.WithContext(func(c *format.Context) { _, _, ok = format.EqualRow(c, n.Point()) })
	return ok
}
