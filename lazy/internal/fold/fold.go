// Package fold decides what is shown in place of recorded trace points: it hides what
// compilers and coverage tools added. It accesses points through an [Access], which may
// be a mapped trace or one in memory.
package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/format"
)

// Access gives folding access to raw trace points of type T.
type Access[T any] interface {
	// Point returns the point of t. The next call of any method may overwrite it:
	// folding does not keep it.
	Point(t T) (*format.Point, error)
	// Iterations returns the number in the footer of a loop.
	Iterations(t T) (int32, error)
	// HasChildren reports whether a container has any children.
	HasChildren(t T) (bool, error)
	// Begins returns the point of the first raw child, nil if there is none; only
	// its class and Ref matter.
	Begins(t T) (*format.Point, error)
	// First appends up to n of the first raw children of t to dst, in order.
	First(dst []T, t T, n int) ([]T, error)
	// Last returns the last raw child; ok is false if there is none.
	Last(t T) (child T, ok bool, err error)
	// Moved returns t with another code location and diff status.
	Moved(t T, location int32, diff format.DiffStatus) T
	// Shortened returns a loop with another number of iterations.
	Shortened(t T, iterations int32) T
}

// MaxDepth limits how deep calls that may fold can be nested. A deeper chain stays
// as it is: no real program has one, and its top must be shown without walking to
// its bottom.
const MaxDepth = 64

// Folder applies the rules that turn recorded points into the points shown. It looks
// only at the children of loops and of calls whose name allows folding. Only one
// goroutine may use it, while Context does not change.
type Folder[T any] struct {
	Context *format.Context
	Access  Access[T]
}

// Fold returns the point shown in place of t; keep is false if none is. The result has
// the same parent as t, on which the text of its children depends.
func (f *Folder[T]) Fold(t T) (out T, keep bool, err error) {
	return f.at(t, 0)
}

// Settled reports whether p is enough to decide, as for most points: it is kept as it
// is, or dropped. Call it before Fold if the point is available.
func (f *Folder[T]) Settled(p *format.Point) (keep, ok bool) {
	switch p.Class {
	case format.ClassCall:
		return true, !f.Context.MayFold(p.Ref)
	case format.ClassLoop, format.ClassIteration:
		return true, false
	}
	return !f.Context.Coverage(p), true
}

func (f *Folder[T]) at(t T, depth int) (T, bool, error) {
	p, err := f.Access.Point(t)
	if err != nil {
		return t, true, err
	}
	if keep, ok := f.Settled(p); ok {
		return t, keep, nil
	}
	if p.Class == format.ClassIteration {
		keep, err := f.Access.HasChildren(t)
		return t, keep || err != nil, err
	}
	if depth >= MaxDepth {
		return t, true, nil
	}
	if p.Class == format.ClassLoop {
		return f.loop(t, depth)
	}
	return f.call(t, p, depth)
}

// callee is the information about a call that folding needs while it looks at the
// call's children.
type callee struct {
	location int32
	diff     format.DiffStatus
	args     int
	method   *format.MethodDescriptor
}

func (f *Folder[T]) call(t T, p *format.Point, depth int) (T, bool, error) {
	c := callee{location: p.Location, diff: p.Diff, args: len(p.Args), method: f.Context.Method(p.Ref)}
	first, err := f.Access.Begins(t)
	if err != nil || first == nil {
		return t, true, err
	}
	most := f.most(&c, first)
	if most == 0 {
		return t, true, nil
	}
	kids, err := f.Access.First(nil, t, most+1)
	if err != nil || len(kids) > most {
		return t, true, err
	}
	var out T
	ok := false
	if len(kids) == 1 {
		out, ok, err = f.single(&c, kids[0], depth)
	} else if out, ok, err = f.synthetic(&c, kids, depth); !ok && err == nil && len(kids) == 2 {
		out, ok, err = f.setter(&c, kids, depth)
	}
	if !ok || err != nil {
		return t, true, err
	}
	return out, true, nil
}

// most returns with how many children at most c may fold if first is the first of them: by
// names, before the others are read. 0 means that it does not fold.
func (f *Folder[T]) most(c *callee, first *format.Point) int {
	if strings.Contains(c.method.Name, "access$") {
		return 3
	}
	switch first.Class {
	case format.ClassVariableRead, format.ClassVariableWrite:
		if strings.HasPrefix(c.method.Name, "set") {
			return 2
		}
	case format.ClassFieldRead:
		return 1
	case format.ClassCall:
		if f.leadsOn(c, first.Ref) {
			return 1
		}
	}
	return 0
}

// single folds a call with one child: a call that only forwards to another, or a getter.
func (f *Folder[T]) single(c *callee, raw T, depth int) (out T, ok bool, err error) {
	p, err := f.Access.Point(raw)
	if err != nil || p.Class != format.ClassCall && p.Class != format.ClassFieldRead {
		return raw, false, err
	}
	if p.Class == format.ClassCall && !f.leadsOn(c, p.Ref) {
		return raw, false, nil
	}
	child, keep, err := f.at(raw, depth+1)
	if err != nil || !keep {
		return raw, false, err
	}
	if p, err = f.Access.Point(child); err != nil {
		return raw, false, err
	}
	switch p.Class {
	case format.ClassCall:
		m := f.Context.Method(p.Ref)
		if m != nil && f.sameClass(c.method.ClassID, m.ClassID) && passesOn(c.method.Name, m.Name) {
			return f.Access.Moved(child, c.location, p.Diff), true, nil
		}
	case format.ClassFieldRead:
		d := f.Context.Field(p.Ref)
		if d != nil && c.args == 0 && f.sameClass(c.method.ClassID, d.ClassID) &&
			accessor(c.method.Name, "get", d.Name) && f.isOf(c.method.Result, &p.Value) {
			return f.Access.Moved(child, c.location, c.leaf()), true, nil
		}
	}
	return raw, false, nil
}

// Stays reports whether a call of a method surely folds to itself, judging only by its first
// child: its class and ref, and whether there is another one.
func Stays(c *format.Context, method int32, first format.Class, ref int32, more bool) bool {
	m := c.Method(method)
	if m == nil {
		return true
	}
	bridge := c.Bridge(method)
	if bridge && strings.Contains(m.Name, "access$") {
		return false
	}
	switch first {
	case format.ClassCall:
		if more {
			return true
		}
		to := c.Method(ref)
		if !bridge && !c.Bridge(ref) {
			return to == nil || m.Name != to.Name // the rest of leadsOn is about bridges
		}
		return !leadsOn(m.Name, to)
	case format.ClassFieldRead:
		return more
	case format.ClassVariableRead, format.ClassVariableWrite:
		v := c.Variable(ref)
		return v == nil || v.Name != setterParameter
	}
	return true
}

// leadsOn reports whether c may fold if its only child is a call of this
// method: by the names, before anything below is read.
func (f *Folder[T]) leadsOn(c *callee, method int32) bool {
	return leadsOn(c.method.Name, f.Context.Method(method))
}

func leadsOn(name string, m *format.MethodDescriptor) bool {
	if m == nil {
		return false
	}
	return strings.HasSuffix(name, "$default") || strings.HasPrefix(name, "access$") ||
		name == m.Name || strings.Contains(m.Name, "access$")
}

// passesOn reports whether the Kotlin compiler generates a method named outer to call
// inner with default arguments or from another class.
func passesOn(outer, inner string) bool {
	if rest, ok := strings.CutSuffix(outer, "$default"); ok && rest == inner {
		return true
	}
	rest, ok := strings.CutPrefix(outer, "access$")
	return ok && rest == inner
}

// loop shortens a loop by its last iteration if that is empty. A recorder
// begins an iteration before it knows that the loop is over.
func (f *Folder[T]) loop(t T, depth int) (T, bool, error) {
	n, err := f.Access.Iterations(t)
	if err != nil {
		return t, true, err
	}
	if n == 0 {
		return t, false, nil
	}
	raw, ok, err := f.Access.Last(t)
	if err != nil {
		return t, true, err
	}
	if ok {
		_, keep, err := f.at(raw, depth+1)
		if err != nil || keep {
			return t, true, err
		}
	}
	if n == 1 {
		return t, false, nil
	}
	return f.Access.Shortened(t, n-1), true, nil
}

// sameClass compares classes by name: a class may be described twice.
func (f *Folder[T]) sameClass(a, b int32) bool {
	if a == b {
		return true
	}
	ca, cb := f.Context.Class(a), f.Context.Class(b)
	return ca != nil && cb != nil && ca.Name == cb.Name
}

// The calls that fold to an access of the field that they were made for.

// synthetic folds access$get… and access$set…, which read or write a private
// field for another class.
func (f *Folder[T]) synthetic(c *callee, kids []T, depth int) (out T, ok bool, err error) {
	index := 2
	if strings.Contains(c.method.Name, "access$get") {
		index = 1
	} else if !strings.Contains(c.method.Name, "access$set") {
		return out, false, nil
	}
	if index >= len(kids) {
		return out, false, nil
	}
	child, p, err := f.field(kids[index], depth)
	if err != nil || p == nil {
		return out, false, err
	}
	return f.Access.Moved(child, c.location, c.leaf()), true, nil
}

// setterParameter is the name that the Kotlin compiler gives the parameter of a setter.
const setterParameter = "<set-?>"

// setter folds a call that only writes its argument, named <set-?> by the
// Kotlin compiler, into a field.
func (f *Folder[T]) setter(c *callee, kids []T, depth int) (out T, ok bool, err error) {
	if !strings.HasPrefix(c.method.Name, "set") {
		return out, false, nil
	}
	p, err := f.Access.Point(kids[0])
	if err != nil || p.Class != format.ClassVariableRead && p.Class != format.ClassVariableWrite {
		return out, false, err
	}
	if v := f.Context.Variable(p.Ref); v == nil || v.Name != setterParameter {
		return out, false, nil
	}
	child, p, err := f.field(kids[1], depth)
	if err != nil || p == nil || p.Class != format.ClassFieldWrite {
		return out, false, err
	}
	d := f.Context.Field(p.Ref)
	if d == nil || !f.sameClass(c.method.ClassID, d.ClassID) || !accessor(c.method.Name, "set", d.Name) {
		return out, false, nil
	}
	return f.Access.Moved(child, c.location, c.leaf()), true, nil
}

// field folds raw; p is nil if the result is not a field access.
func (f *Folder[T]) field(raw T, depth int) (child T, p *format.Point, err error) {
	child, keep, err := f.at(raw, depth+1)
	if err != nil || !keep {
		return child, nil, err
	}
	if p, err = f.Access.Point(child); err != nil {
		return child, nil, err
	}
	if p.Class != format.ClassFieldRead && p.Class != format.ClassFieldWrite {
		return child, nil, nil
	}
	return child, p, nil
}

// leaf returns the diff status of the field access that replaces the call: a leaf is
// not edited, but added or removed.
func (c *callee) leaf() format.DiffStatus {
	switch c.diff {
	case format.DiffEditedOld:
		return format.DiffRemoved
	case format.DiffEditedNew:
		return format.DiffAdded
	}
	return c.diff
}

// accessor reports whether method is prefix and the field's name capitalized.
func accessor(method, prefix, field string) bool {
	rest, ok := strings.CutPrefix(method, prefix)
	if !ok {
		return false
	}
	r, n := utf8.DecodeRuneInString(field)
	upper := string(unicode.ToUpper(r))
	switch {
	case n == 0 || r == utf8.RuneError && n == 1 || r > 0xffff:
		// Java capitalizes UTF-16 units: not half a pair.
		upper = field[:n]
	case r == 'ß':
		upper = "SS"
	}
	rest, ok = strings.CutPrefix(rest, upper)
	return ok && rest == field[n:]
}

// primitives are the types that follow from the kind of a value.
var primitives = map[format.ValueKind]format.TypeKind{
	format.ValueByte: format.TypeByte, format.ValueShort: format.TypeShort,
	format.ValueInt: format.TypeInt, format.ValueLong: format.TypeLong,
	format.ValueFloat: format.TypeFloat, format.ValueDouble: format.TypeDouble,
	format.ValueChar: format.TypeChar, format.ValueBoolean: format.TypeBoolean,
}

// classTypes are the class names that denote a primitive type.
var classTypes = map[string]format.TypeKind{
	"I": format.TypeInt, "java.lang.Integer": format.TypeInt,
	"J": format.TypeLong, "java.lang.Long": format.TypeLong,
	"D": format.TypeDouble, "java.lang.Double": format.TypeDouble,
	"F": format.TypeFloat, "java.lang.Float": format.TypeFloat,
	"Z": format.TypeBoolean, "java.lang.Boolean": format.TypeBoolean,
	"B": format.TypeByte, "java.lang.Byte": format.TypeByte,
	"S": format.TypeShort, "java.lang.Short": format.TypeShort,
	"C": format.TypeChar, "java.lang.Character": format.TypeChar,
}

// isOf reports whether t is exactly the class of v, not a superclass.
func (f *Folder[T]) isOf(t format.Type, v *format.Value) bool {
	if k, ok := primitives[v.Kind]; ok {
		return t.Kind == k && t.Dims == 0
	}
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence, format.ValueEnum:
		c := f.Context.Class(v.ClassID)
		return c != nil && isNamed(t, c.Name)
	case format.ValueNull:
		return false
	}
	name, ok := f.Context.Version().ClassName(v.Kind)
	return ok && isNamed(t, name)
}

// isNamed reports whether t is the type of a class of this name; array names are as in
// a class file: [[I, [Ljava.lang.String;.
func isNamed(t format.Type, name string) bool {
	for range t.Dims {
		rest, ok := strings.CutPrefix(name, "[")
		if !ok {
			return false
		}
		name = rest
	}
	if k, ok := classTypes[name]; ok {
		return t.Kind == k
	}
	if inner, ok := strings.CutPrefix(name, "L"); ok {
		if inner, ok = strings.CutSuffix(inner, ";"); ok {
			name = inner
		}
	}
	return t.Kind == format.TypeObject && t.Class == name
}
