// Package pattern is what searches, and filters of lists, look for: a text, a regular expression, or a
// method or field by its names. A [Pattern] knows facts that let [lazy.Search] skip most of a trace
// without matching it.
package pattern

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/literal"
	"tracex/lazy/query/display"
)

// Pattern is what a search or a filter looks for: a text, or, on request, a regular expression.
// It is immutable and safe for use by any goroutine.
type Pattern struct {
	Text   string      // what to look for, as typed
	Expr   bool        // the text is a regular expression
	Exact  bool        // case counts, since the text has capitals
	Limits lazy.Limits // texts that it never matches
	// Needs are texts: every match contains at least one. If there are none, nothing is known.
	Needs []literal.Text
	Fault string // what is wrong with the expression; "" if nothing
	Find  func(text []byte) (from, to int)
	Only  Identity // in a search: all that it finds; find then only tells what to highlight in a row
	title string   // shown to the user instead of the text; "" for the text
}

// New parses a text that was typed. Case counts if there are capitals.
func New(what string, expr bool) *Pattern {
	if expr {
		return expression(what)
	}
	return verbatim(what, what == strings.ToLower(what))
}

// escapes matches a backslash with its letter, which may be a capital without meaning one.
var escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\.`) })

func expression(what string) *Pattern {
	bare := escapes().ReplaceAllString(what, "")
	p := &Pattern{Text: what, Expr: true, Exact: bare != strings.ToLower(bare)}
	expr := what
	if !strings.Contains(what, `\()`) {
		// An empty group has no use in an expression; in a search it is the end of a call's name.
		expr = strings.ReplaceAll(what, "()", `\(\)`)
	}
	if !p.Exact {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		p.Fault = fault(err)
		p.Find = func([]byte) (int, int) { return -1, -1 }
		return p
	}
	need, limits := analyse(expr)
	p.Limits, p.Needs = limits, need
	quick := newAutomaton(expr)
	p.Find = func(text []byte) (int, int) {
		if !need.In(text) || quick != nil && !quick.match(text) {
			return -1, -1
		}
		return first(re, text)
	}
	return p
}

// first returns the first match of an expression; from is -1 if there is none.
func first(re *regexp.Regexp, text []byte) (from, to int) {
	if at := re.FindIndex(text); at != nil {
		return at[0], at[1]
	}
	return -1, -1
}

// faults explains what is wrong with an expression.
var faults = map[syntax.ErrorCode]string{
	syntax.ErrMissingParen:          `a ( is not closed; \( is the character`,
	syntax.ErrUnexpectedParen:       `a ) closes nothing; \) is the character`,
	syntax.ErrMissingBracket:        `a [ is not closed; \[ is the character`,
	syntax.ErrMissingRepeatArgument: `there is nothing to repeat before * + or ?; \* is the character`,
	syntax.ErrInvalidRepeatOp:       "one repetition follows another",
	syntax.ErrInvalidRepeatSize:     "a repetition {n,m} is too large or reversed",
	syntax.ErrInvalidCharRange:      "a range in [ ] is reversed",
	syntax.ErrInvalidCharClass:      "a class in [ ] is not known",
	syntax.ErrInvalidEscape:         `\ before a letter or digit that means nothing`,
	syntax.ErrTrailingBackslash:     `\ at the end; \\ is the character`,
	syntax.ErrInvalidPerlOp:         "(? begins something that is not supported, such as a look-ahead",
	syntax.ErrInvalidNamedCapture:   "the name of a group is not valid",
	syntax.ErrLarge:                 "it is too large",
	syntax.ErrNestingDepth:          "nested too deeply",
}

// fault explains in plain words what is wrong with an expression.
func fault(err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return cmp.Or(faults[e.Code], e.Code.String())
}

// Other returns the other way to read the text, or nil if there is none that could
// find anything else.
func (p *Pattern) Other() *Pattern {
	if p.Only != (Identity{}) || !strings.ContainsAny(p.Text, `\.+*?()|[]{}^$`) {
		return nil
	}
	if o := New(p.Text, !p.Expr); o.Fault == "" {
		return o
	}
	return nil
}

// Narrows reports whether everything that p matches also matches o, as after more was typed.
func (p *Pattern) Narrows(o *Pattern) bool {
	return !p.Expr && !o.Expr && strings.HasPrefix(p.Text, o.Text) && !strings.Contains(p.Text, `\`)
}

func (p *Pattern) Same(o *Pattern) bool {
	return p.Text == o.Text && p.Expr == o.Expr && p.Exact == o.Exact && p.Only == o.Only
}

// Name is the pattern as the user sees it, in about width cells.
func (p *Pattern) Name(width int, g *display.Glyphs) string {
	if p.title != "" {
		return g.CutMiddle(p.title, max(width, 40))
	}
	return Sign(p.Expr) + g.CutEnd(p.Text, width)
}

// Sign is shown before a text: a slash, and how the text is read.
func Sign(expr bool) string {
	if expr {
		return "regex /"
	}
	return "/"
}

// Reading tells how the text is read.
func (p *Pattern) Reading() string {
	if p.Expr {
		return "as a regular expression"
	}
	return "as text"
}

// verbatim matches text exactly, or as rows draw it; with fold, regardless of case.
func verbatim(what string, fold bool) *Pattern {
	p := literally(what, fold)
	drawn := undrawn(what)
	if drawn == what {
		return p
	}
	other := literally(drawn, fold)
	plain, drawnAs := p.Find, other.Find
	if p.Needs = append(p.Needs, other.Needs...); len(other.Needs) == 0 {
		p.Needs = nil
	}
	p.Find = func(text []byte) (int, int) {
		from, to := plain(text)
		if f, t := drawnAs(text); f >= 0 && (from < 0 || f < from) {
			return f, t
		}
		return from, to
	}
	return p
}

func literally(what string, fold bool) *Pattern {
	p := &Pattern{Text: what, Exact: !fold, Limits: lazy.LimitsOf(what), Needs: []literal.Text{literal.Exact(what)}}
	ascii := strings.IndexFunc(what, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	switch letters := strings.IndexFunc(what, unicode.IsLetter) >= 0; {
	case !fold || !letters || !utf8.ValidString(what): // no expression can match what is not valid
		want := []byte(what)
		p.Find = func(text []byte) (int, int) {
			at := bytes.Index(text, want)
			return at, at + len(want)
		}
	case ascii:
		folded := literal.Folded(what)
		p.Needs = []literal.Text{folded}
		p.Find = func(text []byte) (int, int) {
			at := folded.Index(text)
			return at, at + len(what)
		}
	default:
		expr := "(?i)" + regexp.QuoteMeta(what)
		re := regexp.MustCompile(expr)
		p.Needs, _ = analyse(expr)
		p.Find = func(text []byte) (int, int) { return first(re, text) }
	}
	return p
}

func (p *Pattern) Match(text []byte) bool {
	from, _ := p.Find(text)
	return from >= 0
}

// maxRanges bounds what is highlighted in one line.
const maxRanges = 200

// Ranges returns the ranges where a text matches, from the left, without overlaps.
func (p *Pattern) Ranges(text []byte) [][2]int {
	var list [][2]int
	for at := 0; at <= len(text) && len(list) < maxRanges; {
		from, to := p.Find(text[at:])
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

// drawnEscape matches the escapes that rows show for characters that cannot be drawn: see [display.Glyphs.NextCell].
var drawnEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\(?:[nrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`)
})

// undrawn returns a text as rows show it, with its escapes replaced by the characters
// that they denote.
func undrawn(text string) string {
	return drawnEscape().ReplaceAllStringFunc(text, func(escape string) string {
		switch escape[1] {
		case 'n':
			return "\n"
		case 'r':
			return "\r"
		case 't':
			return "\t"
		}
		n, err := strconv.ParseUint(escape[2:], 16, 32)
		switch {
		case err != nil, n >= ' ' && n < 0x7f, n > utf8.MaxRune:
			return escape // rows do not show this escape
		case escape[1] == 'x' && n >= utf8.RuneSelf:
			return string([]byte{byte(n)})
		}
		return string(rune(n))
	})
}

// Identity is a method, or a field, by its names. Searches for calls of the same method, and
// for accesses of the same field, compare it. The zero value is none.
type Identity struct {
	call        bool
	class, name string
}

func identityOf(c *format.Context, p *format.Point) Identity {
	var id Identity
	var class int32
	switch p.Class {
	case format.ClassCall:
		if d := c.Method(p.Ref); d != nil {
			id, class = Identity{call: true, name: d.Name}, d.ClassID
		}
	case format.ClassFieldRead, format.ClassFieldWrite:
		if d := c.Field(p.Ref); d != nil {
			id, class = Identity{name: d.Name}, d.ClassID
		}
	}
	if d := c.Class(class); d != nil && id != (Identity{}) {
		id.class = d.Name
	}
	return id
}

// Finds reports whether the pattern finds a point by its identity. A search calls it with the
// reader's context locked.
func (i Identity) Finds(c *format.Context, p *format.Point) bool { return identityOf(c, p) == i }

// Point returns the function that finds the points of a search, if they are not found by their text.
func (p *Pattern) Point() func(*format.Context, *format.Point) bool {
	if p.Only == (Identity{}) {
		return nil
	}
	return p.Only.Finds
}
