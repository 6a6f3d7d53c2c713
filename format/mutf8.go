package format

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
	"unsafe"
)

// maxUTF is the longest string, in bytes of modified UTF-8, that a 16-bit length allows.
const maxUTF = 0xffff

// Modified UTF-8 differs from UTF-8 in two ways: NUL is C0 80, and a character above U+FFFF is
// a pair of surrogates, each in three bytes. In memory a string is ordinary UTF-8. An unpaired
// surrogate, which UTF-8 cannot represent, stays as its three bytes ED A0..BF xx, so that it
// can be written again unchanged. [AppendText] and related functions show it as '?'.

// AppendUTF appends s as a utf: length and modified UTF-8. Bytes of s that are neither UTF-8
// nor a surrogate in three bytes are written as U+FFFD. It writes into dst if that has room for
// what is written. It fails with ErrStringTooLong, and then returns dst unchanged.
func AppendUTF(dst []byte, s string) ([]byte, error) {
	at := len(dst)
	dst = append(dst, 0, 0)
	if PlainUTF(unsafe.Slice(unsafe.StringData(s), len(s))) {
		dst = append(dst, s...)
	} else {
		dst = appendModified(dst, s)
	}
	n := len(dst) - at - 2
	if n > maxUTF {
		return dst[:at], fmt.Errorf("%w: %d", ErrStringTooLong, n)
	}
	binary.BigEndian.PutUint16(dst[at:], uint16(n))
	return dst, nil
}

// PlainUTF reports whether a text is the same in modified UTF-8: each byte is in 0x01 to 0x7f. It looks at eight bytes at
// a time, the last eight possibly overlapping those before. Subtracting 1 from each sets the highest bit of those that are
// zero.
func PlainUTF(b []byte) bool {
	const ones, highest, word = 0x0101010101010101, 0x8080808080808080, 8
	if len(b) < word {
		for _, c := range b {
			if c-1 >= utf8.RuneSelf-1 { // NUL wraps around
				return false
			}
		}
		return true
	}
	last := binary.LittleEndian.Uint64(b[len(b)-word:])
	bad := last | (last - ones)
	for ; len(b) > word; b = b[word:] {
		eight := binary.LittleEndian.Uint64(b)
		bad |= eight | (eight - ones)
	}
	return bad&highest == 0
}

func appendModified(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c != 0 && c < utf8.RuneSelf {
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.RuneError, 1
		switch {
		case c == 0:
			r = 0
		case utf8.RuneStart(c):
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case n == 1 && isSurrogate(s[i:]):
			r, n = 0xd800|rune(s[i+1]&0x3f)<<6|rune(s[i+2]&0x3f), 3
		case r > 0xffff:
			r -= 0x10000
			dst = appendUnit(dst, 0xd800+uint16(r>>10))
			r = 0xdc00 + r&0x3ff
		}
		if i += n; r < 0x800 {
			dst = append(dst, 0xc0|byte(r>>6), 0x80|byte(r)&0x3f)
			continue
		}
		dst = appendUnit(dst, uint16(r))
	}
	return dst
}

// isSurrogate reports whether s begins with a surrogate in three bytes.
func isSurrogate(s string) bool {
	return len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2]&0xc0 == 0x80
}

// appendUnit appends a UTF-16 unit in the three-byte form, surrogates included.
func appendUnit(dst []byte, u uint16) []byte {
	return append(dst, 0xe0|byte(u>>12), 0x80|byte(u>>6)&0x3f, 0x80|byte(u)&0x3f)
}

// decodeModified turns modified UTF-8 into a string. bad is the offset of the first invalid
// byte, or -1. Like Java, it accepts overlong forms.
func decodeModified(b []byte) (s string, bad int) {
	if PlainUTF(b) {
		return string(b), -1
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		u, n := unit(b[i:])
		if n == 0 {
			return "", i
		}
		i += n
		switch {
		case u >= 0xd800 && u < 0xdc00:
			if low, m := unit(b[i:]); m == 3 && low >= 0xdc00 && low < 0xe000 {
				out = utf8.AppendRune(out, 0x10000+(rune(u)-0xd800)<<10+(rune(low)-0xdc00))
				i += m
				continue
			}
			out = appendUnit(out, u)
		case u >= 0xdc00 && u < 0xe000:
			out = appendUnit(out, u)
		default:
			out = utf8.AppendRune(out, rune(u))
		}
	}
	return string(out), -1
}

// badModified returns the offset of the first byte for which decodeModified would fail, or -1.
func badModified(b []byte) int {
	if PlainUTF(b) {
		return -1
	}
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, n := unit(b[i:])
		if n == 0 {
			return i
		}
		i += n
	}
	return -1
}

// unit reads one UTF-16 unit; n = 0 if it is malformed.
func unit(b []byte) (u uint16, n int) {
	switch {
	case len(b) == 0:
		return 0, 0
	case b[0] < 0x80:
		return uint16(b[0]), 1
	case b[0]&0xe0 == 0xc0 && len(b) >= 2 && b[1]&0xc0 == 0x80:
		return uint16(b[0]&0x1f)<<6 | uint16(b[1]&0x3f), 2
	case b[0]&0xf0 == 0xe0 && len(b) >= 3 && b[1]&0xc0 == 0x80 && b[2]&0xc0 == 0x80:
		return uint16(b[0]&0x0f)<<12 | uint16(b[1]&0x3f)<<6 | uint16(b[2]&0x3f), 3
	}
	return 0, 0
}

// modifiedSize returns how many bytes s takes in modified UTF-8.
func modifiedSize(s string) (n int) {
	for i := 0; i < len(s); {
		size, taken := modifiedRune(s[i:])
		n += size
		i += taken
	}
	return n
}

// cutModified returns the longest prefix of s, in whole characters, that takes at most n bytes
// in modified UTF-8.
func cutModified(s string, n int) string {
	for i := 0; i < len(s); {
		size, taken := modifiedRune(s[i:])
		if n -= size; n < 0 {
			return s[:i]
		}
		i += taken
	}
	return s
}

// modifiedRune returns how many bytes the first character of s takes in modified
// UTF-8, and how many it has in s.
func modifiedRune(s string) (size, taken int) {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == 0:
		return 2, n
	case r == utf8.RuneError && n == 1 && isSurrogate(s):
		return 3, 3
	case r > 0xffff:
		return 6, n
	}
	return utf8.RuneLen(r), n
}
