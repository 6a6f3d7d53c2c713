package filter

import (
	"cmp"
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"

	finder "tracex/lazy/literal"
)

// matcher tests a text: for equality, with a regular expression, or for a part of it.
type matcher struct {
	exact string
	re    *regexp.Regexp // for ~, for a word with *, and for a part in letters beyond ASCII
	part  *finder.Text   // for a contained text
}

// newMatcher returns the matcher of an operator and a value. A * in a word stands for any text.
func newMatcher(o op, text string, quoted bool) (m matcher, err error) {
	switch {
	case o == opRegexp:
		m.re, err = regexp.Compile(text)
	case o == opContains:
		m = newContains(text)
	case !quoted && strings.Contains(text, "*"):
		m.re, err = regexp.Compile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, ".*") + "$")
	default:
		m.exact = text
	}
	return m, err
}

// newContains returns the matcher of texts that contain text. Case counts if text has capitals.
func newContains(text string) (m matcher) {
	switch {
	case text != strings.ToLower(text), text == strings.ToUpper(text):
		exact := finder.Exact(text)
		m.part = &exact
	case isASCII(text):
		folded := finder.Folded(text)
		m.part = &folded
	default:
		m.re = regexp.MustCompile("(?i)" + regexp.QuoteMeta(text))
	}
	return m
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

func (m *matcher) matches(s string) bool {
	switch {
	case m.re != nil:
		return m.re.MatchString(s)
	case m.part != nil:
		return m.matchesBytes([]byte(s))
	}
	return s == m.exact
}

func (m *matcher) matchesBytes(s []byte) bool {
	switch {
	case m.re != nil:
		return m.re.Match(s)
	case m.part != nil:
		from, _ := m.find(s)
		return from >= 0
	}
	return string(s) == m.exact
}

// find returns the first match in s of a contained text; from is -1 if there is none.
func (m *matcher) find(s []byte) (from, to int) {
	if m.re != nil {
		if at := m.re.FindIndex(s); at != nil {
			return at[0], at[1]
		}
		return -1, -1
	}
	from = m.part.Index(s)
	return from, from + m.part.Len()
}

// regexpFaults explains what is wrong with a regular expression.
var regexpFaults = map[syntax.ErrorCode]string{
	syntax.ErrMissingParen:          `a ( is not closed; \( is the character`,
	syntax.ErrUnexpectedParen:       `a ) closes nothing; \) is the character`,
	syntax.ErrMissingBracket:        `a [ is not closed; \[ is the character`,
	syntax.ErrMissingRepeatArgument: `there is nothing to repeat before * + or ?; \* is the character`,
	syntax.ErrInvalidEscape:         `\ before a letter or digit that means nothing`,
	syntax.ErrTrailingBackslash:     `\ at the end; \\ is the character`,
}

func regexpFault(err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return cmp.Or(regexpFaults[e.Code], e.Code.String())
}
