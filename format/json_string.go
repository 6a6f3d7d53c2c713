package format

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendJSONString appends a string of a trace as a JSON string, with quotes. An unpaired
// surrogate becomes U+FFFD, like a byte that is not UTF-8, as strict JSON readers refuse
// unpaired surrogates. Everything that [NeedsEscape] reports is escaped too, since the line may
// be shown on a terminal.
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
			dst, n = appendJSONUnit(dst, utf8.RuneError), 3
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

// appendJSONText appends the member value, a string. If the string has an unpaired surrogate,
// which is U+FFFD in value, the member units follows: the UTF-16 units, as numbers.
func appendJSONText(dst []byte, s string) []byte {
	dst = AppendJSONString(append(dst, `,"value":`...), s)
	if !hasSurrogate(s) {
		return dst
	}
	dst = append(dst, `,"units":`...)
	sep := byte('[')
	for i := 0; i < len(s); {
		var units [2]uint16
		r, n := utf8.DecodeRuneInString(s[i:])
		all := utf16.AppendRune(units[:0], r)
		if isSurrogate(s[i:]) {
			u, _ := unit([]byte(s[i : i+3]))
			all, n = append(units[:0], u), 3
		}
		for _, u := range all {
			dst = strconv.AppendUint(append(dst, sep), uint64(u), 10)
			sep = ','
		}
		i += n
	}
	return append(dst, ']')
}

// hasSurrogate reports whether a string has an unpaired surrogate.
func hasSurrogate(s string) bool {
	for from := 0; ; from++ {
		i := strings.IndexByte(s[from:], 0xed) // surrogates begin with 0xed, few other characters do
		if i < 0 {
			return false
		}
		if from += i; isSurrogate(s[from:]) {
			return true
		}
	}
}
