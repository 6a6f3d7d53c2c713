package pattern

import (
	"tracex/format"
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
	id, class := Identity{}, int32(0)
	switch p.Class {
	case format.ClassCall:
		d := c.Method(p.Ref)
		if d == nil {
			return id
		}
		id, class = Identity{call: true, name: d.Name}, d.ClassID
	case format.ClassFieldRead, format.ClassFieldWrite:
		d := c.Field(p.Ref)
		if d == nil {
			return id
		}
		id, class = Identity{name: d.Name}, d.ClassID
	default:
		return id
	}
	if d := c.Class(class); d != nil {
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
