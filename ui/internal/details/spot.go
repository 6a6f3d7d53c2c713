package details

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/sourcefiles"
)

// spotOf returns the code location of a node; n may be nil.
func (p *Source) spotOf(n *lazy.Node) (s sourcefiles.Spot, ok bool) {
	if n == nil || n.Point() == nil {
		return s, false
	}
	p.env.Trace.Reader.WithContext(func(c *format.Context) { s, ok = p.spot(c, n.Point()) })
	return s, ok
}

// spot returns the code location of a point: where a call is made, unless that is in Go's runtime, or in
// other code that was not recorded. Then it is the function that is called, if the trace tells where that is.
func (p *Source) spot(c *format.Context, at *format.Point) (s sourcefiles.Spot, ok bool) {
	s, ok = sourcefiles.SpotAt(c, at.Location)
	if at.Class != format.ClassCall || ok && (!s.IsGo() || p.isRecorded(c, filter.PackageOf(s.Class))) {
		return s, ok
	}
	if d, known := p.declaration(c, at.Ref); known {
		return d, true
	}
	return s, ok
}

// isRecorded reports whether the trace has methods of a Go package: then what calls a method there is the user's code.
func (p *Source) isRecorded(c *format.Context, pkg string) bool {
	if p.recorded[pkg] {
		return true
	}
	known := make(map[int32]bool) // classes of other packages
	for m := range c.Methods() {
		if known[m.ClassID] {
			continue
		}
		known[m.ClassID] = true
		if of := c.Class(m.ClassID); of != nil && filter.PackageOf(of.Name) == pkg {
			p.recorded[pkg] = true
			return true
		}
	}
	return false
}

// mostDeclared bounds Source.declared.
const mostDeclared = 10_000

// declaration returns where a function of Go is declared: at the first line of it that the trace names.
func (p *Source) declaration(c *format.Context, method int32) (s sourcefiles.Spot, ok bool) {
	if s, ok = p.declared[method]; ok {
		return s, true
	}
	m := c.Method(method)
	if m == nil || c.Class(m.ClassID) == nil {
		return s, false
	}
	class := c.Class(m.ClassID).Name
	for l := range c.Locations() {
		if name, _ := c.Text(l.Method); name != m.Name || format.PlaceClass(c, l) != class {
			continue
		}
		if at, known := sourcefiles.SpotAt(c, l.ID); known && at.IsGo() && (!ok || at.Line < s.Line) {
			s, ok = at, true
		}
	}
	if s.Declared = ok; ok {
		if len(p.declared) >= mostDeclared {
			clear(p.declared)
		}
		p.declared[method] = s
	}
	return s, ok
}
