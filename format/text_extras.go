package format

import (
	"bytes"
	"slices"
)

// Extra is what a row adds to the text of a point where it has room for that: the name of a parameter, or what was
// captured in a value.
type Extra struct {
	At    int // in the text, in bytes
	Text  string
	Spans []Span // of Text
	Name  bool   // it is the name of a parameter, with "="
}

// Extras returns what a row may add to what AppendSpans appends for the same point: amount= before the value of an argument
// that has no name in the text, and the first elements of a slice, or the fields of a map or an object, after its number.
func (c *Context) Extras(p *Point, f *Footer, parent Parent, verbose bool) []Extra {
	if !extended(c, p, f) {
		return nil
	}
	var list []Extra
	w := textWriter{c: c, limit: maxText, verbose: verbose, extras: &list}
	w.point(p, f, parent)
	return list
}

// extended reports whether a point may have extras.
func extended(c *Context, p *Point, f *Footer) bool {
	return p.Class == ClassCall && len(p.Args) > 0 && parametersOf(c, p) != nil || HasContents(p, f)
}

// HasContents reports whether Extras may have what was captured in a value of a point. f may be nil.
func HasContents(p *Point, f *Footer) bool {
	if f != nil && inside(&f.Result) || inside(&p.Value) {
		return true
	}
	for i := range p.Args {
		if inside(&p.Args[i]) {
			return true
		}
	}
	return false
}

// inside reports whether something was captured in a value that its text does not show, or may not.
func inside(v *Value) bool { return v.Captured != nil && !v.ByValue() }

// addParameter adds the name of a parameter before the value of its argument.
func addParameter(w *textWriter, of *CodeLocation, i int) {
	if w.extras == nil || of == nil {
		return
	}
	if name := of.named(w.c, ActiveParameter, i); name != "" {
		text := string(appendReplaced(nil, name)) + "="
		*w.extras = append(*w.extras, Extra{At: len(w.b), Text: text, Spans: []Span{{End: len(text), Style: StyleParameter}}, Name: true})
	}
}

// addContents adds what was captured in a value with an identity after its text.
func addContents(w *textWriter, v *Value) {
	if w.extras == nil || w.most > 0 || v.Captured == nil || v.Hash() == 0 {
		return
	}
	x := textWriter{c: w.c, limit: maxText, styled: true, style: StyleValue}
	switch in := v.Captured; {
	case v.Kind == ValueArray && len(in.Elements) > 0:
		appendElements(&x, v, true)
	case v.Kind == ValueObject && len(in.Fields) > 0:
		x.fields(in.Fields, StyleValue)
	default:
		return
	}
	x.span()
	*w.extras = append(*w.extras, Extra{At: len(w.b), Text: string(x.b), Spans: x.spans})
}

// WithExtras returns a text and its spans with extras put in. Spans cover the whole text, without gaps, as AppendSpans appends them.
func WithExtras(text string, spans []Span, extras []Extra) (string, []Span) {
	var b []byte
	var list []Span
	add := func(from, to int, s Style) {
		if from == to {
			return
		}
		if n := len(list); n > 0 && list[n-1].Style == s {
			list[n-1].End = to
			return
		}
		list = append(list, Span{from, to, s})
	}
	from := 0
	copyTo := func(end int) {
		for from < end {
			for len(spans) > 1 && spans[0].End <= from {
				spans = spans[1:]
			}
			to, style := end, StyleName
			if len(spans) > 0 {
				if style = spans[0].Style; len(spans) > 1 {
					to = min(end, spans[0].End)
				}
			}
			at := len(b)
			b = append(b, text[from:to]...)
			add(at, len(b), style)
			from = to
		}
	}
	for i := range extras {
		x := &extras[i]
		copyTo(x.At)
		at := len(b)
		b = append(b, x.Text...)
		for _, s := range x.Spans {
			add(at+s.Start, at+s.End, s.Style)
		}
	}
	copyTo(len(text))
	return string(b), list
}

// AppendWithExtras appends a text with extras put in.
func AppendWithExtras(dst, text []byte, extras []Extra) []byte {
	from := 0
	for i := range extras {
		at := max(from, min(extras[i].At, len(text)))
		dst = append(append(dst, text[from:at]...), extras[i].Text...)
		from = at
	}
	return append(dst, text[from:]...)
}

// FindExtended reports whether find, which returns the first match in a text, matches a text with extras put in. With names, a match
// may have the name of a parameter, or its end, with the equals sign: all calls of a method have these names.
func FindExtended(text []byte, extras []Extra, find func(text []byte) (from, to int), names bool) bool {
	contents := slices.DeleteFunc(slices.Clone(extras), func(x Extra) bool { return x.Name })
	if len(contents) > 0 {
		if from, _ := find(AppendWithExtras(nil, text, contents)); from >= 0 {
			return true
		}
	}
	if !names || len(contents) == len(extras) {
		return false
	}
	wide := AppendWithExtras(nil, text, extras)
	from, to := find(wide)
	return from >= 0 && from < to && bytes.IndexByte(wide[from:to], '=') > 0
}

// AmongExtras returns where a part of a text is once extras are put in: with those within it, without those at its ends.
func AmongExtras(extras []Extra, part [2]int) [2]int {
	var by [2]int
	for i := range extras {
		if extras[i].At <= part[0] {
			by[0] += len(extras[i].Text)
		}
		if extras[i].At < part[1] {
			by[1] += len(extras[i].Text)
		}
	}
	return [2]int{part[0] + by[0], part[1] + by[1]}
}
