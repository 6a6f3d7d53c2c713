package tree

import (
	"time"

	"tracex/lazy"
	"tracex/ui/internal/pattern"
)

// While a pattern is typed, ToMatch looks at this many open rows, and for this long.
const (
	incremental    = 20_000
	incrementalFor = 5 * time.Millisecond
)

// ToMatch goes to the first match at or after a row, among the rows that are expanded and
// loaded, and reports whether there is one.
func (p *Part) ToMatch(what *pattern.Pattern, from lazy.Row) bool {
	until := time.Now().Add(incrementalFor)
	t, r, ok := p.Out.Tree, from, true
	for i := 0; ok && i < incremental; i++ {
		if r.Node != nil {
			if named := p.Out.Named(r.Node); named.Match(what.Find, what.Limits) {
				p.Out.Jump(r)
				return true
			}
		}
		if i%64 == 63 && time.Now().After(until) {
			break
		}
		r, ok = t.Next(r)
	}
	return false
}
