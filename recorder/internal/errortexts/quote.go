package errortexts

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Quote writes the text of a field as a verb wants it: quoted as Go does, with the bytes of what is not ASCII as package
// time does, a number as that of a character, or in three digits. It reports false if the text does not fit the verb.
func Quote(verb, text string) (string, bool) {
	switch verb {
	case "":
		return text, true
	case "quoted":
		return strconv.Quote(text), true
	case "bytes":
		return QuoteBytes(text), true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return "", false
	}
	if verb == "unicode" {
		return fmt.Sprintf("%#U", rune(n)), true
	}
	return fmt.Sprintf("%03d", n), true
}

// QuoteBytes quotes a text as package time does.
func QuoteBytes(s string) string {
	b := []byte{'"'}
	for _, c := range []byte(s) {
		switch {
		case c >= utf8.RuneSelf || c < ' ':
			b = fmt.Appendf(b, `\x%02x`, c)
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
