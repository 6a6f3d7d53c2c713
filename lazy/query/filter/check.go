package filter

import (
	"cmp"
)

// check returns an error for the first term that can match nothing in a complete trace, because the
// trace has no such name, or no times.
func (e *Expr) check(a About) error { return e.checkNode(e.root, e.root, &a) }

// checkNode checks a node of the filter, or of the one in in(…) or has(…), with this root.
func (e *Expr) checkNode(root, n *node, a *About) error {
	if n.op == opIn || n.op == opHas {
		root = n.kids[0]
	}
	for _, k := range n.kids {
		if err := e.checkNode(root, k, a); err != nil {
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
	case idStatus:
		if t.value.status&statusElsewhere != 0 && a.Moved == nil {
			return e.fault(t.at, t.end, "it is not known here what was moved or renamed", "a diff that tracex has just made tells it, one that was stored does not")
		}
		return nil
	}
	if t.operand.Path != "" {
		if message, hint, near := lacksOperand(e.bind(a, root), a, t.field, t.operand); message != "" {
			return &Error{Text: e.text, At: t.at, To: t.end, Message: message, Hint: hint, Near: near, Absent: true}
		}
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
	return e.absent(t, what+" "+t.value.raw, a.near(t.field, plain.exact))
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
	return e.absent(t, "class "+class, a.near(f, class))
}

// absent is the error that the trace has nothing of the name in a term.
func (e *Expr) absent(t *test, what string, near []string) error {
	return &Error{Text: e.text, At: t.valueAt, To: t.to, Message: "this trace has no " + what, Near: near, Absent: true}
}

func (e *Expr) fault(at, to int, message, hint string, near ...string) error {
	return &Error{Text: e.text, At: at, To: to, Message: message, Hint: hint, Near: near}
}
