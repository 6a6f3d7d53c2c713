package uftrace

import (
	"regexp"
	"strings"
)

// patternLetters make a name a pattern.
const patternLetters = `.?*+-^$|()[]{}`

// pattern matches names of functions.
type pattern struct {
	name string         // if it is a name
	of   *regexp.Regexp // nil for a name
}

// newPattern makes a pattern of the kind that the recording used. One that is none matches the name
// that it is.
func newPattern(text string, machine *info) pattern {
	p := pattern{name: text}
	switch {
	case machine.simple || !strings.ContainsAny(text, patternLetters):
	case machine.glob:
		p.of, _ = regexp.Compile(fromGlob(text))
	case strings.HasPrefix(text, "operator "): // operator new[]
	default:
		p.of, _ = regexp.Compile(text)
	}
	return p
}

func (p *pattern) matches(name string) bool {
	if p.of == nil {
		return p.name == name
	}
	return p.of.MatchString(name)
}

// fromGlob translates a shell's pattern to a regular expression.
func fromGlob(glob string) string {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; c {
		case '*':
			b.WriteString(`.*`)
		case '?':
			b.WriteByte('.')
		case '\\':
			if i++; i < len(glob) {
				b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
			}
		case '[':
			set, size := bracket(glob[i:])
			b.WriteString(set)
			i += size - 1
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
	}
	b.WriteByte('$')
	return b.String()
}

// bracket translates the set of letters that a text begins with, and returns its size. One that is not
// closed is a letter.
func bracket(text string) (set string, size int) {
	from := 1
	if strings.HasPrefix(text[from:], "!") {
		from++
	}
	rest := text[min(from+1, len(text)):] // a bracket that closes at once is an element
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return `\[`, 1
	}
	letters := strings.ReplaceAll(text[from:from+1+end], `\`, `\\`)
	if from > 1 {
		letters = "^" + letters
	}
	return "[" + letters + "]", from + 1 + end + 1
}
