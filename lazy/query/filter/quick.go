package filter

import "tracex/format"

// Quick returns what is certain from the fields that are at a fixed place in the header of a point: its
// class, what it refers to (see [format.Point]: a method, field or variable), and its thread. It decodes
// nothing and agrees with Match.
func (f *Filter) Quick(class format.Class, ref, thread int32) Verdict {
	return f.quick(f.root, class, ref, thread)
}

func (f *Filter) quick(p *part, class format.Class, ref, thread int32) Verdict {
	switch p.op {
	case opAnd:
		v := Yes
		for _, k := range p.kids {
			switch f.quick(k, class, ref, thread) {
			case No:
				return No
			case Maybe:
				v = Maybe
			}
		}
		return v
	case opOr:
		v := No
		for _, k := range p.kids {
			switch f.quick(k, class, ref, thread) {
			case Yes:
				return Yes
			case Maybe:
				v = Maybe
			}
		}
		return v
	case opNot:
		return f.quick(p.kids[0], class, ref, thread).not()
	case opHas:
		if !class.Container() {
			return No
		}
		return Maybe
	case opTest:
		if !p.test.field.in.has(class) {
			return No
		}
		return p.test.quick(f.ctx, class, ref, thread)
	}
	return Maybe
}

func (t *boundTest) quick(c *format.Context, class format.Class, ref, thread int32) Verdict {
	v := Maybe
	switch t.field.id {
	case idMethod:
		v = t.method(c, ref)
	case idClass, idPkg:
		if class == format.ClassCall {
			v = t.method(c, ref)
		} else {
			v = t.ofField(c, ref)
		}
	case idField:
		v = t.ofField(c, ref)
	case idVar:
		v = t.variable(c, ref)
	case idThread:
		v = t.thread(c, thread)
	case idKind:
		if v = No; t.value.classes.has(class) {
			v = Yes
		}
	case idExc:
		if t.op == opNone && class != format.ClassCall {
			return Yes
		}
	}
	if t.op == opNe {
		return v.not()
	}
	return v
}
