package filter

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/lazy/query/nearest"
)

// quoted parses a text in quotes. A backslash is itself, except before a quote, a backslash, and in
// \n \r \t and \u with four hexadecimal digits.
func (p *parser) quoted() (string, *Error) {
	start := p.at
	var b []byte
	for i := start + 1; i < len(p.text); i++ {
		c := p.text[i]
		if c == '"' {
			p.at = i + 1
			return string(b), nil
		}
		if c == '\\' && i+1 < len(p.text) {
			r, n := Escape(p.text[i+1:])
			if n > 0 {
				b = utf8.AppendRune(b, r)
				i += n
				continue
			}
		}
		b = append(b, c)
	}
	return "", p.fault(start, len(p.text), `this " is not closed`, "")
}

// Escape returns the character that s, the text after a backslash in quotes, means, and its length; 0
// if the backslash is itself. s is not empty.
func Escape(s string) (r rune, n int) {
	switch s[0] {
	case '"', '\\':
		return rune(s[0]), 1
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	case 'u':
		if len(s) >= 5 {
			if x, err := strconv.ParseUint(s[1:5], 16, 16); err == nil && utf8.ValidRune(rune(x)) {
				return rune(x), 5
			}
		}
	}
	return 0, 0
}

// word consumes a word: up to white space or a ) that the word did not open. Within its parentheses
// it may have spaces, as in withdraw(1, 2). If a ( is not closed the word ends at the first space, and
// ok is false.
func (p *parser) word() (word string, ok bool) {
	from, open, first := p.at, 0, -1
	p.unclosed = false
	i := from
	for i < len(p.text) {
		r, n := utf8.DecodeRuneInString(p.text[i:])
		switch {
		case r == '\\' && i+1 < len(p.text) && (p.text[i+1] == '(' || p.text[i+1] == ')'):
			n = 2
		case r == '(':
			open++
		case r == ')' && open == 0:
			p.at = i
			return p.text[from:i], true
		case r == ')':
			open--
		case unicode.IsSpace(r):
			if first < 0 {
				first = i
			}
			if open == 0 {
				p.at = i
				return p.text[from:i], true
			}
		}
		i += n
		if open == 0 {
			first = -1
		}
	}
	p.at = i
	if open > 0 {
		p.unclosed = true
		if first >= 0 {
			p.at = first
		}
	}
	return p.text[from:p.at], open == 0
}

// handle consumes the name of an event: # and digits.
func (p *parser) handle() (event string, ok bool) {
	at := p.at
	if rest := p.rest(); len(rest) > 1 && rest[0] == '#' && digitsOnly(rest[1:2]) {
		if event, ok = p.word(); ok {
			if _, ok = parseCount(strings.TrimPrefix(event, "#")); ok {
				return event, true
			}
		}
	}
	p.at = at
	return "", false
}

// fieldName returns the beginning of s that has the form of a field.
func fieldName(s string) string {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			return s[:i]
		}
	}
	return s
}

// operator returns the operator at the start of s and its length.
func operator(s string) (op, int) {
	for _, o := range [...]op{opNe, opAtMost, opAtLeast, opEq, opLess, opMore, opRegexp, opContains} {
		if strings.HasPrefix(s, o.String()) {
			return o, len(o.String())
		}
	}
	return opNone, 0
}

// wordEnds reports whether a word ends before s.
func wordEnds(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s == "" || r == ')' || unicode.IsSpace(r)
}

// misspelled reports whether a word before a colon is meant as a field: a colon is common in texts,
// such as main.go:89.
func misspelled(name string) bool {
	if len(name) < 3 || strings.Contains(name, ".") {
		return false
	}
	for i := range fields {
		if nearest.Within(strings.ToLower(name), fields[i].Name, len(name)/4) {
			return true
		}
	}
	return false
}
