package filter

import "tracex/format"

// values tests the recorded values that a field names: one of them must pass.
func (f *Filter) values(t *boundTest, x *Facts) bool {
	p := x.Point
	switch t.field.id {
	case idRet:
		return x.Footer != nil && !threw(x.Footer) && f.result(t, p.Ref, &x.Footer.Result)
	case idRecv:
		v := t.sought.captured(&p.Target, t.operand.Path)
		return v != nil && f.value(t, v)
	case idArg:
		if t.operand != (Operand{}) {
			v := t.operand.argument(f.ctx, p, t.sought)
			return v != nil && f.value(t, v)
		}
		return f.anyValue(t, p.Args)
	case idValue:
		if p.Class != format.ClassSnapshot {
			return f.value(t, &p.Value)
		}
		return p.Snapshot != nil && (f.anyValue(t, p.Snapshot.Locals) || f.anyValue(t, p.Snapshot.Watches))
	}
	// idObj
	switch p.Class {
	case format.ClassCall:
		return f.value(t, &p.Target) || f.anyValue(t, p.Args) || x.Footer != nil && !threw(x.Footer) && f.result(t, p.Ref, &x.Footer.Result)
	case format.ClassSnapshot:
		return p.Snapshot != nil && (f.anyValue(t, p.Snapshot.Locals) || f.anyValue(t, p.Snapshot.Watches))
	case format.ClassFieldRead, format.ClassFieldWrite, format.ClassArrayRead, format.ClassArrayWrite:
		return f.value(t, &p.Target) || f.value(t, &p.Value)
	}
	return f.value(t, &p.Value)
}

// result tests what a call returned: of several results the one that the test names, or any, or their
// text as a whole.
func (f *Filter) result(t *boundTest, method int32, v *format.Value) bool {
	if t.operand != (Operand{}) {
		v = t.operand.result(f.ctx, method, v, t.sought)
		return v != nil && f.value(t, v)
	}
	list := v.Results(f.ctx)
	if list == nil {
		return f.value(t, v)
	}
	for i := range list {
		if f.value(t, &list[i].Value) {
			return true
		}
	}
	return (t.op == opRegexp || t.op == opContains || t.op == opEq) && f.value(t, v)
}

func (f *Filter) anyValue(t *boundTest, list []format.Value) bool {
	for i := range list {
		if f.value(t, &list[i]) {
			return true
		}
	}
	return false
}

// value tests one recorded value.
func (f *Filter) value(t *boundTest, v *format.Value) bool {
	switch v.Kind {
	case format.ValueUnfinished, format.ValueUntracked:
		return false
	case format.ValueVoid:
		// There is no value: only the word void tells about it.
		return t.value.kind == litVoid && t.op == opEq
	}
	if t.field.kind == kindObject && !HasIdentity(v) {
		return false
	}
	switch t.op {
	case opRegexp, opContains:
		return f.textOf(t, v)
	case opEq:
		return f.equal(t, v)
	case opNe:
		return !f.equal(t, v)
	}
	order, ok := t.value.num.compare(v)
	if !ok {
		return false
	}
	switch t.op {
	case opLess:
		return order < 0
	case opAtMost:
		return order <= 0
	case opMore:
		return order > 0
	}
	return order >= 0
}

// HasIdentity reports whether a value has an identity hash.
func HasIdentity(v *format.Value) bool {
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueBuilder, format.ValueSequence:
		return true
	}
	return false
}

// isText reports whether a value is a string of some kind.
func isText(v *format.Value) bool {
	switch v.Kind {
	case format.ValueString, format.ValueRawString, format.ValueBuilder, format.ValueSequence:
		return true
	}
	return false
}

// textOf tests the contents of a string, and the text that shows the value.
func (f *Filter) textOf(t *boundTest, v *format.Value) bool {
	m := &t.value.matcher
	return isText(v) && m.matches(v.Text) || m.matchesBytes(f.shown(v))
}

func (f *Filter) shown(v *format.Value) []byte {
	f.scratch.value = f.ctx.AppendValueText(f.scratch.value[:0], v)
	return f.scratch.value
}

func (f *Filter) equal(t *boundTest, v *format.Value) bool {
	l := &t.value
	switch l.kind {
	case litNull:
		return v.Kind == format.ValueNull
	case litTruth:
		return v.Kind == format.ValueBoolean && (v.Bits != 0) == l.truth
	case litNumber:
		order, ok := l.num.compare(v)
		return ok && order == 0
	case litRange:
		return l.inRange(v)
	case litRef:
		return HasIdentity(v) && v.Hash() == l.hash && f.isClass(t, v)
	case litQuoted:
		return isText(v) && v.Text == l.raw || v.Kind == format.ValueChar && string(rune(v.Bits)) == l.raw
	case litWord:
		return f.equalWord(t, v)
	}
	return false
}

func (l *literal) inRange(v *format.Value) bool {
	if !l.open[0] {
		if order, ok := l.num.compare(v); !ok || order < 0 {
			return false
		}
	}
	if !l.open[1] {
		if order, ok := l.upper.compare(v); !ok || order > 0 {
			return false
		}
	}
	return true
}

// isClass reports whether the class of a value with an identity hash is that of a ref, or matches a word.
func (f *Filter) isClass(t *boundTest, v *format.Value) bool {
	if v.Kind == format.ValueBuilder {
		if t.value.kind == litRef {
			return t.value.class == "" || t.value.class == builderClass || t.value.class == fullBuilderClass
		}
		return t.value.matcher.matches(builderClass) || t.value.matcher.matches(fullBuilderClass)
	}
	return t.value.kind == litRef && t.value.class == "" || t.class(f.ctx, v.ClassID) == Yes
}

// equalWord compares with a word: a text, the class of an object, an enum constant, or the whole text
// that shows the value.
func (f *Filter) equalWord(t *boundTest, v *format.Value) bool {
	m := &t.value.matcher
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence, format.ValueBuilder:
		return f.isClass(t, v) || t.field.kind != kindObject && isText(v) && m.matches(v.Text)
	case format.ValueString, format.ValueRawString:
		return m.matches(v.Text)
	case format.ValueEnum, format.ValueJavaClass, format.ValueKotlinClass:
		return !v.Absent && m.matches(v.Text) || m.matchesBytes(f.shown(v))
	case format.ValueChar:
		return m.matches(string(rune(v.Bits))) || m.matchesBytes(f.shown(v))
	case format.ValueFloat, format.ValueDouble, format.ValueUnit, format.ValueBigDecimal, format.ValueBigInteger:
		return m.matchesBytes(f.shown(v))
	}
	return false
}
