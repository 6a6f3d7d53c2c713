package export

import (
	"math"

	"tracex/format"
)

// Scalar is what kind of number, if any, a value is for tools that have numbers, truth values and texts.
type Scalar uint8

// Kinds of scalars.
const (
	NotScalar Scalar = iota // an object, null, a mark: only its text is known
	Integer
	Real
	Truth
	Text // a string or a character
)

// ScalarOf returns the kind of a value.
func ScalarOf(v *format.Value) Scalar {
	switch v.Kind {
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		return Integer
	case format.ValueFloat, format.ValueDouble:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return NotScalar
		}
		return Real
	case format.ValueBoolean:
		return Truth
	case format.ValueString, format.ValueBuilder, format.ValueSequence:
		return Text
	}
	return NotScalar
}

// AppendText appends the text of a value: of a string what it contains, of others what the tree shows.
func AppendText(dst []byte, c *format.Context, v *format.Value) []byte {
	if ScalarOf(v) == Text {
		return append(dst, v.Text...)
	}
	return c.AppendValueText(dst, v)
}
