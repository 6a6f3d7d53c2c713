package calltrace

import (
	"math"
	"strconv"

	"tracex/format"
)

// Number returns the value of a number as JSON writes it. One that is too large for a number of the
// format stays as it is written.
func Number(text string) format.Value {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Int(n)
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && !format.WholeNumber(text) {
		return Float(x)
	}
	return Unquoted(text)
}

// Uint returns a whole number, which may be too large for one that is signed.
func Uint(n uint64) format.Value {
	if n > math.MaxInt64 {
		return Unquoted(strconv.FormatUint(n, 10))
	}
	return Int(int64(n))
}

// Values of the format, for converters.

// Int returns a whole number.
func Int(n int64) format.Value { return format.Value{Kind: format.ValueLong, Bits: n} }

// Float returns a number.
func Float(x float64) format.Value {
	return format.Value{Kind: format.ValueDouble, Bits: int64(math.Float64bits(x))}
}

// Bool returns true or false.
func Bool(on bool) format.Value {
	v := format.Value{Kind: format.ValueBoolean}
	if on {
		v.Bits = 1
	}
	return v
}

// Null returns the value of nothing.
func Null() format.Value { return format.Null() }

// String returns a text that is shown in quotes.
func String(s string) format.Value { return format.Value{Kind: format.ValueString, Text: s} }

// Unquoted returns a text that is shown as it is, such as a number that has no kind of its own.
func Unquoted(s string) format.Value { return format.Value{Kind: format.ValueRawString, Text: s} }

// Object returns an object with fields. class is its class, see [Writer.Class]; one named "" is not
// shown: {a:1}. hash tells objects apart; 0 for a value without an identity, whose fields are in its
// text.
func Object(class, hash int32, fields []format.CapturedField) format.Value {
	v := format.Value{Kind: format.ValueObject, ClassID: class, Bits: int64(hash)}
	if len(fields) > 0 {
		v.Captured = &format.Captured{Fields: fields}
	}
	return v
}

// List returns an array with its first elements; length is that of the whole. class is its class,
// see [Writer.Class].
func List(class int32, elements []format.Value, length int) format.Value {
	length = min(max(length, len(elements)), math.MaxInt32)
	return format.Value{Kind: format.ValueArray, ClassID: class, Bits: format.ArrayBits(0, int32(length)),
		Captured: &format.Captured{Elements: elements}}
}
