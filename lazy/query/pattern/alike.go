package pattern

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
)

// constructor is the name that all constructors have.
const constructor = "<init>"

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

// NameRanges returns the parts to highlight in a call whose name was found; its text has size
// bytes. A call found by its location in the source has no match in the row.
func NameRanges(named *lazy.Named, p *Pattern, size int) [][2]int {
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
		from, to := p.Find(append([]byte(name.call), "()"...))
		to = min(to, len(name.call)+len("("))
		if named.At >= 0 {
			if f, t := p.Find(name.other(nil)); f >= 0 && f < name.class {
				from, to = f, t
			}
		}
		switch method := name.class + 1; { // where the method's name begins
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

// ExtendedRanges returns the ranges of a text to highlight once it is extended: those of the text, and those that match in what is put
// in. As a search does, it finds the name of a parameter with its equals sign alone.
func ExtendedRanges(p *Pattern, text string, with []format.Extra, of [][2]int) [][2]int {
	if len(with) == 0 {
		return of
	}
	list := make([][2]int, len(of))
	for i, part := range of {
		list[i] = format.AmongExtras(with, part)
	}
	wide := format.AppendWithExtras(nil, []byte(text), with)
	for _, part := range p.Ranges(wide) {
		if inExtras(wide, with, part) && !slices.ContainsFunc(list, func(o [2]int) bool { return o[0] < part[1] && part[0] < o[1] }) {
			list = append(list, part)
		}
	}
	slices.SortFunc(list, func(a, b [2]int) int { return a[0] - b[0] })
	return list
}

// inExtras reports whether a part of a text matches because of what the text was extended by.
func inExtras(wide []byte, with []format.Extra, part [2]int) bool {
	by := 0
	for i := range with {
		x := &with[i]
		from := x.At + by
		by += len(x.Text)
		if from < part[1] && part[0] < from+len(x.Text) && (!x.Name || bytes.IndexByte(wide[part[0]:part[1]], '=') > 0) {
			return true
		}
	}
	return false
}
