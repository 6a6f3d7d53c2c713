package calltrace

import (
	"tracex/format"
	"tracex/recorder/convert/fit"
)

// foreign says what becomes of a value if the version lacks its kind.
var foreign = map[format.ValueKind]format.ValueKind{
	format.ValueException: format.ValueObject, format.ValueSequence: format.ValueString, format.ValueEnum: format.ValueRawString,
	format.ValueBigInteger: format.ValueRawString, format.ValueBigDecimal: format.ValueRawString, format.ValueBuilder: format.ValueString,
}

// strange reports whether a value may need to be mended before it can be written; depth is the number
// of values around it.
func (e *encoder) strange(v *format.Value, depth int) bool {
	switch v.Kind {
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong, format.ValueFloat, format.ValueDouble,
		format.ValueChar, format.ValueBoolean, format.ValueNull, format.ValueVoid, format.ValueUnit,
		format.ValueUnfinished, format.ValueUntracked:
		return false
	case format.ValueString, format.ValueJavaClass, format.ValueKotlinClass:
		return len(v.Text) > fit.SurelyFits
	case format.ValueObject, format.ValueArray:
		return v.ClassID < 0 || v.Captured != nil && e.strangeInside(v.Captured, depth)
	case format.ValueBigInteger, format.ValueBigDecimal:
		return !e.version.HasValue(v.Kind) || len(v.Text) > fit.SurelyFits
	}
	return true
}

// strangeInside is strange for what is captured in a value at a depth.
func (e *encoder) strangeInside(in *format.Captured, depth int) bool {
	if depth >= maxValueDepth || in.Message != nil || len(in.Frames) > 0 {
		return true
	}
	for i := range in.Fields {
		f := &in.Fields[i]
		if len(f.Name) > fit.SurelyFits || e.strange(&f.Value, depth+1) {
			return true
		}
	}
	for i := range in.Elements {
		if e.strange(&in.Elements[i], depth+1) {
			return true
		}
	}
	return false
}

// mended returns a value that can be written; depth is the number of values around it. It does not
// change v, nor what v refers to.
func (e *encoder) mended(v *format.Value, depth int) format.Value {
	m := *v
	if kind, ok := foreign[m.Kind]; ok && !e.version.HasValue(m.Kind) {
		if m.Kind == format.ValueEnum {
			m.ClassID, m.Absent = 0, false
		}
		m.Kind = kind
	}
	fit.Unquoted(&m, e.version)
	m.Text = e.text(m.Text)
	m.ClassID = max(m.ClassID, 0)
	if m.Captured != nil {
		if depth >= maxValueDepth {
			e.left.Count(largeValue, 1, -1)
			return e.mark()
		}
		m.Captured = e.contents(m.Captured, m.Kind, depth)
	}
	return m
}

func (e *encoder) text(s string) string {
	text, cut := fit.Text(s)
	if cut {
		e.left.Count(longText, 1, -1)
	}
	return text
}

// contents returns what is captured in a value of a kind, mended.
func (e *encoder) contents(in *format.Captured, kind format.ValueKind, depth int) *format.Captured {
	out := &format.Captured{}
	switch kind {
	case format.ValueException:
		if in.Message != nil {
			text := e.text(*in.Message)
			out.Message = &text
		}
		for _, frame := range in.Frames[:min(len(in.Frames), maxArgs)] {
			out.Frames = append(out.Frames, e.text(frame))
		}
	case format.ValueArray:
		out.Elements = make([]format.Value, len(in.Elements))
		for i := range in.Elements {
			out.Elements[i] = e.inner(&in.Elements[i], depth)
		}
	default:
		out.Fields = make([]format.CapturedField, 0, len(in.Fields)+1)
		for i := range in.Fields {
			f := &in.Fields[i]
			out.Fields = append(out.Fields, format.CapturedField{Name: e.text(f.Name), Value: e.inner(&f.Value, depth)})
		}
		if in.Message != nil { // of an exception, in a version where it is an object
			out.Fields = append(out.Fields, format.CapturedField{Name: "message", Value: String(e.text(*in.Message))})
		}
	}
	return out
}

// inner returns a value within another one, mended.
func (e *encoder) inner(v *format.Value, depth int) format.Value {
	if e.strange(v, depth+1) {
		return e.mended(v, depth+1)
	}
	return *v
}
