package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/format"
)

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
