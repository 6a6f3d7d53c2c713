package search

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/ui/internal/env"
	"tracex/ui/internal/tree"
)

// Result is a set of places, whatever found them. Keys walk through the current one, or list it.
type Result struct {
	One, Several string // what the places are: "match", "matches"
	Of           string // of what: a filter, the name of a method; may be ""
	Raw          bool   // places of the raw view
	Set          *places.Set
	By           interface{ Running() bool } // what looks for the places; nil if nothing does
	Lost         func() []filter.Lost        // what a filter asks for that no call has; nil if it is no filter
}

// lost tells what no call has, after how many places there are; "" for nothing.
func (r *Result) lost() string {
	if r.Lost != nil {
		for _, l := range r.Lost() {
			return ": " + l.Hint()
		}
	}
	return ""
}

// Running reports whether more places are being looked for.
func (r *Result) Running() bool { return r.By != nil && r.By.Running() }

// stopped reports whether the search for the places was stopped before it had found all.
func (r *Result) stopped() bool {
	_, done := r.Set.Frontier()
	_, beyond := r.Set.Count()
	return !done && beyond == 0 && !r.Running()
}

// Results walks through the current result. A search has hits of its own.
type Results struct {
	env    *env.Env
	tree   *tree.Tree
	search *Search
	filter *Filter

	cur  *Result // nil: of the search, or of the filter
	want *step   // the place that the user waits for; nil if none
}

// step is a place of a result to go to.
type step struct {
	*wanted
	of   *Result // nil for the hits that the tree shows
	calm bool    // the user has not asked for a place: say nothing
}

// Use makes a result the current one.
func (r *Results) Use(what *Result) { r.cur, r.want = what, nil }

// searched makes the hits of the search the current result. If the tree does not show all, it goes to the first of those
// that it shows once it is known which these are.
func (r *Results) searched(w *wanted) {
	r.Use(nil)
	if r.search.hides() {
		r.want = &step{wanted: w, calm: true}
	}
}

// Now returns the current result; nil if it is that of the search, and the tree shows all of it.
func (r *Results) Now() *Result {
	switch {
	case r.cur != nil && r.cur.Raw == !r.tree.Out.Tree.Folded():
		return r.cur
	case r.search.Begun():
		return r.search.shown.result
	case r.filter.Cur != nil:
		return r.filter.Cur.result
	}
	return nil
}

func (r *Results) Filtered(of *Result) bool { return r.filter.Cur != nil && of == r.filter.Cur.result }

func (r *Results) Some() bool { return r.search.Some() || r.Now() != nil }

// Hit goes to the n-th place from the cursor.
func (r *Results) Hit(dir, n int) tea.Cmd {
	of := r.Now()
	if of == nil {
		return r.search.hit(dir, n)
	}
	from, ok := r.tree.Jobs.HereToward(dir)
	if !ok {
		return nil
	}
	r.tree.Visit()
	if of == r.search.shown.result && r.search.cur.useOther() { // which of these are shown is not known yet
		r.searched(&wanted{from: from, dir: dir, count: 1})
		return nil
	}
	return r.walk(&step{wanted: &wanted{from: from, dir: dir, count: max(1, n)}, of: of})
}

// walk goes to a place, once it is known.
func (r *Results) walk(s *step) tea.Cmd {
	r.want = nil
	set := s.of.Set
	kept, beyond := set.Count()
	from := s.from
	if s.dir > 0 && !s.here {
		from.At++
	}
	i := set.Index(from)
	known := set.Known(from.Thread) > from.At
	switch {
	case s.dir > 0:
		i += s.count - 1
		known = i < kept
	default:
		i -= s.count
		known = known && i >= 0
	}
	switch {
	case known:
	case s.of.Running():
		if r.want = s; !s.calm {
			r.env.Say("still looking for " + s.of.Several + "; Esc stops")
		}
		return nil
	case kept == 0 && s.of == r.search.shown.result:
		return r.env.Say("no hit is shown: the filter or a step hides all")
	case kept == 0:
		return r.env.Say("no " + s.of.Several + s.of.lost())
	case beyond > 0 && s.dir > 0 && !s.calm:
		return r.env.Say("only " + display.Grouped(int64(kept)) + " " + s.of.Several + " are listed: narrow it down")
	default:
		if !s.calm {
			text := map[int]string{1: "wrapped to the top", -1: "wrapped to the bottom"}[s.dir]
			if s.of.stopped() {
				text += " of those found: it was stopped before all " + s.of.Several + " were"
			}
			r.env.Say(text)
		}
		i = (i%kept + kept) % kept
	}
	at, ok := set.Place(i)
	if !ok {
		return nil
	}
	return r.tree.Jobs.Show(at)
}

// Settle goes on to the place that the user waits for.
func (r *Results) Settle() tea.Cmd {
	s := r.want
	if s == nil {
		return nil
	}
	if s.of == nil {
		s.of = r.search.shown.result
	}
	if s.of == nil || s.of != r.Now() {
		r.want = nil
		return nil
	}
	return r.walk(s)
}

// Text tells where the cursor is in the current result; "" if there is none.
func (r *Results) Text() string {
	of := r.Now()
	if of == nil {
		return ""
	}
	kept, beyond := of.Set.Count()
	total := display.Grouped(int64(kept) + beyond)
	if of.stopped() {
		total = r.env.Glyphs.AtLeast + total
	}
	for _, dir := range []int{-1, 1} { // a row may stand for two places
		at, ok := r.tree.Jobs.HereToward(dir)
		if !ok || at.At < 0 {
			continue
		}
		if _, is := of.Set.First(at.Thread, at.At, at.At+1); is {
			return of.One + " " + display.Grouped(int64(of.Set.Index(at))+1) + " of " + total
		}
	}
	if kept == 1 {
		return total + " " + of.One
	}
	return total + " " + of.Several
}
