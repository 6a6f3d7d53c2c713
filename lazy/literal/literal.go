// Package literal finds a text in bytes, exactly or regardless of case. Patterns and searches
// use it to reject texts before anything slower looks at them.
package literal

import (
	"bytes"
	"strings"
)

// Text is a text to find. The zero value is found everywhere.
type Text struct {
	text []byte
	fold bool
	rare int // with fold: index of the letter that is rarest in traces
}

// common are the letters, the most frequent in traces first.
const common = "etaosrincldmupgbhfyvwkxjzq"

// Exact returns a Text that is found as it is.
func Exact(text string) Text { return Text{text: []byte(text)} }

// Folded returns a Text that is found regardless of the case of ASCII letters. It must be in
// lower case.
func Folded(text string) Text {
	f := Text{text: []byte(text)}
	rank := -1
	for i, c := range f.text {
		if c >= 'a' && c <= 'z' {
			f.fold = true
		}
		if r := strings.IndexByte(common, c); r > rank {
			f.rare, rank = i, r
		}
	}
	return f
}

// Part returns a Text for a part of the text: the bytes from one index up to another.
func (t *Text) Part(from, to int) Text {
	if part := string(t.text[from:to]); t.fold {
		return Folded(part)
	} else {
		return Exact(part)
	}
}

func (t *Text) String() string { return string(t.text) }

// Len returns the length of the text in bytes.
func (t *Text) Len() int { return len(t.text) }

// Fold reports whether case does not matter.
func (t *Text) Fold() bool { return t.fold }

// In reports whether b contains the text.
func (t *Text) In(b []byte) bool { return t.Index(b) >= 0 }

// Index returns where the text first occurs in b; -1 if it does not.
func (t *Text) Index(b []byte) int {
	if !t.fold {
		return bytes.Index(b, t.text)
	}
	small, large := t.text[t.rare], upper(t.text[t.rare])
	for at := 0; at+len(t.text) <= len(b); at++ {
		// The range where the rare letter can be.
		part := b[at+t.rare : len(b)-len(t.text)+t.rare+1]
		i := bytes.IndexByte(part, small)
		if small != large {
			if i >= 0 {
				part = part[:i]
			}
			if j := bytes.IndexByte(part, large); j >= 0 {
				i = j
			}
		}
		if i < 0 {
			return -1
		}
		if at += i; equalFold(b[at:at+len(t.text)], t.text) {
			return at
		}
	}
	return -1
}

func equalFold(text, want []byte) bool {
	for i, c := range want {
		if lower(text[i]) != c {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// begins reports whether b begins with the text.
func (t *Text) begins(b []byte) bool {
	if len(b) < len(t.text) {
		return false
	}
	if t.fold {
		return equalFold(b[:len(t.text)], t.text)
	}
	return string(b[:len(t.text)]) == string(t.text)
}
