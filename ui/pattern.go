package ui

import (
	"bytes"
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pattern is what a search looks for. It may be used by any goroutine.
type pattern struct {
	source string
	note   string // why the source is not taken as a regular expression; or ""
	find   func(text []byte) (from, to int)
}

// newPattern reads what a person typed: a regular expression, or just text when
// it is none. Capitals count when there are any.
func newPattern(source string) *pattern {
	fold := source == strings.ToLower(source)
	if !strings.ContainsAny(source, `\.+*?()|[]{}^$`) {
		return literal(source, fold)
	}
	expr := source
	if !strings.Contains(source, `\()`) {
		// An empty group means nothing; the end of a call's name does.
		expr = strings.ReplaceAll(source, "()", `\(\)`)
	}
	if fold {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		p := literal(source, fold)
		p.note = "taken as plain text: " + fault(err)
		return p
	}
	return &pattern{source: source, find: func(text []byte) (int, int) {
		at := re.FindIndex(text)
		if at == nil {
			return -1, -1
		}
		return at[0], at[1]
	}}
}

// fault says what is wrong with an expression, without what we added to it.
func fault(err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return e.Code.String()
}

// literal looks for text as it stands.
func literal(source string, fold bool) *pattern {
	want := []byte(source)
	p := &pattern{source: source}
	switch {
	case !fold || !hasLetters(source):
		p.find = func(text []byte) (int, int) {
			at := bytes.Index(text, want)
			return at, at + len(want)
		}
	case isASCII(source):
		p.find = func(text []byte) (int, int) {
			at := indexFold(text, want)
			return at, at + len(want)
		}
	default:
		re := regexp.MustCompile("(?i)" + regexp.QuoteMeta(source))
		p.find = func(text []byte) (int, int) {
			if at := re.FindIndex(text); at != nil {
				return at[0], at[1]
			}
			return -1, -1
		}
	}
	return p
}

func (p *pattern) match(text []byte) bool {
	from, _ := p.find(text)
	return from >= 0
}

// maxRanges bounds what is highlighted in one line.
const maxRanges = 200

// ranges returns where a text matches, from the left, without overlaps.
func (p *pattern) ranges(text string) [][2]int {
	var list [][2]int
	b := []byte(text)
	for at := 0; at <= len(b) && len(list) < maxRanges; {
		from, to := p.find(b[at:])
		if from < 0 {
			break
		}
		if to > from {
			list = append(list, [2]int{at + from, at + to})
		} else {
			_, n := utf8.DecodeRune(b[at+to:])
			to += max(n, 1)
		}
		at += to
	}
	return list
}

// indexFold returns where want, ASCII in small letters, stands in text in
// letters of any size; -1 when it does not.
func indexFold(text, want []byte) int {
	if len(want) == 0 {
		return 0
	}
	first := want[0]
	for i := 0; i+len(want) <= len(text); i++ {
		if lower(text[i]) == first && equalFold(text[i:i+len(want)], want) {
			return i
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

func hasLetters(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
