package ui

import (
	"bytes"
	"regexp/syntax"
	"unicode/utf8"
)

// required is a text that whatever matches an expression contains: looking for it
// is many times faster than matching. An empty text is in all.
type required struct {
	folded
	fold bool // in letters of any size; the text is ASCII in small ones then
}

// requiredBy returns the longest such text that is easy to tell.
func requiredBy(expr string) required {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return required{}
	}
	return requiredIn(tree)
}

func requiredIn(e *syntax.Regexp) (best required) {
	switch {
	case e.Op == syntax.OpLiteral:
		return requiredRunes(e.Rune, e.Flags&syntax.FoldCase != 0)
	case e.Op == syntax.OpCapture, e.Op == syntax.OpPlus, e.Op == syntax.OpRepeat && e.Min > 0:
		return requiredIn(e.Sub[0])
	case e.Op == syntax.OpConcat:
		for _, part := range e.Sub {
			if r := requiredIn(part); len(r.text) > len(best.text) {
				best = r
			}
		}
	}
	return best
}

// requiredRunes returns the longest run of runes that is safe to look for byte by
// byte.
func requiredRunes(runes []rune, fold bool) required {
	var best, run []byte
	for _, r := range runes {
		switch {
		case fold && (r >= utf8.RuneSelf || lower(byte(r)) == 'k' || lower(byte(r)) == 's'):
			// A letter beyond ASCII is this one in another size: the Kelvin sign,
			// the long s.
			run = nil
			continue
		case r == utf8.RuneError: // which bytes that are no character match too
			run = nil
			continue
		case fold:
			run = append(run, lower(byte(r)))
		default:
			run = utf8.AppendRune(run, r)
		}
		if len(run) > len(best) {
			best = bytes.Clone(run)
		}
	}
	return required{newFolded(best), fold}
}

// in reports whether a text has it.
func (r *required) in(text []byte) bool {
	if r.fold {
		return r.index(text) >= 0
	}
	return bytes.Contains(text, r.text)
}
