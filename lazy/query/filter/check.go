package filter

import (
	"cmp"
	"iter"
	"strings"

	"tracex/format"
)

// check returns an error for the first term that can match nothing in a complete trace, because the
// trace has no such name, or no times.
func (e *Expr) check(a About) error { return e.checkNode(e.root, &a) }

func (e *Expr) checkNode(n *node, a *About) error {
	for _, k := range n.kids {
		if err := e.checkNode(k, a); err != nil {
			return err
		}
	}
	if n.op != opTest {
		return nil
	}
	t := n.test
	switch t.field.id {
	case idAt, idDur, idSelf:
		if !a.Timed {
			return e.fault(t.at, t.end, "this trace has no times: "+t.field.Name+" matches nothing", "size and kids tell how much is in a call")
		}
		return nil
	}
	m, plain := &t.value.matcher, cmp.Or(t.value.plain, &t.value.matcher)
	if t.field.kind == kindObject || t.field.kind == kindValue {
		return e.checkClass(t, a)
	}
	if t.field.id == idThread && a.Threads == nil {
		return nil
	}
	if t.field.kind != kindName || t.op != opEq && t.op != opNe || plain.re != nil || t.field.id == idExc {
		return nil
	}
	for name := range a.names(t.field, t.value.raw) {
		if m.re == nil && name == m.exact || name == plain.exact {
			return nil
		}
	}
	what := t.field.About
	switch t.field.id {
	case idMethod, idClass, idField, idThread, idFile:
		what = t.field.Name
	case idPkg:
		what = "package"
	case idVar:
		what = "variable"
	}
	return e.fault(t.valueAt, t.to, "this trace has no "+what+" "+t.value.raw, "", a.near(t.field, plain.exact)...)
}

// checkClass checks the class of an object.
func (e *Expr) checkClass(t *test, a *About) error {
	l := &t.value
	class := l.class
	switch {
	case t.op != opEq && t.op != opNe || l.matcher.re != nil:
		return nil
	case l.kind == litWord && t.field.kind == kindObject:
		class = l.raw
	case l.kind != litRef:
		return nil
	}
	if class == "" || class == builderClass || class == fullBuilderClass {
		return nil
	}
	f := &fields[idClass]
	for name := range a.names(f, class) {
		if name == class {
			return nil
		}
	}
	return e.fault(t.valueAt, t.to, "this trace has no class "+class, "", a.near(f, class)...)
}

func (e *Expr) fault(at, to int, message, hint string, near ...string) error {
	return &Error{Text: e.text, At: at, To: to, Message: message, Hint: hint, Near: near}
}

// names yields the names that a field can have in the trace and that may equal want.
func (a *About) names(f *Field, want string) iter.Seq[string] {
	c := a.Context
	return func(yield func(string) bool) {
		switch f.id {
		case idMethod:
			signed := strings.Contains(want, "(")
			for d := range c.Methods() {
				if d.Name != constructor && !strings.Contains(want, d.Name) && !strings.Contains(want, c.MethodName(d.ID)) {
					continue // saves making all names
				}
				if !methodNames(c, d, signed, yield) {
					return
				}
			}
		case idField:
			c.Fields()(func(d *format.FieldDescriptor) bool { return namesOfField(c, d, yield) })
		case idVar:
			c.Variables()(func(d *format.VariableDescriptor) bool { return variableNames(c, d, yield) })
		case idClass:
			for d := range c.Classes() {
				if !classNames(c, d, yield) {
					return
				}
			}
			for d := range c.Methods() {
				if c.Class(d.ClassID) == nil && !yield(c.ClassName(d.ClassID)) {
					return
				}
			}
		case idPkg:
			c.Classes()(func(d *format.ClassDescriptor) bool { return packageNames(c, d.Name, yield) })
		case idFile:
			files(c)(func(file string) bool { return fileNames(file, yield) })
		case idThread:
			a.threads()(func(id int32, name string) bool { return threadNames(id, name, yield) })
		}
	}
}

// files yields the source files of a trace, each once.
func files(c *format.Context) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := make(map[int32]bool)
		for l := range c.Locations() {
			if seen[l.File] {
				continue
			}
			seen[l.File] = true
			if file, ok := c.Text(l.File); ok && file != "" && !yield(file) {
				return
			}
		}
	}
}

// shownNames yields for each name in the trace the form that is most like what was typed: with the
// class if like has a dot, else without.
func (a *About) shownNames(f *Field, like string) iter.Seq[string] {
	c := a.Context
	dotted := strings.ContainsAny(like, ".@ ")
	return func(yield func(string) bool) {
		switch f.id {
		case idMethod:
			for d := range c.Methods() {
				name := c.MethodName(d.ID)
				if dotted || d.Name == constructor {
					name, _ = c.CallName(d.ID, 0)
				}
				if strings.Contains(like, "(") {
					name += Signature(d, ", ", false)
				}
				if !yield(name) {
					return
				}
			}
		case idField:
			for d := range c.Fields() {
				name := c.FieldName(d.ID)
				if dotted {
					name = c.ClassName(d.ClassID) + "." + name
				}
				if !yield(name) {
					return
				}
			}
		case idClass:
			for d := range c.Classes() {
				if !yield(c.ClassName(d.ID)) || dotted && !yield(d.Name) {
					return
				}
			}
		case idThread:
			for id, name := range a.threads() {
				if name == "" {
					threadNames(id, "", func(number string) bool { name = number; return false })
				}
				if !yield(name) {
					return
				}
			}
		default:
			a.names(f, like)(yield)
		}
	}
}
