package query

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
)

// Complete returns what can be typed at the end of a filter: the candidates replace text[from:].
func Complete(r *lazy.LazyTraceReader, text string) (from int, candidates []filter.Candidate) {
	a := about(r)
	r.WithContext(func(c *format.Context) {
		a.Context = c
		from, _, candidates = filter.Complete(text, len(text), *a)
	})
	return from, candidates
}

// Suggest returns terms that match a node: calls of the same method, on the same object, with the
// same result, at least as long.
func Suggest(r *lazy.LazyTraceReader, n *lazy.Node) (terms []filter.Candidate) {
	p := n.Point()
	if p == nil {
		return nil
	}
	x := filter.Facts{Point: p, Thread: n.Thread(), Unfinished: n.State() == lazy.StateUnfinished}
	if p.Class.Container() && n.State() != lazy.StatePending {
		x.Footer = n.Footer()
	}
	if up := n.Parent(); !up.IsThread() {
		x.Parent = format.ParentOf(up.Point())
	}
	if t, ok := n.Time(); ok {
		x.At, x.Duration = t.Start, t.Duration
		x.Known |= filter.KnownAt | filter.KnownDuration
	}
	r.WithContext(func(c *format.Context) { terms = filter.Suggest(c, &x) })
	return terms
}

// FoundIn returns a Find that has found the places of a set, whatever made it. The title of its
// table names them: one "call", several "calls", of "f", which may be "".
func FoundIn(r *lazy.LazyTraceReader, set *places.Set, raw bool, one, several, of string) *Find {
	return &Find{Set: set, r: r, pass: lazy.Pass{Raw: raw}, one: one, several: several, of: of}
}
