package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/places"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/search"
)

// walked are places that n and N go to in place of hits: those of a table, until there is a search.
type walked struct {
	set    *places.Set
	what   string // "call of Gson.toJson"
	folded bool   // the view that they are of
}

// step goes to the n-th place from the cursor, and around the ends.
func (s *searching) step(dir, n int) tea.Cmd {
	w := s.walk
	from, ok := s.tree.Out.Here()
	count, beyond := w.set.Count()
	switch {
	case !ok || count == 0:
		return nil
	case w.folded != s.tree.Out.Tree.Folded():
		s.walk = nil
		s.env.Say("these calls are of the other view, folded or raw: open the table again")
		return nil
	}
	i := w.set.Index(from)
	if at, ok := w.set.Place(i); dir > 0 && (!ok || at != from) {
		i-- // the next one is at i
	}
	i = ((i+dir*max(1, n))%count + count) % count
	at, _ := w.set.Place(i)
	text := w.what + " " + display.Grouped(int64(i)+1) + " of " + display.Grouped(int64(count))
	if _, done := w.set.Frontier(); !done && beyond == 0 {
		text += " found so far"
	}
	if beyond > 0 {
		text += " that are listed"
	}
	s.env.Say(text)
	s.tree.Visit()
	return s.jobs.Show(at)
}

// Begin begins a search: n and N go to its hits.
func (s *searching) Begin(what *pattern.Pattern, from lazy.Position, here bool, f search.Facts) search.Outcome {
	s.walk = nil
	return s.Part.Begin(what, from, here, f)
}

// Same begins a search for what is like a row.
func (s *searching) Same(what *pattern.Pattern, from lazy.Position, dir int, f search.Facts) search.Outcome {
	s.walk = nil
	return s.Part.Same(what, from, dir, f)
}

// End ends what n and N go to, and reports whether there was anything.
func (s *searching) End() bool {
	if s.walk != nil {
		s.walk = nil
		return true
	}
	return s.Part.End()
}
