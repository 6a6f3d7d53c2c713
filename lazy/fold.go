package lazy

import (
	"strings"

	"tracex/format"
)

// foldSource is how folding sees raw trace points of type T.
type foldSource[T any] interface {
	// point returns the point of t. It may be overwritten by the next call of
	// any method: folding keeps nothing of it.
	point(t T) (*format.Point, error)
	// iterations returns the number in the footer of a loop.
	iterations(t T) (int32, error)
	// hasChildren reports whether a container has any children.
	hasChildren(t T) (bool, error)
	// first appends up to n of the first raw children of t to dst, in order.
	first(dst []T, t T, n int) ([]T, error)
	// last returns the last raw child; ok is false when there is none.
	last(t T) (child T, ok bool, err error)
	// moved returns t with another code location and diff status.
	moved(t T, location int32, diff format.DiffStatus) T
	// shortened returns a loop with another number of iterations.
	shortened(t T, iterations int32) T
}

// maxFoldDepth bounds how many calls that may fold can stand within each
// other. A deeper chain stays as it is: none is in a real program, and its top
// must be shown without walking to its bottom.
const maxFoldDepth = 64

// folder applies the rules that make of recorded points what a person wants to
// see: what compilers and coverage tools added disappears. It looks at the
// children only of calls whose name allows folding, and of loops.
type folder[T any] struct {
	ctx    *format.Context
	source foldSource[T]
}

// fold returns what is shown in place of t; keep is false when that is
// nothing. The result stands below the same parent as t, which is what the
// text of its children depends on.
func (f *folder[T]) fold(t T) (out T, keep bool, err error) {
	return f.at(t, 0)
}

// settled reports whether p alone tells what becomes of it, as for most: it is
// kept as it is, or dropped. Who has the point at hand asks this before fold.
func (f *folder[T]) settled(p *format.Point) (keep, ok bool) {
	switch p.Class {
	case format.ClassCall:
		return true, !f.ctx.MayFold(p.Ref)
	case format.ClassLoop, format.ClassIteration:
		return true, false
	}
	return !f.ctx.Coverage(p), true
}

func (f *folder[T]) at(t T, depth int) (T, bool, error) {
	p, err := f.source.point(t)
	if err != nil {
		return t, true, err
	}
	if keep, ok := f.settled(p); ok {
		return t, keep, nil
	}
	if p.Class == format.ClassIteration {
		keep, err := f.source.hasChildren(t)
		return t, keep || err != nil, err
	}
	if depth >= maxFoldDepth {
		return t, true, nil
	}
	if p.Class == format.ClassLoop {
		return f.loop(t, depth)
	}
	return f.call(t, p, depth)
}

// callee is what folding needs to know of a call while it looks at its
// children.
type callee struct {
	location int32
	diff     format.DiffStatus
	args     int
	method   *format.MethodDescriptor
}

func (f *folder[T]) call(t T, p *format.Point, depth int) (T, bool, error) {
	c := callee{location: p.Location, diff: p.Diff, args: len(p.Args), method: f.ctx.Method(p.Ref)}
	var space [4]T
	kids, err := f.source.first(space[:0], t, len(space))
	if err != nil {
		return t, true, err
	}
	var out T
	ok := false
	switch len(kids) {
	case 1:
		out, ok, err = f.single(&c, kids[0], depth)
	case 2, 3:
		if out, ok, err = f.synthetic(&c, kids, depth); !ok && err == nil && len(kids) == 2 {
			out, ok, err = f.setter(&c, kids, depth)
		}
	}
	if !ok || err != nil {
		return t, true, err
	}
	return out, true, nil
}

// single folds a call with one child: a call that only passes on, or a getter.
func (f *folder[T]) single(c *callee, raw T, depth int) (out T, ok bool, err error) {
	p, err := f.source.point(raw)
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
	if p, err = f.source.point(child); err != nil {
		return raw, false, err
	}
	switch p.Class {
	case format.ClassCall:
		m := f.ctx.Method(p.Ref)
		if m != nil && f.sameClass(c.method.ClassID, m.ClassID) && passesOn(c.method.Name, m.Name) {
			return f.source.moved(child, c.location, p.Diff), true, nil
		}
	case format.ClassFieldRead:
		d := f.ctx.Field(p.Ref)
		if d != nil && c.args == 0 && f.sameClass(c.method.ClassID, d.ClassID) &&
			accessor(c.method.Name, "get", d.Name) && f.isOf(c.method.Result, &p.Value) {
			return f.source.moved(child, c.location, c.leaf()), true, nil
		}
	}
	return raw, false, nil
}

// leadsOn reports whether c may fold when its only child is a call of this
// method: by the names, before anything below is looked at.
func (f *folder[T]) leadsOn(c *callee, method int32) bool {
	m := f.ctx.Method(method)
	if m == nil {
		return false
	}
	name := c.method.Name
	return strings.HasSuffix(name, "$default") || strings.HasPrefix(name, "access$") ||
		name == m.Name || strings.Contains(m.Name, "access$")
}

// passesOn reports whether a method named outer is what the Kotlin compiler
// makes to call inner with default arguments or from another class.
func passesOn(outer, inner string) bool {
	if rest, ok := strings.CutSuffix(outer, "$default"); ok && rest == inner {
		return true
	}
	rest, ok := strings.CutPrefix(outer, "access$")
	return ok && rest == inner
}

// loop shortens a loop by its last iteration when that is empty. A recorder
// begins an iteration before it knows that the loop is over.
func (f *folder[T]) loop(t T, depth int) (T, bool, error) {
	n, err := f.source.iterations(t)
	if err != nil {
		return t, true, err
	}
	if n == 0 {
		return t, false, nil
	}
	raw, ok, err := f.source.last(t)
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
	return f.source.shortened(t, n-1), true, nil
}

// sameClass compares classes by name: a class may be described twice.
func (f *folder[T]) sameClass(a, b int32) bool {
	if a == b {
		return true
	}
	ca, cb := f.ctx.Class(a), f.ctx.Class(b)
	return ca != nil && cb != nil && ca.Name == cb.Name
}
