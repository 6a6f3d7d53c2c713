package jsonstream

import (
	"bytes"
	"math"
	"strconv"

	"tracex/format"
)

// Decimal returns a decimal number times 10^shift as an integer, rounded to the nearest: seconds in ns
// with shift 9. Nothing is lost on the way, as it would be in a float64. ok is false if text is
// not a number, or too large.
func Decimal(text []byte, shift int) (n int64, ok bool) {
	minus := len(text) > 0 && text[0] == '-'
	if minus || len(text) > 0 && text[0] == '+' {
		text = text[1:]
	}
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(string(text[i+1:]), 10, 16)
		if err != nil {
			return 0, false
		}
		text, shift = text[:i], shift+int(exponent)
	}
	whole, fraction, _ := bytes.Cut(text, []byte{'.'})
	if len(whole)+len(fraction) == 0 {
		return 0, false
	}
	var u uint64
	half := false
	for i := range len(whole) + len(fraction) {
		c := byte('0')
		if i < len(whole) {
			c = whole[i]
		} else {
			c = fraction[i-len(whole)]
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		switch at := i - len(whole) - shift; {
		case at < 0:
			if u > math.MaxInt64/10-1 {
				return 0, false
			}
			u = u*10 + uint64(c-'0')
		case at == 0:
			half = c >= '5'
		}
	}
	for range max(0, shift-len(fraction)) {
		if u == 0 {
			break
		}
		if u > math.MaxInt64/10-1 {
			return 0, false
		}
		u *= 10
	}
	if half {
		u++
	}
	if minus {
		return -int64(u), true
	}
	return int64(u), true
}

// NumberValue returns the value of a number: an integer, or a float64 if it has a fraction or an
// exponent. ok is false if neither holds it.
func NumberValue(text []byte) (v format.Value, ok bool) {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil && (n != 0 || text[0] != '-') {
		return format.Value{Kind: format.ValueLong, Bits: n}, true
	}
	if !bytes.ContainsAny(text, ".eEnN") && string(text) != "-0" { // too many digits
		return format.Value{}, false
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return format.Value{Kind: format.ValueDouble, Bits: int64(math.Float64bits(f))}, err == nil
}
