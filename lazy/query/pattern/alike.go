package pattern

import (
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
)

// constructor is the name that all constructors have.
const constructor = "<init>"

// Identity is a method, or a field, by its names. Searches for calls of the same method, and
// for accesses of the same field, compare it. The zero value is none.
type Identity struct {
	call        bool
	class, name string
}

func identityOf(c *format.Context, p *format.Point) Identity {
	var id Identity
	var class int32
	switch p.Class {
	case format.ClassCall:
		if d := c.Method(p.Ref); d != nil {
			id, class = Identity{call: true, name: d.Name}, d.ClassID
		}
	case format.ClassFieldRead, format.ClassFieldWrite:
		if d := c.Field(p.Ref); d != nil {
			id, class = Identity{name: d.Name}, d.ClassID
		}
	}
	if d := c.Class(class); d != nil && id != (Identity{}) {
		id.class = d.Name
	}
	return id
}

// Finds reports whether the pattern finds a point by its identity. A search calls it with the
// reader's context locked.
func (i Identity) Finds(c *format.Context, p *format.Point) bool { return identityOf(c, p) == i }

// Point returns the function that finds the points of a search, if they are not found by their text.
func (p *Pattern) Point() func(*format.Context, *format.Point) bool {
	if p.Only == (Identity{}) {
		return nil
	}
	return p.Only.Finds
}

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
