package code

import (
	"strings"

	"tracex/format"
)

// goPackage returns the package of a spot in a Go source.
func (s Spot) goPackage() string { return goPackage(s.Class) }

// goPackage returns the last element of the package of a class, which in Go is the package, or a type
// in it.
func goPackage(class string) string {
	name, _, _ := strings.Cut(class, ".")
	return name
}

// recordedPackage reports whether the trace has methods of a Go package: what calls a method is then code
// of the user, and not the runtime or a library.
func recordedPackage(c *format.Context, pkg string) bool {
	known := make(map[int32]bool) // classes of other packages
	for m := range c.Methods() {
		if known[m.ClassID] {
			continue
		}
		known[m.ClassID] = true
		if of := c.Class(m.ClassID); of != nil && goPackage(of.Name) == pkg {
			return true
		}
	}
	return false
}

// declarationOf returns where a function of Go is declared: at the first line of it that the trace names.
func declarationOf(c *format.Context, method int32) (s Spot, ok bool) {
	m := c.Method(method)
	if m == nil || c.Class(m.ClassID) == nil {
		return s, false
	}
	class := c.Class(m.ClassID).Name
	for l := range c.Locations() {
		if name, _ := c.Text(l.Method); name != m.Name || Class(c, l) != class {
			continue
		}
		if at, known := SpotOf(c, l.ID); known && at.isGo() && (!ok || at.Line < s.Line) {
			s, ok = at, true
		}
	}
	s.Declared = ok
	return s, ok
}
