package chrome

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape returns the text of a string with escapes. Damaged escapes stay as they are; a half of
// a surrogate pair becomes U+FFFD.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		c := s[i+1]
		if c == 'u' {
			r, n := unicodeEscape(s[i:])
			if n == 0 {
				b.WriteString(s[i : i+2])
				n = 2
			} else {
				b.WriteRune(r)
			}
			s = s[i+n:]
			continue
		}
		if j := strings.IndexByte(`"\/bfnrt`, c); j >= 0 {
			b.WriteByte("\"\\/\b\f\n\r\t"[j])
		} else {
			b.WriteString(s[i : i+2])
		}
		s = s[i+2:]
	}
}

// unicodeEscape reads \uXXXX at the start of s, two of them for a surrogate pair; n is their size, 0 if
// it is damaged.
func unicodeEscape(s string) (r rune, n int) {
	r, ok := hex4(s)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	if low, ok := hex4(s[6:]); ok {
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			return both, 12
		}
	}
	return utf8.RuneError, 6
}

func hex4(s string) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(s[2:6]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
