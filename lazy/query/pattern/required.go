package pattern

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/lazy"
	"tracex/lazy/literal"
)

// Facts about an expression that are known without matching it.

// required is a set of texts: every match of an expression contains at least one. Searching for
// them is many times faster than matching. If empty, nothing is known.
type required []literal.Text

// maxRequired bounds their number: searching for very many is no longer fast.
const maxRequired = 8

// analyse returns what an expression requires, and what none of its matches has.
func analyse(expr string) (need required, limits lazy.Limits) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, lazy.Limits{}
	}
	return requiredIn(tree), lazy.Limits{NoParen: !reaches(tree, '('), NoDot: !reaches(tree, '.') && !reaches(tree, ':'), OneDot: dots(tree) < 2}
}

// limitsOf returns what a text does not have.
func limitsOf(text string) lazy.Limits {
	name, _, paren := strings.Cut(text, "(")
	return lazy.Limits{NoParen: !paren, NoDot: !strings.ContainsAny(text, ".:"), OneDot: strings.Count(name, ".") < 2}
}

// dots counts the dots that an expression spells. An expression for the package, class and
// method of a call has at least two.
func dots(e *syntax.Regexp) (n int) {
	if e.Op == syntax.OpLiteral {
		for _, r := range e.Rune {
			if r == '.' {
				n++
			}
		}
	}
	for _, part := range e.Sub {
		n += dots(part)
	}
	return n
}

func requiredIn(e *syntax.Regexp) (best required) {
	switch {
	case e.Op == syntax.OpLiteral:
		return requiredRunes(e.Rune, e.Flags&syntax.FoldCase != 0)
	case e.Op == syntax.OpCapture, e.Op == syntax.OpPlus, e.Op == syntax.OpRepeat && e.Min > 0:
		return requiredIn(e.Sub[0])
	case e.Op == syntax.OpConcat:
		for _, part := range e.Sub {
			if r := requiredIn(part); r.weight() > best.weight() {
				best = r
			}
		}
	case e.Op == syntax.OpAlternate:
		for _, part := range e.Sub {
			r := requiredIn(part)
			if best = append(best, r...); len(r) == 0 || len(best) > maxRequired {
				return nil
			}
		}
	}
	return best
}

// weight tells how useful the texts are: the length of the shortest.
func (r required) weight() int {
	if len(r) == 0 {
		return 0
	}
	least := r[0].Len()
	for i := range r {
		least = min(least, r[i].Len())
	}
	return least
}

// requiredRunes returns the longest run of runes that can safely be searched byte by byte.
func requiredRunes(runes []rune, fold bool) required {
	var best, run []byte
	for _, r := range runes {
		switch {
		case fold && (r >= utf8.RuneSelf || unicode.ToLower(r) == 'k' || unicode.ToLower(r) == 's'):
			// A character beyond ASCII is this letter in the other case: the Kelvin sign, the long s.
			run = nil
			continue
		case r == utf8.RuneError: // invalid bytes match it too
			run = nil
			continue
		case fold:
			run = append(run, byte(unicode.ToLower(r)))
		default:
			run = utf8.AppendRune(run, r)
		}
		if len(run) > len(best) {
			best = bytes.Clone(run)
		}
	}
	if best == nil {
		return nil
	}
	if fold {
		return required{literal.Folded(string(best))}
	}
	return required{literal.Exact(string(best))}
}

// in reports whether a text contains one of them, or nothing is known.
func (r required) in(text []byte) bool {
	for i := range r {
		if r[i].In(text) {
			return true
		}
	}
	return len(r) == 0
}

// reaches reports whether a match may contain c, which is an ASCII character but no letter.
func reaches(e *syntax.Regexp, c rune) bool {
	switch e.Op {
	case syntax.OpLiteral:
		return slices.Contains(e.Rune, c)
	case syntax.OpCharClass:
		for i := 0; i+1 < len(e.Rune); i += 2 {
			if e.Rune[i] <= c && c <= e.Rune[i+1] {
				return true
			}
		}
		return false
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	}
	return slices.ContainsFunc(e.Sub, func(part *syntax.Regexp) bool { return reaches(part, c) })
}
