package fit

import (
	"math"
	"strconv"

	"tracex/format"
)

// Whole returns the text of a JSON number as that of a whole number, if it is one: 1.0 is 1, and 1e3 is 1000. Writers
// whose numbers are all floats have such ids and lines.
func Whole[T string | []byte](text T) T {
	for i := range len(text) {
		if c := text[i]; c == '.' || c == 'e' || c == 'E' {
			if n, ok := WholeFloat(parse(text)); ok {
				return T(strconv.FormatInt(n, 10))
			}
			break
		}
	}
	return text
}

func parse[T string | []byte](text T) float64 {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// WholeFloat returns a number as a whole one, and whether it is one.
func WholeFloat(x float64) (n int64, ok bool) {
	const exact = 1 << 53
	return int64(x), x == math.Trunc(x) && math.Abs(x) < exact
}

// Line returns a value as the number of a line, and whether it may be one.
func Line(v *format.Value) (line int, ok bool) {
	n := v.Bits
	switch v.Kind {
	case format.ValueLong:
	case format.ValueDouble:
		if n, ok = WholeFloat(v.Float()); !ok {
			return 0, false
		}
	default:
		return 0, false
	}
	return int(n), n >= 0 && n < 1<<30
}
