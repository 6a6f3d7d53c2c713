package dataset

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy/export"
)

// longestText is how many bytes of the text of a value are exported. Columns with longer texts are of no use.
const longestText = 1 << 16

// appendValid appends the text of a value, as valid UTF-8 that is not too long.
func appendValid(dst []byte, c *format.Context, v *format.Value) []byte {
	if v.Kind == format.ValueInt || v.Kind == format.ValueLong {
		return strconv.AppendInt(dst, v.Bits, 10)
	}
	at := len(dst)
	dst = export.AppendText(dst, c, v)
	if len(dst)-at > longestText {
		dst = dst[:at+longestText]
		for len(dst) > at && !utf8.RuneStart(dst[len(dst)-1]) {
			dst = dst[:len(dst)-1]
		}
		dst = append(dst[:len(dst)-1], "…"...)
	}
	if !utf8.Valid(dst[at:]) {
		dst = append(dst[:at], bytes.ToValidUTF8(dst[at:], []byte("\uFFFD"))...)
	}
	return dst
}

// setReal makes the value a number that is no integer.
func (x *value) setReal(f float64) { x.integer = int64(math.Float64bits(f)) }

// real returns the number that a value is, if it is no integer.
func (x *value) real() float64 { return math.Float64frombits(uint64(x.integer)) }
