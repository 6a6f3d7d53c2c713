// Package template writes trace points as a person wants them: a text with fields of the filter
// language in braces.
//
//	withdraw {arg.1} of {recv} -> {ret|exc} in {dur}
//
// A field in braces is replaced by what the point has, as rows show it. Of several fields with | between
// them the first that the point has counts; if it has none of them, – is written. A brace is written by
// doubling it. As in a quoted text of a filter, a backslash escapes a quote and itself, and \n, \r,
// \t and \u00e9 are characters; before anything else it is itself.
//
// [Parse] reads a template, [ParseLog] a filter with a template after it, [Template.Append] writes a
// point from [filter.Facts] that its caller has; [Template.Needs] tells which.
package template

import (
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// Template is a parsed template. It does not change; any goroutine may use it.
type Template struct {
	text  string
	parts []part
	needs filter.Needs
}

// part is a text, or fields: the first that exists is written.
type part struct {
	text   string
	fields []field
}

// field is a field in braces, and what of it is meant.
type field struct {
	*source
	of filter.Operand
}

// MaxText is the greatest length of the text of a point in bytes. What is longer ends in "…".
const MaxText = 64 << 10

// String returns the template as it was typed, without the quotes around it.
func (t *Template) String() string { return t.text }

// Needs are the facts that the fields can depend on.
func (t *Template) Needs() filter.Needs { return t.needs }

// Append appends the text of a point. Control characters that were recorded are not escaped. c is the
// context of the trace, g has the signs for what is absent and for units.
func (t *Template) Append(dst []byte, c *format.Context, x *filter.Facts, g *display.Glyphs) []byte {
	dst, _ = t.AppendSpans(dst, nil, c, x, g)
	return dst
}

// AppendSpans is Append with the styles of the text's parts: in order, without gaps, over all that is
// appended.
func (t *Template) AppendSpans(dst []byte, spans []format.Span, c *format.Context, x *filter.Facts, g *display.Glyphs) ([]byte, []format.Span) {
	w := writer{b: dst, c: c, x: x, g: g}
	from := len(dst)
	for i := range t.parts {
		start := len(w.b)
		style := t.parts[i].write(&w)
		if over := len(w.b) - from - MaxText; over > 0 {
			w.b = append(w.b[:cut(w.b, from+MaxText)], g.More...)
		}
		if len(w.b) > start {
			spans = append(spans, format.Span{Start: start, End: len(w.b), Style: style})
		}
		if len(w.b)-from >= MaxText {
			break
		}
	}
	return w.b, spans
}

// cut returns the start of the character at an offset.
func cut(b []byte, at int) int {
	for i := at; i > 0 && i > at-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			return i
		}
	}
	return at
}

// write writes a part and returns its style.
func (p *part) write(w *writer) format.Style {
	if p.fields == nil {
		w.b = append(w.b, p.text...)
		return format.StyleName
	}
	for _, f := range p.fields {
		had := len(w.b)
		if style, ok := f.write(w, f.of); ok {
			return style
		}
		w.b = w.b[:had]
	}
	w.b = append(w.b, w.g.None...)
	return format.StyleName
}
