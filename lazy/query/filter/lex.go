package filter

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/lazy/query/nearest"
)

// parser reads a text from the left, a part of the grammar a method.
type parser struct {
	text     string
	at       int
	unclosed bool // the last word has a ( without a )
}

func (p *parser) fault(at, to int, message, hint string, near ...string) *Error {
	return &Error{Text: p.text, At: at, To: max(at, min(to, len(p.text))), Message: message, Hint: hint, Near: near}
}

func (p *parser) rest() string { return p.text[p.at:] }

// space skips white space.
func (p *parser) space() {
	p.at = len(p.text) - len(strings.TrimLeftFunc(p.rest(), unicode.IsSpace))
}

// keyword consumes a word of the grammar, in lower or upper case, and reports whether it is there.
func (p *parser) keyword(word string) bool {
	rest := p.rest()
	if len(rest) < len(word) || rest[:len(word)] != word && rest[:len(word)] != strings.ToUpper(word) {
		return false
	}
	if next, _ := utf8.DecodeRuneInString(rest[len(word):]); len(rest) > len(word) && !unicode.IsSpace(next) && next != '(' && next != ')' {
		return false
	}
	p.at += len(word)
	p.space()
	return true
}

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
	captured := false // what follows is a name of the program
	for i, c := range s {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if c == '.' && !captured {
			f, _, _ := fieldNamed(s[:i])
			captured = f != nil
		}
		if !letter && (i == 0 || c != '.' && (c < '0' || c > '9')) && !(captured && operandName(c)) {
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

// Error is a fault in a filter: of its grammar, or a name that the trace does not have.
type Error struct {
	Text    string   // the whole filter
	At, To  int      // the part of Text at fault, in bytes; At is len(Text) if something is missing at the end
	Message string   // what is wrong, without the place
	Near    []string // up to three names that exist and are spelled alike, the nearest first
	Hint    string   // what to do; "" if the message tells
	Absent  bool     // the trace has nothing of the name that the filter has
}

// Error returns the message with the column, the nearest names and the hint, in one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "column %d: %s", e.Column(), e.Message)
	if len(e.Near) > 0 {
		b.WriteString("; the nearest: " + strings.Join(e.Near, ", "))
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Column returns where the fault begins, in characters from 1.
func (e *Error) Column() int { return utf8.RuneCountInString(e.Text[:e.At]) + 1 }

// errorOf avoids an error that is a nil *Error.
func errorOf(err *Error) error {
	if err == nil {
		return nil
	}
	return err
}
