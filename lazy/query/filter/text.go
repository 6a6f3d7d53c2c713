package filter

import (
	"bytes"

	"tracex/format"
)

// boundText is a bare text. It is found in what a person can read of a point: the text of its row,
// the place in the source, and the names of a called method as paths and details show them.
type boundText struct {
	matcher
	paren     bool // it has a parenthesis
	methods   memo // whose names match
	locations memo
}

func (f *Filter) matchText(t *boundText, x *Facts) bool {
	p := x.Point
	if t.location(f.ctx, p.Location) || p.Class == format.ClassCall && t.called(f.ctx, p) {
		return true
	}
	if x.Text != nil {
		if from, _ := t.find(x.Text()); from >= 0 {
			return true
		}
		if !t.paren || p.Class != format.ClassCall {
			return false
		}
	}
	var at int
	f.scratch.text, at = f.ctx.AppendNamed(f.scratch.text[:0], p, x.Footer, x.Parent, false)
	if from, _ := t.find(f.scratch.text); x.Text == nil && from >= 0 {
		return true
	}
	return t.paren && at >= 0 && p.Class == format.ClassCall && t.calledWith(f, p, f.scratch.text[at:])
}

// called reports whether the name of a call matches. The match must begin in the class, as the rest is
// in the text of the row; in the full class name it must have a dot, as all calls may have one
// package.
func (t *boundText) called(c *format.Context, p *format.Point) bool {
	super := c.SuperCall(p)
	if v := t.methods.get(p.Ref); v != Maybe && !super {
		return v == Yes
	}
	name, class := c.CallName(p.Ref, p.Flags)
	full, fullClass := c.FullCallName(p.Ref, p.Flags)
	matches := t.inClass([]byte(name+"()"), class, false) || full != "" && t.inClass([]byte(full+"()"), fullClass, true)
	if d := c.Method(p.Ref); !super && d != nil && c.Class(d.ClassID) != nil {
		t.methods.put(p.Ref, matches)
	}
	return matches
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

func (t *boundText) inClass(text []byte, class int, dot bool) bool {
	from, to := t.find(text)
	return from >= 0 && from < class && (!dot || bytes.IndexByte(text[from:to], '.') >= 0)
}

// location reports whether a code location matches. The match must have a dot or a colon: the name of
// a file is often that of something else.
func (t *boundText) location(c *format.Context, id int32) bool {
	if id < 0 {
		return false
	}
	if v := t.locations.get(id); v != Maybe {
		return v == Yes
	}
	if _, _, ok := c.FileLine(id); !ok {
		return false
	}
	text := c.AppendLocationText(nil, id)
	from, to := t.find(text)
	return t.locations.put(id, from >= 0 && bytes.ContainsAny(text[from:to], ".:")) == Yes
}
