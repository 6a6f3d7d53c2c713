package fit

import "tracex/format"

// Unquoted turns a text without quotes into a value that a version supports: version 22 has a kind
// for it; later ones use that of a number, which can hold any text.
func Unquoted(v *format.Value, to format.Version) {
	switch v.Kind {
	case format.ValueRawString:
		if to < format.V27 {
			return
		}
		if v.Kind = format.ValueBigDecimal; format.WholeNumber(v.Text) {
			v.Kind = format.ValueBigInteger
		}
	case format.ValueBigInteger, format.ValueBigDecimal:
		if to < format.V27 {
			v.Kind = format.ValueRawString
		}
	}
}
