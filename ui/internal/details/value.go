package details

import (
	"strconv"
	"strings"

	"tracex/format"
	"tracex/ui/internal/screen"
)

// maxNested bounds the depth of captured values shown, maxFrames the frames of an exception.
const (
	maxNested = 4
	maxFrames = 30
)

// value writes a value, with facts that its text does not contain, and the captured contents.
func (d describer) value(label, what string, v *format.Value) {
	if what != "" {
		what += " = "
	}
	d.line(label, 0, what, v)
	d.captured(v, 1)
}

// inside returns the column of the contents of a value, at a depth.
func inside(depth int) int { return labelWidth + 2*depth }

// line writes a label, a value's text, and, faint, facts that the text does not contain.
func (d describer) line(label string, depth int, what string, v *format.Value) {
	text := what + string(d.c.AppendValueText(nil, v))
	spans := []format.Span{{Start: 0, End: len(text), Style: format.StyleName}}
	if note := d.note(v); note != "" {
		text += "  " + note
		spans = append(spans, format.Span{Start: spans[0].End, End: len(text), Style: format.StyleValue})
	}
	d.s.wrap(label, inside(depth), text, spans, func(st format.Style) screen.Style {
		if st == format.StyleValue {
			return screen.Faint
		}
		return styleOf(v)
	})
}

// note returns facts that a value's text does not contain: the full name of its class, the kind
// of a number, the length of an array, and whether its number may be that of several objects.
func (d describer) note(v *format.Value) string {
	note := d.kindNote(v)
	if hasHash := v.Kind == format.ValueObject || v.Kind == format.ValueArray; hasHash && v.Hash() != 0 && format.InDoubt(d.c, v.Hash()) {
		note = strings.TrimPrefix(note+", may be several objects", ", ")
	}
	return note
}

func (d describer) kindNote(v *format.Value) string {
	switch v.Kind {
	case format.ValueObject, format.ValueException, format.ValueSequence, format.ValueEnum:
		return d.classNote(v)
	case format.ValueArray:
		return d.arrayType(v.ClassID) + screen.Plural(int64(v.Length()), "element")
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
func (d describer) classNote(v *format.Value) string {
	note := ""
	if class := d.c.Class(v.ClassID); class != nil && !d.named[v.ClassID] {
		d.named[v.ClassID] = true
		switch {
		case v.Kind == format.ValueEnum:
			note = "enum " + class.Name
		case class.Name != d.c.ClassName(v.ClassID):
			note = class.Name
		}
	}
	if v.Kind == format.ValueEnum && v.Absent {
		note = strings.TrimSpace(note + " (a constant without a name)")
	}
	return note
}

// elementTypes are the types that the JVM denotes by a letter.
var elementTypes = map[string]string{
	"Z": "boolean", "B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long", "S": "short",
}

// arrayType returns the type of an array as source code has it, "java.lang.String[], ", or ""
// if the class is no array.
func (d describer) arrayType(class int32) string {
	c := d.c.Class(class)
	if c == nil {
		return ""
	}
	element := strings.TrimLeft(c.Name, "[")
	dims := len(c.Name) - len(element)
	if name, ok := elementTypes[element]; ok {
		element = name
	} else if name, ok := strings.CutPrefix(element, "L"); ok && strings.HasSuffix(name, ";") {
		element = strings.TrimSuffix(name, ";")
	} else {
		return ""
	}
	if dims == 0 {
		return ""
	}
	return element + strings.Repeat("[]", dims) + ", "
}

// captured writes the captured contents of a value.
func (d describer) captured(v *format.Value, depth int) {
	in := v.Captured
	if in == nil || depth > maxNested || len(d.s.lines) > maxWrapped {
		return
	}
	for i := range in.Fields {
		f := &in.Fields[i]
		if f.Rest() {
			d.text(depth, "and more fields", screen.Faint)
			break
		}
		d.line("", depth, "."+f.Name+" = ", &f.Value)
		d.captured(&f.Value, depth+1)
	}
	for i := range in.Elements {
		e := &in.Elements[i]
		d.line("", depth, "["+strconv.Itoa(i)+"] = ", e)
		d.captured(e, depth+1)
	}
	if v.Kind == format.ValueArray && int(v.Length()) > len(in.Elements) {
		d.more(depth, int(v.Length())-len(in.Elements), "more element")
	}
	if v.Kind == format.ValueException {
		d.thrown(in, depth)
	}
}

// thrown writes the message and frames of an exception. The text of the value already contains
// the message: it is repeated, line by line, only if it has several lines.
func (d describer) thrown(in *format.Captured, depth int) {
	if in.Message != nil && strings.Contains(*in.Message, "\n") {
		for _, line := range strings.Split(strings.ReplaceAll(*in.Message, "\r\n", "\n"), "\n") {
			d.text(depth, "| "+line, screen.Exception)
		}
	}
	for i, frame := range in.Frames {
		if i == maxFrames {
			d.more(depth, len(in.Frames)-i, "more frame")
			break
		}
		d.text(depth, "at "+frame, screen.Plain)
	}
}

// more writes how many of something are not shown.
func (d describer) more(depth, n int, what string) {
	d.text(depth, "and "+screen.Plural(int64(n), what), screen.Faint)
}

// text writes a text inside a value.
func (d describer) text(depth int, text string, st screen.Style) {
	d.s.wrap("", inside(depth), text, screen.Whole(text), screen.Always(st))
}

func styleOf(v *format.Value) screen.Style {
	switch v.Kind {
	case format.ValueString, format.ValueRawString, format.ValueBuilder, format.ValueSequence, format.ValueChar:
		return screen.StringText
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong, format.ValueFloat, format.ValueDouble, format.ValueBigInteger:
		return screen.NumberText
	case format.ValueBigDecimal:
		if v.Unquoted() {
			return screen.StringText
		}
		return screen.NumberText
	case format.ValueException:
		return screen.Exception
	case format.ValueUnfinished, format.ValueUntracked:
		return screen.Unfinished
	}
	return screen.Plain
}
