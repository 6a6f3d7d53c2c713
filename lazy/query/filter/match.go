package filter

import "tracex/format"

// Match reports whether the filter matches a point.
func (f *Filter) Match(x *Facts) bool { return f.match(f.root, x) }

func (f *Filter) match(p *part, x *Facts) bool {
	switch p.op {
	case opAnd:
		for _, k := range p.kids {
			if !f.match(k, x) {
				return false
			}
		}
		return true
	case opOr:
		for _, k := range p.kids {
			if f.match(k, x) {
				return true
			}
		}
		return false
	case opNot:
		return !f.match(p.kids[0], x)
	case opIn:
		return p.sub < len(x.In) && x.In[p.sub]
	case opHas:
		return x.Point.Class.Container() && p.sub < len(x.Has) && x.Has[p.sub]
	case opText:
		return f.matchText(p.text, x)
	}
	return p.test.field.in.has(x.Point.Class) && f.test(p.test, x)
}

// test tests a field of a point of a class that can have it.
func (f *Filter) test(t *boundTest, x *Facts) bool {
	p := x.Point
	switch t.field.id {
	case idMethod:
		return t.is(t.method(f.ctx, p.Ref))
	case idClass, idPkg:
		if p.Class == format.ClassCall {
			return t.is(t.method(f.ctx, p.Ref))
		}
		return t.is(t.ofField(f.ctx, p.Ref))
	case idField:
		return t.is(t.ofField(f.ctx, p.Ref))
	case idVar:
		return t.is(t.variable(f.ctx, p.Ref))
	case idFile:
		return t.is(t.file(f.ctx, p.Location))
	case idLine:
		_, line, ok := f.ctx.FileLine(p.Location)
		return ok && t.inRange(int64(line))
	case idThread:
		return (t.thread(f.ctx, x.Thread) == Yes) != (t.op == opNe)
	case idKind:
		return t.value.classes.has(p.Class) != (t.op == opNe)
	case idEvent:
		return t.inRange(int64(p.Event))
	case idIter:
		return t.inRange(int64(p.Number) + 1)
	case idDepth:
		return x.Known&KnownDepth != 0 && t.inRange(int64(x.Depth))
	case idAt:
		return x.Known&KnownAt != 0 && t.inRange(x.At)
	case idDur:
		return x.Known&KnownDuration != 0 && t.inRange(x.Duration)
	case idSelf:
		return x.Known&KnownSelf != 0 && t.inRange(x.Self)
	case idKids:
		return x.Known&KnownKids != 0 && t.inRange(x.Kids)
	case idSize:
		return x.Known&KnownSize != 0 && t.inRange(x.Size)
	case idThrew:
		return t.threw(x.Footer)
	case idExc:
		return f.exception(t, x)
	case idStatus:
		return f.hasStatus(t, x)
	}
	return f.values(t, x)
}

// is returns whether a test of names holds, by the verdict on the names.
func (t *boundTest) is(names Verdict) bool {
	if t.op == opNe {
		return names == No
	}
	return names == Yes
}

// inRange reports whether a number is in the range of the test, or with != outside.
func (t *boundTest) inRange(n int64) bool {
	return (t.value.from <= n && n <= t.value.to) != (t.op == opNe)
}

// threw is the test whether a call ended by an exception. f may be nil.
func (t *boundTest) threw(f *format.Footer) bool {
	return ended(f) && !f.Untracked() && (threw(f) == (t.op == opNone || t.value.truth)) != (t.op == opNe)
}

func (f *Filter) exception(t *boundTest, x *Facts) bool {
	var class string
	if p := x.Point; p.Class != format.ClassCall {
		if t.op == opNone {
			return true
		}
		d := f.ctx.Class(p.Value.ClassID)
		if d == nil || p.Value.Kind != format.ValueObject && p.Value.Kind != format.ValueException {
			return false
		}
		class = d.Name
	} else {
		if x.Footer == nil || !threw(x.Footer) {
			return false
		}
		if class = x.Footer.Exception; t.op == opNone || class == "" {
			return t.op == opNone
		}
	}
	return t.exception(class) != (t.op == opNe)
}

// hasStatus tests the status of a point.
func (f *Filter) hasStatus(t *boundTest, x *Facts) bool {
	var is, known status
	p := x.Point
	if p.Diff >= format.DiffUnchanged && p.Diff <= format.DiffEditedNew {
		is, known = statusUnchanged<<p.Diff, statusDiff
		if t.value.status&statusElsewhere != 0 && f.moved != nil {
			known |= statusElsewhere
			if moved, renamed := f.moved(p.Event); moved {
				is |= statusMoved
			} else if renamed {
				is |= statusRenamed
			}
		}
	}
	if p.Class.Container() && (x.Unfinished || x.Footer != nil) {
		known |= statusUnfinished
		if x.Unfinished || p.Class == format.ClassCall && !ended(x.Footer) {
			is |= statusUnfinished
		}
	}
	if p.Class == format.ClassCall && x.Footer != nil {
		known |= statusUntracked
		if x.Footer.Untracked() {
			is |= statusUntracked
		}
	}
	if p.Class == format.ClassCall {
		known |= statusUnderWay
		if p.Flags&format.FlagUnderWay != 0 {
			is |= statusUnderWay
		}
	}
	want := t.value.status
	return known&want == want && (is&want != 0) != (t.op == opNe)
}

func (f *Filter) matchText(t *boundText, x *Facts) bool {
	p := x.Point
	if t.location(f.ctx, p.Location) || p.Class == format.ClassCall && t.called(f.ctx, p) {
		return true
	}
	if x.Text != nil {
		text := x.Text()
		if from, _ := t.find(text); from >= 0 || t.extended(f, x, text) {
			return true
		}
		if !t.paren || p.Class != format.ClassCall {
			return false
		}
	}
	var at int
	f.scratch.text, at = f.ctx.AppendNamed(f.scratch.text[:0], p, x.Footer, x.Parent, false)
	if from, _ := t.find(f.scratch.text); x.Text == nil && (from >= 0 || t.extended(f, x, f.scratch.text)) {
		return true
	}
	return t.paren && at >= 0 && p.Class == format.ClassCall && t.calledWith(f, p, f.scratch.text[at:])
}

// extended reports whether the text is found with what a row adds to it where there is room.
func (t *boundText) extended(f *Filter, x *Facts, text []byte) bool {
	if !t.equals && !format.HasContents(x.Point, x.Footer) {
		return false
	}
	extras := f.ctx.Extras(x.Point, x.Footer, x.Parent, false)
	return len(extras) > 0 && format.FindExtended(text, extras, t.find, true)
}

// calledWith is called for the name with the arguments and the result: rest begins with the method.
func (t *boundText) calledWith(f *Filter, p *format.Point, rest []byte) bool {
	name, class := f.ctx.CallName(p.Ref, p.Flags)
	full, fullClass := f.ctx.FullCallName(p.Ref, p.Flags)
	with := func(class string) []byte {
		f.scratch.value = append(append(append(f.scratch.value[:0], class...), '.'), rest...)
		return f.scratch.value
	}
	return class > 0 && t.inClass(with(name[:class]), class, false) || fullClass > 0 && t.inClass(with(full[:fullClass]), fullClass, true)
}
