package fit

import (
	"cmp"
	"slices"
)

// LeftOut is what is not in a trace, or was changed.
type LeftOut struct {
	What  string // for as many as Count: packet or packets
	Count int64
	First int64 // where the first is in the input; -1 if unknown
}

// Reason is what is left out, for one and for several.
type Reason struct{ One, Several string }

// Why returns the Reason with these texts.
func Why(one, several string) Reason { return Reason{one, several} }

// Of returns the text for a number of them.
func (r Reason) Of(n int64) string {
	if n == 1 {
		return r.One
	}
	return r.Several
}

// Tally counts what is left out. The zero Tally is empty.
type Tally struct{ counts map[Reason]*counted }

type counted struct{ n, first int64 }

// Count counts n more. at is where the first of them is in the input; -1 if unknown.
func (t *Tally) Count(why Reason, n, at int64) {
	if n <= 0 {
		return
	}
	c := t.counts[why]
	if c == nil {
		if t.counts == nil {
			t.counts = make(map[Reason]*counted)
		}
		c = &counted{first: at}
		t.counts[why] = c
	}
	c.n += n
}

// Counted returns how many were counted.
func (t *Tally) Counted(why Reason) int64 {
	if c := t.counts[why]; c != nil {
		return c.n
	}
	return 0
}

// Kinds returns how many reasons there are.
func (t *Tally) Kinds() int { return len(t.counts) }

// Add adds the counts of a later tally.
func (t *Tally) Add(later *Tally) {
	for why, c := range later.counts {
		t.Count(why, c.n, c.first)
	}
}

// List returns all counts, the largest first.
func (t *Tally) List() (all []LeftOut) {
	for why, c := range t.counts {
		all = append(all, LeftOut{why.Of(c.n), c.n, c.first})
	}
	slices.SortFunc(all, func(a, b LeftOut) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What))
	})
	return all
}
