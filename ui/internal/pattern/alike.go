package pattern

import (
	"strconv"
	"strings"

	"tracex/format"
)

// Alike returns a pattern that finds points about the same thing: calls of the same method, accesses
// of the same field. For other points it matches their text. It is nil if the point has no name.
func Alike(c *format.Context, point *format.Point) *Pattern {
	name := nameOf(c, point)
	if name == "" {
		return nil
	}
	p := verbatim(name, false)
	p.Only = identityOf(c, point)
	switch only := p.Only; {
	case only.call && only.name == constructor:
		p.title = "calls of the constructor of " + strings.TrimSuffix(name, "(")
	case only.call:
		p.title = "calls of " + strings.TrimSuffix(name, "(")
	case only != Identity{}:
		p.title = "accesses of " + c.ClassName(c.Field(point.Ref).ClassID) + "." + c.FieldName(point.Ref)
	}
	return p
}

// nameOf returns a text that all trace points of the same method, field or variable contain,
// or, for a call, another name of it.
func nameOf(c *format.Context, p *format.Point) (name string) {
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
	return name
}
