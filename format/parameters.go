package format

import (
	"iter"
	"slices"
	"strings"
)

// Code locations list the locals that are live there: the receiver, the parameters in their order, and variables. So
// they tell the names of the parameters of the method that they are in. A recorder of Go adds a location for each function,
// at its declaration, that no trace point has. Its variables are the function's results, in their order.

const (
	// Unnamed is the name of a parameter or a result that has none, or a blank one.
	Unnamed = "_"
	// ErrorResult is the name of a result that has none but is of type error.
	ErrorResult = "error"
	// ErrorName is how users name such a result.
	ErrorName = "err"
)

// parameters are the names that the code locations of a trace tell.
type parameters struct {
	declared  map[signature]*CodeLocation // the first of those that agree; nil if some do not
	overloads map[overload]int32          // the first method described; none if there are several
}

// signature is what a code location tells of the method that it is in.
type signature struct {
	class, method string
	count         int // of parameters; anyCount in Go, where a method has no overloads
}

const anyCount = -1

// overload is what methods may have in common that are not the same.
type overload struct {
	class int32
	name  string
	count int // of parameters
}

// noteLocation notes the parameters that a code location tells.
func (ps *parameters) noteLocation(c *Context, l *CodeLocation) {
	if len(l.Locals) == 0 {
		return
	}
	method, ok := c.Text(l.Method)
	class := PlaceClass(c, l)
	if !ok || class == "" {
		return
	}
	s := signature{class, method, anyCount}
	if !l.inGo(c) {
		s.count = l.count(ActiveParameter)
	}
	old, known := ps.declared[s]
	switch {
	case known && old != nil && !old.agrees(l, c):
		ps.declared[s] = nil
	case !known:
		if ps.declared == nil {
			ps.declared = make(map[signature]*CodeLocation)
		}
		ps.declared[s] = l
	}
}

// agrees reports whether two locations tell the same names.
func (a *CodeLocation) agrees(b *CodeLocation, c *Context) bool {
	if !slices.Equal(a.names(c, ActiveParameter), b.names(c, ActiveParameter)) {
		return false
	}
	return !a.inGo(c) && !b.inGo(c) || slices.Equal(a.names(c, ActiveVariable), b.names(c, ActiveVariable))
}

// noteMethod notes which methods cannot be told apart by their names and the number of their parameters.
func (ps *parameters) noteMethod(c *Context, m *MethodDescriptor) {
	o := overload{m.ClassID, m.Name, len(m.Args)}
	first, known := ps.overloads[o]
	switch {
	case !known:
		if ps.overloads == nil {
			ps.overloads = make(map[overload]int32)
		}
		ps.overloads[o] = m.ID
	case first != m.ID && first >= 0 && !slices.Equal(c.Method(first).Args, m.Args):
		ps.overloads[o] = -1
	}
}

// declaration returns the code location that tells the names in a method with so many parameters; nil if none does.
func declaration(c *Context, method int32, count int) *CodeLocation {
	m := c.Method(method)
	if m == nil {
		return nil
	}
	class := c.Class(m.ClassID)
	if class == nil || c.overloads[overload{m.ClassID, m.Name, len(m.Args)}] < 0 {
		return nil
	}
	return c.declared[signature{class.Name, m.Name, count}]
}

// parametersOf returns the code location that tells the names of the parameters of a called method; nil if none does.
func parametersOf(c *Context, p *Point) *CodeLocation {
	if l := declaration(c, p.Ref, len(p.Args)); l != nil {
		return l
	}
	if l := declaration(c, p.Ref, anyCount); l != nil && l.count(ActiveParameter) == len(p.Args) {
		return l
	}
	return nil
}

// Parameters returns the names of the parameters of a called method, one for each argument: "" for one that has none, nil if
// the trace does not tell them.
func Parameters(c *Context, p *Point) []string { return parametersOf(c, p).names(c, ActiveParameter) }

// ParametersOf returns the names that Parameters returns for calls of a method, if these have the arguments that it is described
// with. A method of Go may be described without any.
func ParametersOf(c *Context, method int32) []string {
	m := c.Method(method)
	if m == nil {
		return nil
	}
	l := declaration(c, method, len(m.Args))
	if l == nil {
		l = declaration(c, method, anyCount)
	}
	return l.names(c, ActiveParameter)
}

// ResultNames returns the names of the results of a Go function: "" for one that has none, [ErrorResult] if that is an error. It is
// nil if the trace does not tell them.
func ResultNames(c *Context, method int32) []string {
	return declaration(c, method, anyCount).names(c, ActiveVariable)
}

// DeclaredAt returns the id of the code location that tells the names in a method; -1 if none does.
func DeclaredAt(c *Context, method int32) int32 {
	l := declaration(c, method, anyCount)
	if m := c.Method(method); l == nil && m != nil {
		l = declaration(c, method, len(m.Args))
	}
	if l == nil {
		return -1
	}
	return l.ID
}

// ArgumentName returns the name of the i-th argument of a call, from 0: that of the parameter or, if the trace does not tell the
// parameters, the variable that rows show before its value. It is "" if there is none.
func ArgumentName(c *Context, p *Point, i int) string {
	if l := parametersOf(c, p); l != nil {
		return l.named(c, ActiveParameter, i)
	}
	if l := c.Location(p.Location); l != nil && len(l.ArgNames) == len(p.Args) {
		return pathVariable(c, l.ArgNames[i])
	}
	return ""
}

// pathVariable returns the name of the variable that an access path is; "" if it is none, or more.
func pathVariable(c *Context, path int32) string {
	if p := c.Path(path); p != nil && len(p.Steps) == 1 && p.Steps[0].Kind == AccessVariable {
		if v := c.Variable(p.Steps[0].Ref); v != nil {
			return v.Name
		}
	}
	return ""
}

// Declaration is what a trace tells of the names in a method of a class: "" for those that have none.
type Declaration struct {
	Class, Method       string // the full name of the class
	Parameters, Results []string
}

// Declarations yields what the trace tells of the names of parameters, in no order. Class and Method are "" for the names that
// rows show before the values of arguments.
func Declarations(c *Context) iter.Seq[Declaration] {
	return func(yield func(Declaration) bool) {
		doubtful := make(map[signature]bool) // which of several methods has the names is not known
		for o, first := range c.overloads {
			if class := c.Class(o.class); class != nil && first < 0 {
				doubtful[signature{class.Name, o.name, o.count}] = true
			}
		}
		for s, l := range c.declared {
			if l == nil || doubtful[s] {
				continue
			}
			d := Declaration{Class: s.class, Method: s.method, Parameters: l.names(c, ActiveParameter)}
			if l.inGo(c) {
				d.Results = l.names(c, ActiveVariable)
			}
			if !yield(d) {
				return
			}
		}
		for l := range c.Locations() {
			if len(l.ArgNames) == 0 {
				continue
			}
			var d Declaration
			for _, id := range l.ArgNames {
				d.Parameters = append(d.Parameters, pathVariable(c, id))
			}
			if !yield(d) {
				return
			}
		}
	}
}

// inGo reports whether a code location is in a file of Go.
func (l *CodeLocation) inGo(c *Context) bool {
	file, _ := c.Text(l.File)
	return strings.HasSuffix(file, ".go")
}

// names returns the names of the live locals of a kind; nil for no location.
func (l *CodeLocation) names(c *Context, kind ActiveKind) []string {
	if l == nil {
		return nil
	}
	names := []string{}
	for i := range l.Locals {
		if l.LocalKinds[i] == kind {
			names = append(names, l.named(c, kind, len(names)))
		}
	}
	return names
}

// count returns how many live locals are of a kind.
func (l *CodeLocation) count(kind ActiveKind) (n int) {
	for _, k := range l.LocalKinds {
		if k == kind {
			n++
		}
	}
	return n
}

// named returns the name of the n-th live local of a kind, from 0; "" if it has none.
func (l *CodeLocation) named(c *Context, kind ActiveKind, n int) string {
	for i, id := range l.Locals {
		if l.LocalKinds[i] != kind {
			continue
		}
		if n--; n < 0 {
			if name, _ := c.Text(id); name != Unnamed {
				return name
			}
			break
		}
	}
	return ""
}
