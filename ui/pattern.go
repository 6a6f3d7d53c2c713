package ui

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// pattern is what a search or a filter looks for: a text, or, where a person asks
// for that, a regular expression. It may be used by any goroutine.
type pattern struct {
	source string
	expr   bool        // the source is a regular expression
	exact  bool        // capitals count, since there are some
	limits lazy.Limits // what it finds never has
	fault  string      // why the expression is none; "": it is one
	find   func(text []byte) (from, to int)
	only   identity // what alone it finds, in a search; find says what of a row is lit
	title  string   // what a person sees of it in the place of the source; "": the source
}

// newPattern reads what a person typed. Capitals count when there are any.
func newPattern(source string, expr bool) *pattern {
	if expr {
		return expression(source)
	}
	return literal(source, source == strings.ToLower(source))
}

// escapes are what a backslash makes of letters in an expression, which has
// nothing to do with capitals.
var escapes = regexp.MustCompile(`\\.`)

func expression(source string) *pattern {
	bare := escapes.ReplaceAllString(source, "")
	p := &pattern{source: source, expr: true, exact: bare != strings.ToLower(bare)}
	expr := source
	if !strings.Contains(source, `\()`) {
		// An empty group means nothing; the end of a call's name does.
		expr = strings.ReplaceAll(source, "()", `\(\)`)
	}
	if !p.exact {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		p.fault = fault(err)
		p.find = func([]byte) (int, int) { return -1, -1 }
		return p
	}
	need, limits := analyse(expr)
	p.limits = limits
	p.find = func(text []byte) (int, int) {
		if !need.in(text) {
			return -1, -1
		}
		at := re.FindIndex(text)
		if at == nil {
			return -1, -1
		}
		return at[0], at[1]
	}
	return p
}

// faults says what is wrong with an expression.
var faults = map[syntax.ErrorCode]string{
	syntax.ErrMissingParen:          `a ( is not closed; \( is the character`,
	syntax.ErrUnexpectedParen:       `a ) closes nothing; \) is the character`,
	syntax.ErrMissingBracket:        `a [ is not closed; \[ is the character`,
	syntax.ErrMissingRepeatArgument: `there is nothing to repeat before * + or ?; \* is the character`,
	syntax.ErrInvalidRepeatOp:       "one repetition follows another",
	syntax.ErrInvalidRepeatSize:     "a repetition {n,m} is too large, or the wrong way round",
	syntax.ErrInvalidCharRange:      "a range in [ ] is the wrong way round",
	syntax.ErrInvalidCharClass:      "a class in [ ] is not known",
	syntax.ErrInvalidEscape:         `\ before a letter or digit that means nothing`,
	syntax.ErrTrailingBackslash:     `\ at the end; \\ is the character`,
	syntax.ErrInvalidPerlOp:         "(? begins something that is not supported, such as a look-ahead",
	syntax.ErrInvalidNamedCapture:   "the name of a group is not valid",
	syntax.ErrLarge:                 "it is too large",
	syntax.ErrNestingDepth:          "it is nested too deep",
}

// fault says in plain words what is wrong with an expression.
func fault(err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return cmp.Or(faults[e.Code], e.Code.String())
}

// other is the other way to read what was typed; nil when there is none that
// could find anything else.
func (p *pattern) other() *pattern {
	if p.only != (identity{}) || !strings.ContainsAny(p.source, `\.+*?()|[]{}^$`) {
		return nil
	}
	if o := newPattern(p.source, !p.expr); o.fault == "" {
		return o
	}
	return nil
}

// narrows reports whether all that p matches matches another pattern too: since
// more was typed.
func (p *pattern) narrows(o *pattern) bool {
	return !p.expr && !o.expr && strings.HasPrefix(p.source, o.source) && !strings.Contains(p.source, `\`)
}

func (p *pattern) same(o *pattern) bool {
	return p.source == o.source && p.expr == o.expr && p.exact == o.exact && p.only == o.only
}

// name is the pattern as a person sees it, in about so many cells.
func (p *pattern) name(width int, g *screen.Glyphs) string {
	if p.title != "" {
		return screen.CutMiddle(p.title, max(width, 40), g)
	}
	return p.sign() + screen.CutEnd(p.source, width, g)
}

// sign is what stands before the source: the key that began it, and how it is
// read.
func (p *pattern) sign() string { return newSign(p.expr) }

func newSign(expr bool) string {
	if expr {
		return "regex /"
	}
	return "/"
}

// reading says how the source is read.
func (p *pattern) reading() string {
	if p.expr {
		return "as a regular expression"
	}
	return "as text"
}

// literal looks for text as it stands, or as rows draw it; fold: in letters of any
// size.
func literal(source string, fold bool) *pattern {
	p := literally(source, fold)
	drawn := screen.Undrawn(source)
	if drawn == source {
		return p
	}
	plain, drawnAs := p.find, literally(drawn, fold).find
	p.find = func(text []byte) (int, int) {
		from, to := plain(text)
		if f, t := drawnAs(text); f >= 0 && (from < 0 || f < from) {
			return f, t
		}
		return from, to
	}
	return p
}

func literally(source string, fold bool) *pattern {
	want := []byte(source)
	p := &pattern{source: source, exact: !fold, limits: limitsOf(source)}
	switch {
	case !fold || !hasLetters(source):
		p.find = func(text []byte) (int, int) {
			at := bytes.Index(text, want)
			return at, at + len(want)
		}
	case isASCII(source):
		fold := newFolded(want)
		p.find = func(text []byte) (int, int) {
			at := fold.index(text)
			return at, at + len(want)
		}
	case !utf8.ValidString(source): // no expression can say it
		p.find = func(text []byte) (int, int) {
			at := bytes.Index(text, want)
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
func (p *pattern) ranges(text []byte) [][2]int {
	var list [][2]int
	for at := 0; at <= len(text) && len(list) < maxRanges; {
		from, to := p.find(text[at:])
		if from < 0 {
			break
		}
		if to > from {
			list = append(list, [2]int{at + from, at + to})
		} else {
			_, n := utf8.DecodeRune(text[at+to:])
			to += max(n, 1)
		}
		at += to
	}
	return list
}

func hasLetters(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
