package ui

import (
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
)

// constructor is the name of the methods that are constructors.
const constructor = "<init>"

// identity is a method, or a field, by its names: what searches for calls of the
// same method, and for accesses of the same field, go by. The zero value is none.
type identity struct {
	call        bool
	class, name string
}

func identityOf(c *format.Context, p *format.Point) identity {
	id, class := identity{}, int32(0)
	switch p.Class {
	case format.ClassCall:
		d := c.Method(p.Ref)
		if d == nil {
			return id
		}
		id, class = identity{call: true, name: d.Name}, d.ClassID
	case format.ClassFieldRead, format.ClassFieldWrite:
		d := c.Field(p.Ref)
		if d == nil {
			return id
		}
		id, class = identity{name: d.Name}, d.ClassID
	default:
		return id
	}
	if d := c.Class(class); d != nil {
		id.class = d.Name
	}
	return id
}

// alike is a pattern that finds what a node is about: calls of the same method,
// accesses of the same field. Of other points it is their text.
func (m *Model) alike(n *lazy.Node) *pattern {
	name := m.nameOf(n)
	if name == "" {
		return nil
	}
	p := literal(name, false)
	m.r.WithContext(func(c *format.Context) { p.only = identityOf(c, n.Point()) })
	switch only := p.only; {
	case only.call && only.name == constructor:
		p.title = "calls of the constructor of " + strings.TrimSuffix(name, "(")
	case only.call:
		p.title = "calls of " + strings.TrimSuffix(name, "(")
	case only != identity{}:
		p.title = "accesses of " + m.fieldOf(n)
	}
	return p
}

// fieldOf is a field with its class.
func (m *Model) fieldOf(n *lazy.Node) (name string) {
	m.r.WithContext(func(c *format.Context) {
		ref := n.Point().Ref
		name = c.ClassName(c.Field(ref).ClassID) + "." + c.FieldName(ref)
	})
	return name
}

// finds reports whether the pattern finds a point, by what it is: a search calls
// it with the reader's context locked.
func (i identity) finds(c *format.Context, p *format.Point) bool { return identityOf(c, p) == i }

// point is what finds the points of a search, where that does not go by their text.
func (p *pattern) point() func(*format.Context, *format.Point) bool {
	if p.only == (identity{}) {
		return nil
	}
	return p.only.finds
}

// nameOf is what the text of all trace points of the same method, field or
// variable contains, or, of a call, what it is called otherwise.
func (m *Model) nameOf(n *lazy.Node) (name string) {
	p := n.Point()
	m.r.WithContext(func(c *format.Context) {
		switch p.Class {
		case format.ClassCall:
			name, _ = c.CallName(p.Ref, p.Flags)
			if d := c.Method(p.Ref); d != nil && d.Name == constructor {
				name = c.ClassName(d.ClassID) // new Class(…) and super@Class(…)
			}
			name += "("
		case format.ClassFieldRead, format.ClassFieldWrite:
			name = c.FieldName(p.Ref) + " "
		case format.ClassVariableRead, format.ClassVariableWrite:
			name = c.VariableName(p.Ref) + " "
		case format.ClassLoop:
			name = "loop("
		case format.ClassIteration:
			name = "<iteration " + strconv.Itoa(int(p.Number)+1) + ">"
		case format.ClassThrow:
			name = "throw "
		case format.ClassCatch:
			name = "catch("
		}
	})
	return name
}

// threadName is a thread as the tree shows it.
func threadName(t lazy.ThreadInfo) string { return string(appendThreadName(nil, t)) }
