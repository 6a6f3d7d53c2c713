package format

import "strings"

// Unquoted reports whether a value is a text without quotes that has no better kind: a raw string,
// or its replacement since version 27, which has no raw strings: a big decimal that is no number.
func (v *Value) Unquoted() bool {
	return v.Kind == ValueRawString || v.Kind == ValueBigDecimal && !isDecimal(v.Text)
}

// isDecimal reports whether s is a number as java.math.BigDecimal writes it, or the beginning
// of one, cut with "...".
func isDecimal(s string) bool {
	s, cut := strings.CutSuffix(s, "...")
	s = strings.TrimPrefix(s, "-")
	digits := func() bool {
		rest := strings.TrimLeft(s, "0123456789")
		some := len(rest) < len(s)
		s = rest
		return some
	}
	if !digits() {
		return false
	}
	if rest, ok := strings.CutPrefix(s, "."); ok {
		if s = rest; !digits() {
			return cut && s == ""
		}
	}
	if rest, ok := strings.CutPrefix(s, "E"); ok {
		if s = strings.TrimLeft(rest, "+-"); len(rest)-len(s) > 1 || !digits() {
			return cut && s == ""
		}
	}
	return s == ""
}
