package details

import (
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// held is a value of a row, and which lines of the details are about it.
type held struct {
	label, what string
	value       *format.Value
	from, to    int
}

// value writes a value, with facts that its text does not contain, and the captured contents.
func (w *writer) value(label, what string, v *format.Value) {
	h := held{label: label, what: what, value: v, from: len(w.lines)}
	if what != "" {
		what += " = "
	}
	w.line(label, 0, what, v)
	w.captured(v, 1)
	h.to = len(w.lines)
	w.values = append(w.values, h)
}

// worded writes a value whose text alone is known.
func (s *sheet) worded(label, what, text, after string, st theme.Role) {
	from := len(s.lines)
	s.pair(label, strings.TrimPrefix(what+" = ", " = ")+text+after, st)
	s.values = append(s.values, held{label, what, &format.Value{Kind: format.ValueRawString, Text: text}, from, len(s.lines)})
}

// inside returns the column of the contents of a value, at a depth.
func (s *sheet) inside(depth int) int {
	if s.whole {
		return 2 + 2*depth
	}
	return labelWidth + 2*depth
}

// line writes a label, a value's text, and, faint, facts that the text does not contain.
func (w *writer) line(label string, depth int, what string, v *format.Value) {
	text := what
	if w.whole && v.ByValue() { // its fields follow
		text += w.c.ClassName(v.ClassID)
	} else {
		text += string(w.c.AppendValueText(nil, v))
	}
	spans := []format.Span{{Start: 0, End: len(text), Style: format.StyleName}}
	if note := w.note(v); note != "" {
		text += "  " + note
		spans = append(spans, format.Span{Start: spans[0].End, End: len(text), Style: format.StyleValue})
	}
	w.wrap(label, w.inside(depth), text, spans, func(st format.Style) theme.Role {
		if st == format.StyleValue {
			return theme.Faint
		}
		return styleOf(v)
	})
}

// note returns facts that a value's text does not contain, such as the full name of its class, or an array's length.
func (w *writer) note(v *format.Value) string {
	note := w.kindNote(v)
	if hasHash := v.Kind == format.ValueObject || v.Kind == format.ValueArray; hasHash && v.Hash() != 0 && format.InDoubt(w.c, v.Hash()) {
		note = strings.TrimPrefix(note+", may be several objects", ", ")
	}
	return note
}

func (w *writer) kindNote(v *format.Value) string {
	switch v.Kind {
	case format.ValueObject, format.ValueException, format.ValueSequence, format.ValueEnum:
		return w.classNote(v)
	case format.ValueArray:
		length := display.Plural(int64(v.Length()), "element")
		if c := w.c.Class(v.ClassID); c != nil && query.ArrayType(c.Name) != "" {
			return query.ArrayType(c.Name) + ", " + length
		}
		return length
	case format.ValueBigInteger:
		return "big integer"
	case format.ValueBigDecimal:
		if !v.Unquoted() {
			return "big decimal"
		}
	case format.ValueUnfinished:
		return "it had not returned when this was recorded"
	case format.ValueUntracked:
		return "the recorder did not follow it to its end"
	}
	return ""
}

// classNote returns the full name of a value's class, if it has not been written yet.
func (w *writer) classNote(v *format.Value) string {
	note := ""
	if class := w.c.Class(v.ClassID); class != nil && !w.named[v.ClassID] {
		w.named[v.ClassID] = true
		switch {
		case v.Kind == format.ValueEnum:
			note = "enum " + class.Name
		case class.Name != w.c.ClassName(v.ClassID):
			note = class.Name
		}
	}
	if v.Kind == format.ValueEnum && v.Absent {
		note = strings.TrimSpace(note + " (a constant without a name)")
	}
	return note
}

// captured writes the captured contents of a value.
func (w *writer) captured(v *format.Value, depth int) {
	in := v.Captured
	if in == nil || depth > maxNested && !w.whole || w.room() <= 0 {
		return
	}
	for i := range in.Fields {
		f := &in.Fields[i]
		if f.Rest() {
			w.text(depth, "and more fields", theme.Faint)
			break
		}
		w.line("", depth, "."+f.Name+" = ", &f.Value)
		w.captured(&f.Value, depth+1)
	}
	for i := range in.Elements {
		e := &in.Elements[i]
		w.line("", depth, "["+strconv.Itoa(i)+"] = ", e)
		w.captured(e, depth+1)
	}
	if v.Kind == format.ValueArray && int(v.Length()) > len(in.Elements) {
		w.more(depth, int(v.Length())-len(in.Elements), "more element")
	}
	if v.Kind == format.ValueException {
		w.thrown(in, depth)
	}
}

// thrown writes the message and frames of an exception. The text of the value already contains
// the message: it is repeated, line by line, only if it has several lines.
func (w *writer) thrown(in *format.Captured, depth int) {
	if in.Message != nil && strings.Contains(*in.Message, "\n") {
		for _, line := range strings.Split(strings.ReplaceAll(*in.Message, "\r\n", "\n"), "\n") {
			w.text(depth, "| "+line, theme.Exception)
		}
	}
	for i, frame := range in.Frames {
		if i == maxFrames && !w.whole {
			w.more(depth, len(in.Frames)-i, "more frame")
			break
		}
		w.text(depth, "at "+frame, theme.Plain)
	}
}

// more writes how many of something are not shown.
func (w *writer) more(depth, n int, what string) {
	w.text(depth, "and "+display.Plural(int64(n), what), theme.Faint)
}

func (w *writer) text(depth int, text string, st theme.Role) {
	w.wrap("", w.inside(depth), text, screen.Whole(text), screen.Always(st))
}

func styleOf(v *format.Value) theme.Role {
	switch v.Kind {
	case format.ValueString, format.ValueRawString, format.ValueBuilder, format.ValueSequence, format.ValueChar:
		return theme.StringText
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong, format.ValueFloat, format.ValueDouble, format.ValueBigInteger:
		return theme.NumberText
	case format.ValueBigDecimal:
		if v.Unquoted() {
			return theme.StringText
		}
		return theme.NumberText
	case format.ValueException:
		return theme.Exception
	case format.ValueUnfinished, format.ValueUntracked:
		return theme.Unfinished
	}
	return theme.Plain
}
