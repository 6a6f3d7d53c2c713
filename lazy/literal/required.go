package literal

import (
	"bytes"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// Required is a set of texts: every match of a regular expression contains at least one. Searching for
// them is many times faster than matching. If empty, nothing is known.
type Required []Text

// maxRequired bounds their number: searching for very many is no longer fast.
const maxRequired = 8

// RequiredBy returns what an expression requires.
func RequiredBy(e *syntax.Regexp) (best Required) {
	switch {
	case e.Op == syntax.OpLiteral:
		return requiredRunes(e.Rune, e.Flags&syntax.FoldCase != 0)
	case e.Op == syntax.OpCapture, e.Op == syntax.OpPlus, e.Op == syntax.OpRepeat && e.Min > 0:
		return RequiredBy(e.Sub[0])
	case e.Op == syntax.OpConcat:
		for _, part := range e.Sub {
			if r := RequiredBy(part); r.weight() > best.weight() {
				best = r
			}
		}
	case e.Op == syntax.OpAlternate:
		for _, part := range e.Sub {
			r := RequiredBy(part)
			if best = append(best, r...); len(r) == 0 || len(best) > maxRequired {
				return nil
			}
		}
	}
	return best
}

// weight tells how useful the texts are: the length of the shortest.
func (r Required) weight() int {
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
func requiredRunes(runes []rune, fold bool) Required {
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
		return Required{Folded(string(best))}
	}
	return Required{Exact(string(best))}
}

// In reports whether a text contains one of them, or nothing is known.
func (r Required) In(text []byte) bool {
	for i := range r {
		if r[i].In(text) {
			return true
		}
	}
	return len(r) == 0
}
