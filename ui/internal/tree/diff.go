package tree

import (
	"strings"

	tea "charm.land/bubbletea/v2"

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

// Partner returns the number of the other row of a moved or renamed one, which n is or is in; ok is false for all others.
func (p *Tree) Partner(n *lazy.Node) (event int32, ok bool) {
	for moves := p.env.Trace.Reader.Moves(); len(moves) > 0 && n != nil && n.Point() != nil; n = n.Parent() {
		if m, ok := moves.Of(n.Point().Event); ok {
			return m.Partner, true
		}
	}
	return 0, false
}

// ToPartner goes to the other row of a moved or renamed one, at or around the cursor.
func (p *Jobs) ToPartner() tea.Cmd {
	event, ok := p.tree.Partner(p.tree.Out.Cursor.Node)
	switch {
	case ok:
		return p.ToHandle(lazy.EventHandle(event), nil)
	case p.env.Trace.Reader.Moves() == nil:
		return p.env.Say("it is not known here what was moved: only a diff made here tells it")
	}
	return p.env.Say("the row was neither moved nor renamed")
}

// Moved tells where the partner of a moved or renamed row is: "moved to Order.store"; "" for any other row.
func (p *Tree) Moved(n *lazy.Node) (text string) {
	r := p.env.Trace.Reader
	if n.Point() != nil && len(r.Moves()) > 0 {
		r.WithContext(func(c *format.Context) { text = query.Moved(c, r.Moves(), n.Point().Event, n.Point().Diff) })
	}
	return text
}

// change returns what is different in a row of a diff, in one line, of an edited one in the row as it is now; "" for others.
func (p *Tree) change(n *lazy.Node) string {
	if text := p.Moved(n); text != "" {
		return p.env.Glyphs.Moved + " " + text
	}
	if n.Point() == nil || n.Point().Diff != format.DiffEditedNew {
		return ""
	}
	var list []string
	for _, c := range p.Changes(n) {
		list = append(list, c.Text(p.env.Glyphs.Glyphs))
	}
	return strings.Join(list, ", ")
}

// Equal returns how many calls and siblings a row stands for that are equal in both traces of a diff; ok is false for others.
func (p *Tree) Equal(n *lazy.Node) (calls, siblings int64, ok bool) {
	if p.env.Trace.Diff == nil || n == nil || n.Point() == nil {
		return 0, 0, false
	}
	p.env.Trace.Reader.WithContext(func(c *format.Context) { calls, siblings, ok = format.EqualRow(c, n.Point()) })
	return calls, siblings, ok
}
