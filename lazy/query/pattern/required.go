package pattern

import (
	"regexp/syntax"
	"slices"
	"strings"

	"tracex/lazy"
	"tracex/lazy/literal"
)

// Facts about an expression that are known without matching it.

// analyse returns what an expression requires, and what none of its matches has.
func analyse(expr string) (need literal.Required, limits lazy.Limits) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, lazy.Limits{}
	}
	return literal.RequiredBy(tree), lazy.Limits{NoParen: !reaches(tree, '('), NoDot: !reaches(tree, '.') && !reaches(tree, ':'), OneDot: spelled(tree, ".") < 2 && spelled(tree, "$/") == 0, NoEquals: !reaches(tree, '=')}
}

// spelled counts the characters of a set that an expression spells. One for the package, class and
// method of a call has at least two dots.
func spelled(e *syntax.Regexp, set string) (n int) {
	if e.Op == syntax.OpLiteral {
		for _, r := range e.Rune {
			if strings.ContainsRune(set, r) {
				n++
			}
		}
	}
	for _, part := range e.Sub {
		n += spelled(part, set)
	}
	return n
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
