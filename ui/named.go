package ui

import (
	"tracex/format"
	"tracex/lazy"
)

// named is a node by all that a person can read of it, without the mark of a
// diff, which has its own column.
func (m *Model) named(n *lazy.Node) lazy.Named {
	named := m.out.t.Named(n, m.out.wide)
	if p := n.Point(); p != nil {
		cut := len(p.Mark())
		named.Text = named.Text[cut:]
		if named.At >= 0 {
			named.At -= cut
		}
	}
	return named
}

// lit returns which parts of a row's text a search has found. Where it has found
// a call by what else that is called, these are the parts that the text has of
// that, or the method's name.
func (m *Model) lit(n *lazy.Node, text string) [][2]int {
	s := m.search
	if s == nil || s.p == nil || s.p.source == "" {
		return nil
	}
	if s.p.only != (identity{}) && !m.isOnly(n, s.p.only) {
		return nil
	}
	if list := s.p.ranges([]byte(text)); len(list) > 0 || n.IsThread() {
		return list
	}
	named := m.named(n)
	if !named.Match(s.p.find) {
		return nil
	}
	if named.At < 0 { // new Class()
		return [][2]int{{0, min(len(named.Call), len(text))}}
	}
	method := named.Class + 1 // where its name begins, in both of these
	call, other := named.AppendCall(nil), named.AppendOther(nil)
	from, to := s.p.find(other)
	if from < 0 || from >= named.Class {
		_, to = s.p.find(call)
		to = min(to, len(named.Call)+len("("))
	}
	if to <= method {
		to = len(named.Call)
	}
	return [][2]int{{named.At, min(named.At+to-method, len(text))}}
}

// isOnly reports whether a node is what a search by identity finds.
func (m *Model) isOnly(n *lazy.Node, only identity) (is bool) {
	if p := n.Point(); p != nil {
		m.r.WithContext(func(c *format.Context) { is = only.finds(c, p) })
	}
	return is
}
