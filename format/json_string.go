package format

import "unicode/utf8"

// AppendJSONString appends a string of a trace as a string of JSON, with its
// quotes. A surrogate without its other half is \ud83d, which JSON can say
// though UTF-8 cannot; a byte that is not UTF-8 is U+FFFD. What
// [NeedsEscape] finds is escaped too: a terminal may be shown the line.
func AppendJSONString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		n := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, n = decodeRune(s[i:]); !unsafeRune(r, n) {
				i += n
				continue
			}
		}
		dst = append(dst, s[from:i]...)
		if surrogate := string(s[i:min(i+3, len(s))]); isSurrogate(surrogate) {
			u, _ := unit([]byte(surrogate))
			dst, n = appendJSONUnit(dst, u), 3
		} else {
			dst = appendJSONRune(dst, c, string(s[i:i+n]))
		}
		i += n
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

// appendJSONRune appends an escape for a character that begins with the byte c.
func appendJSONRune(dst []byte, c byte, char string) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	r, _ := utf8.DecodeRuneInString(char)
	if r > 0xffff {
		r -= 0x10000
		return appendJSONUnit(appendJSONUnit(dst, 0xd800+uint16(r>>10)), 0xdc00+uint16(r&0x3ff))
	}
	return appendJSONUnit(dst, uint16(r))
}

// appendJSONUnit appends a UTF-16 unit as an escape.
func appendJSONUnit(dst []byte, u uint16) []byte {
	dst = append(dst, '\\', 'u')
	for shift := 12; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[u>>shift&0xf])
	}
	return dst
}
