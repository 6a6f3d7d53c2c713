package chrome

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON text. Its first fault sticks: all later calls do nothing.
type scanner struct {
	s     string
	i     int
	fault fault
	want  string // what was expected at i, if the text is damaged
}

type fault uint8

const (
	sound   fault = iota
	short         // the text ends within a value
	damaged       // the text is not JSON
)

// kind is what a value is.
type kind uint8

const (
	nothing kind = iota
	plain        // a string without escapes
	escaped      // a string with escapes
	token        // a number, or a word such as null
	object
	array
)

func (s *scanner) fail(want string) {
	if s.fault == sound {
		s.fault, s.want = damaged, want
	}
}

func (s *scanner) end() {
	if s.fault == sound {
		s.fault = short
	}
}

// peek skips white space, and returns the next byte; 0 at the end.
func (s *scanner) peek() byte {
	for ; s.i < len(s.s); s.i++ {
		if c := s.s[s.i]; c > ' ' {
			return c
		}
	}
	s.end()
	return 0
}

// item is peek, but skips commas, too: writers lose some and double some.
func (s *scanner) item() byte {
	for {
		c := s.peek()
		if c != ',' {
			return c
		}
		s.i++
	}
}

// value reads the next value.
func (s *scanner) value() span {
	switch c := s.peek(); {
	case s.fault != sound:
		return span{}
	case c == '"':
		return s.str()
	case c == '{':
		return s.nested(object)
	case c == '[':
		return s.nested(array)
	}
	return s.token()
}

// str reads a string, which begins at i.
func (s *scanner) str() span {
	from := s.i + 1
	at, esc := stringEnd(s.s, from)
	if at < 0 {
		s.end()
		return span{}
	}
	s.i = at + 1
	k := plain
	if esc {
		k = escaped
	}
	return span{int32(from), int32(at), k}
}

// stringEnd returns the position of the quote that ends a string, -1 if it is not in s, and whether
// the string has escapes.
func stringEnd(s string, i int) (at int, escapes bool) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for {
		// Eight bytes at a time: x-ones has the high bit of each byte set that was 0.
		for i+8 <= len(s) {
			w := s[i : i+8]
			x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
				uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
			q, b := x^('"'*ones), x^('\\'*ones)
			if ((q-ones)&^q|(b-ones)&^b)&highs != 0 {
				break
			}
			i += 8
		}
		for ; i < len(s) && s[i] != '"' && s[i] != '\\'; i++ {
		}
		switch {
		case i >= len(s):
			return -1, escapes
		case s[i] == '"':
			return i, escapes
		}
		escapes = true
		if i += 2; i > len(s) {
			return -1, escapes
		}
	}
}

// token reads a number or a word.
func (s *scanner) token() span {
	from := s.i
	for ; s.i < len(s.s); s.i++ {
		switch c := s.s[s.i]; c {
		case ',', '}', ']', ' ', '\n', '\r', '\t', ':', '"', '{', '[':
			if s.i == from {
				s.fail("a value")
				return span{}
			}
			return span{int32(from), int32(s.i), token}
		}
	}
	s.end()
	return span{}
}

// nested skips an object or a list, at any depth.
func (s *scanner) nested(k kind) span {
	from, depth := s.i, 0
	for i := s.i; i < len(s.s); i++ {
		switch s.s[i] {
		case '"':
			at, _ := stringEnd(s.s, i+1)
			if at < 0 {
				s.end()
				return span{}
			}
			i = at
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.i = i + 1
				return span{int32(from), int32(s.i), k}
			}
		}
	}
	s.end()
	return span{}
}

// key reads the key of a member of an object with its colon, or the object's end: then ok is false.
func (s *scanner) key() (key span, ok bool) {
	switch c := s.item(); {
	case s.fault != sound:
		return span{}, false
	case c == '}':
		s.i++
		return span{}, false
	case c != '"':
		s.fail("a key or the end of an object")
		return span{}, false
	}
	key = s.str()
	if c := s.peek(); s.fault == sound && c != ':' {
		s.fail("a colon")
	}
	s.i++
	return key, s.fault == sound
}

// next reads an element of a list, or its end: then ok is false.
func (s *scanner) next() (v span, ok bool) {
	switch c := s.item(); {
	case s.fault != sound:
		return span{}, false
	case c == ']':
		s.i++
		return span{}, false
	}
	v = s.value()
	return v, s.fault == sound
}

// span is a value in a text. That of a string is without its quotes.
type span struct {
	from, to int32
	kind     kind
}

func textOf(text string, v span) string {
	if v.kind == escaped {
		return unescape(text[v.from:v.to])
	}
	return text[v.from:v.to]
}

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
