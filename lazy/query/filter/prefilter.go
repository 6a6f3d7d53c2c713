package filter

import (
	"tracex/format"
)

// maxSkipped limits the ids that are known to be skipped. Recorders count ids up from 0, but a damaged
// trace may have any number.
const maxSkipped = 1 << 22

// Late reports whether matches have to wait for the end of a container, at which the facts are that
// Match needs.
func (f *Filter) Late() bool {
	n := f.needs
	return n.Footer || n.At || n.Duration || n.Size
}

// Prefilter returns what tells which points cannot match, and which footers cannot belong to one that does:
// the footers only if the filter is Late. It is nil if nothing can be told. One goroutine uses it, with
// the filter. What the Context learns after the first call for a filter or one of its clones is of
// interest.
func (f *Filter) Prefilter() *format.Prefilter {
	n := f.needs
	if len(f.ins) > 0 || len(f.has) > 0 || n.Text || n.Depth || n.Self || n.Kids || n.Thread || f.MayBe(format.ClassArrayRead) || f.MayBe(format.ClassArrayWrite) {
		return nil
	}
	f.skips.once.Do(func() { f.skips.tables = f.skipped() })
	q := format.NewPrefilter(f.ctx.Version(), func(format.ValueKind) bool { return true })
	t := &f.skips.tables
	q.Methods, q.SuperCalls, q.Classes, q.Fields, q.Variables, q.Locations = t.Methods, t.Methods, t.Classes, t.Fields, t.Variables, t.Locations
	q.Text = func([]byte) bool { return true }
	q.Captured = q.Text
	q.Loops, q.Iterations = !f.MayBe(format.ClassLoop), !f.MayBe(format.ClassIteration)
	if f.Late() && f.MayBe(format.ClassCall) {
		q.End = f.skipEnd
	}
	return q
}

// skipped makes the tables.
func (f *Filter) skipped() (q format.Prefilter) {
	never := func(ref int32, classes ...format.Class) bool {
		for _, class := range classes {
			if f.Quick(class, ref, 0) != No {
				return false
			}
		}
		return true
	}
	for m := range f.ctx.Methods() {
		if f.ctx.Class(m.ClassID) == nil {
			continue // it may come
		}
		is := uint8(0)
		if f.Late() || never(m.ID, format.ClassCall) {
			is = format.SkipNames
		}
		if f.ctx.MayFold(m.ID) {
			is |= format.SkipFold
		}
		setSkipped(&q.Methods, m.ID, is)
	}
	for c := range f.ctx.Classes() {
		setSkipped(&q.Classes, c.ID, format.SkipNames)
	}
	for d := range f.ctx.Fields() {
		if f.ctx.Class(d.ClassID) != nil && never(d.ID, format.ClassFieldRead, format.ClassFieldWrite) && !f.ctx.Coverage(&format.Point{Class: format.ClassFieldRead, Ref: d.ID}) {
			setSkipped(&q.Fields, d.ID, format.SkipNames)
		}
	}
	for d := range f.ctx.Variables() {
		if never(d.ID, format.ClassVariableRead, format.ClassVariableWrite) && !f.ctx.Coverage(&format.Point{Class: format.ClassVariableRead, Ref: d.ID}) {
			setSkipped(&q.Variables, d.ID, format.SkipNames)
		}
	}
	setSkipped(&q.Locations, 0, format.SkipNames) // no location
	for l := range f.ctx.Locations() {
		is := format.SkipNames
		if f.ctx.Coverage(&format.Point{Class: format.ClassArrayRead, Location: l.ID}) {
			is |= format.SkipFold
		}
		if l.ID >= 0 && l.ID < maxSkipped {
			setSkipped(&q.Locations, l.ID+1, is)
		}
	}
	return q
}

func setSkipped(t *format.SkipIDs, id int32, is uint8) {
	if id < 0 || id >= maxSkipped {
		return
	}
	if n := int(id) + 1 - len(*t); n > 0 {
		*t = append(*t, make(format.SkipIDs, n+len(*t)/2)...)
	}
	(*t)[id] = is
}

// skipEnd returns the size of the footer of a call at the start of b if no call that ends so matches,
// and 0 otherwise.
func (f *Filter) skipEnd(b []byte) (n int) {
	foot := &f.scratch.footer
	n, err := f.ctx.Version().DecodeFooter(b, format.ClassCall, foot)
	if err != nil || f.mayEnd(f.root, foot) {
		return 0
	}
	return n
}

// mayEnd reports whether a call with a footer may match.
func (f *Filter) mayEnd(p *part, foot *format.Footer) bool {
	switch p.op {
	case opAnd:
		for _, k := range p.kids {
			if !f.mayEnd(k, foot) {
				return false
			}
		}
	case opOr:
		for _, k := range p.kids {
			if f.mayEnd(k, foot) {
				return true
			}
		}
		return len(p.kids) == 0
	case opTest:
		switch t := p.test; t.field.id {
		case idRet:
			// Which result has a name depends on the method, which is not known here.
			return !threw(foot) && (t.operand.Number == 0 && t.operand.Path != "" || f.result(t, -1, &foot.Result))
		case idThrew:
			return t.threw(foot)
		}
	}
	return true
}
