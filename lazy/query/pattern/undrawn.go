package pattern

import (
	"regexp"
	"strconv"
	"unicode/utf8"
)

// drawnEscape matches the escapes that rows show for characters that cannot be drawn: see [display.Glyphs.NextCell].
var drawnEscape = regexp.MustCompile(`\\(?:[nrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`)

// undrawn returns a text as rows show it, with its escapes replaced by the characters
// that they denote.
func undrawn(text string) string {
	return drawnEscape.ReplaceAllStringFunc(text, func(escape string) string {
		switch escape[1] {
		case 'n':
			return "\n"
		case 'r':
			return "\r"
		case 't':
			return "\t"
		}
		n, err := strconv.ParseUint(escape[2:], 16, 32)
		switch {
		case err != nil, n >= ' ' && n < 0x7f, n > utf8.MaxRune:
			return escape // rows do not show this escape
		case escape[1] == 'x' && n >= utf8.RuneSelf:
			return string([]byte{byte(n)})
		}
		return string(rune(n))
	})
}
