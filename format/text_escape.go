package format

import (
	"unicode"
	"unicode/utf8"
)

// What must not be sent to a terminal unescaped: control characters and escape sequences, which move
// the cursor or worse; characters that change the direction of the text around them or are invisible;
// bytes that are not UTF-8. The joiners U+200C and U+200D stay: scripts and emoji need them.

// NeedsEscape reports whether AppendEscaped would change the text.
func NeedsEscape[T string | []byte](text T) bool {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return true
			}
			i++
			continue
		}
		r, n := decodeRune(text[i:])
		if unsafeRune(r, n) {
			return true
		}
		i += n
	}
	return false
}

func decodeRune[T string | []byte](b T) (rune, int) {
	var head [utf8.UTFMax]byte
	return utf8.DecodeRune(head[:copy(head[:], b)])
}

func unsafeRune(r rune, n int) bool {
	switch {
	case r == utf8.RuneError && n == 1:
		return true
	case r < 0xa0:
		return r < ' ' || r >= 0x7f
	case r == 0x200c || r == 0x200d:
		return false
	case r == 0x2028 || r == 0x2029 || r >= 0xe0000 && r < 0xe1000:
		return true
	case r == 0x279c: // the arrow in the text of reads
		return false
	}
	return unicode.Is(unicode.Cf, r)
}

// AppendEscaped appends text for a terminal. It makes everything that could disturb the screen
// visible: \n, \x1b, \u202e, \U000e0001, and \xff for a byte that is not UTF-8. A character
// U+0080 to U+009F is \u0080 to \u009f.
func AppendEscaped[T string | []byte](dst []byte, text T) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7f {
			dst = append(dst, c)
			i++
			continue
		}
		r, n := decodeRune(text[i:])
		if unsafeRune(r, n) {
			dst = appendVisible(dst, r, c, n)
		} else {
			dst = append(dst, text[i:i+n]...)
		}
		i += n
	}
	return dst
}

const hexDigits = "0123456789abcdef"

func appendVisible(dst []byte, r rune, first byte, n int) []byte {
	dst = append(dst, '\\')
	width := 2
	switch {
	case r == '\n':
		return append(dst, 'n')
	case r == '\r':
		return append(dst, 'r')
	case r == '\t':
		return append(dst, 't')
	case r == utf8.RuneError && n == 1:
		dst, r = append(dst, 'x'), rune(first)
	case r < utf8.RuneSelf:
		dst = append(dst, 'x')
	case r <= 0xffff:
		dst, width = append(dst, 'u'), 4
	default:
		dst, width = append(dst, 'U'), 8
	}
	for shift := 4 * (width - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[r>>shift&0xf])
	}
	return dst
}
