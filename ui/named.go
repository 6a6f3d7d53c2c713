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
	if !named.Match(s.p.find, s.p.limits) {
		return nil
	}
	return litName(&named, s.p, len(text))
}

// litName is lit for a call whose name was found, of which the text has size bytes.
// Where it is found by its place in the source, that is not in the row.
func litName(named *lazy.Named, p *pattern, size int) [][2]int {
	if named.Call == "" {
		return nil
	}
	names := []struct {
		call  string
		class int
		other func(dst []byte) []byte
	}{{named.Call, named.Class, named.AppendOther}, {named.Full, named.FullClass, named.AppendFull}}
	for _, name := range names {
		if name.call == "" {
			continue
		}
		from, to := p.find(append([]byte(name.call), "()"...))
		to = min(to, len(name.call)+len("("))
		if named.At >= 0 {
			if f, t := p.find(name.other(nil)); f >= 0 && f < name.class {
				from, to = f, t
			}
		}
		switch method := name.class + 1; { // where its name begins
		case from < 0 || from >= name.class:
			continue
		case named.At < 0: // new Class()
			return [][2]int{{0, min(len(named.Call), size)}}
		case to <= method:
			return [][2]int{{named.At, min(named.At+len(name.call)-method, size)}}
		default:
			return [][2]int{{named.At, min(named.At+to-method, size)}}
		}
	}
	return nil
}

// isOnly reports whether a node is what a search by identity finds.
func (m *Model) isOnly(n *lazy.Node, only identity) (is bool) {
	if p := n.Point(); p != nil {
		m.r.WithContext(func(c *format.Context) { is = only.finds(c, p) })
	}
	return is
}
