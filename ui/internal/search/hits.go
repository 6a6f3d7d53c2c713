package search

import (
	"context"
	"slices"
	"unsafe"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/pattern"
	"tracex/lazy/query/places"
	"tracex/ui/internal/env"
)

// Hits are hits by thread and position. A search delivers them in its own order: from its origin
// to the end, then from the beginning to its origin. So there are two runs, which only ever
// grow at their ends: a slice of one stays valid.
type Hits struct {
	origin        lazy.Position
	before, after []lazy.Hit // of the origin
}

var compare = query.ComparePlaces

func (h *Hits) Len() int { return len(h.before) + len(h.after) }

func (h *Hits) At(i int) lazy.Hit {
	if i < len(h.before) {
		return h.before[i]
	}
	return h.after[i-len(h.before)]
}

// Find returns the index of the hit at a position, or where it would be.
func (h *Hits) Find(p lazy.Position) (i int, exact bool) {
	run, first := h.before, 0
	if compare(p, h.origin) >= 0 {
		run, first = h.after, len(h.before)
	}
	i, exact = slices.BinarySearchFunc(run, p, func(h lazy.Hit, p lazy.Position) int { return compare(h.Position, p) })
	return first + i, exact
}

// found returns the i-th in the order of the search.
func (h *Hits) found(i int) lazy.Hit {
	if i < len(h.after) {
		return h.after[i]
	}
	return h.before[i-len(h.after)]
}

// add adds hits, in the order of the search. Earlier hits from index first on have moved up
// by as many as by.
func (h *Hits) add(hits []lazy.Hit) (first, by int) {
	n := 0
	for n < len(hits) && compare(hits[n].Position, h.origin) >= 0 {
		n++
	}
	h.after = append(h.after, hits[:n]...)
	first = len(h.before)
	h.before = append(h.before, hits[n:]...)
	return first, len(hits) - n
}

// bytes returns the memory that the hits take.
func (h *Hits) bytes() int64 {
	return int64(cap(h.before)+cap(h.after)) * int64(unsafe.Sizeof(lazy.Hit{}))
}

// shownHits are the hits of the search that the tree shows, if steps or a filter hide some: n and N go from one to
// the next of these.
type shownHits struct {
	result *Result // nil if the tree hides nothing
	of     hitsOf
	found  bool
	task   env.Task
}

// hitsOf is what the hits were found for.
type hitsOf struct {
	pattern *pattern.Pattern
	count   int
	raw     bool
	steps   string
	matches *places.Set
}

// Running reports whether it is not known yet which hits are shown.
func (h *shownHits) Running() bool { return !h.found }

// forget forgets what was found, and stops what is being looked for.
func (h *shownHits) forget() {
	h.task.Stop()
	h.of, h.found = hitsOf{}, false
	if h.result != nil {
		h.result.Set = places.New()
	}
}

// hides reports whether steps or a filter are in force, so that the tree may not show all hits.
func (s *Search) hides() bool {
	return len(query.TreeSteps(s.tree.Steps.List)) > 0 || s.filter.Cur != nil
}

// Settle finds the hits that the tree shows, once all hits are known.
func (s *Search) Settle() tea.Cmd {
	h := &s.shown
	if !s.Begun() || !s.hides() {
		h.forget()
		h.result = nil
		return nil
	}
	if h.result == nil {
		h.result = &Result{One: "hit", Several: "hits shown", By: h, Set: places.New()}
	}
	h.result.Raw, h.result.Of = !s.tree.Out.Tree.Folded(), s.cur.p.Name(40, s.env.Glyphs.Glyphs)
	if s.Running() || s.filter.Cur.Running() || s.tree.Steps.Pending() {
		h.forget()
		return nil
	}
	of := hitsOf{pattern: s.cur.p, count: s.cur.hits.Len(), raw: h.result.Raw, steps: query.TreeSteps(s.tree.Steps.List).Text(s.env.Glyphs.Glyphs)}
	if run := s.filter.Cur; run != nil {
		of.matches = run.Set()
	}
	if of == h.of {
		return nil
	}
	h.forget()
	return s.findShown(of)
}

// findShown begins to look for the hits that the tree shows.
func (s *Search) findShown(of hitsOf) tea.Cmd {
	h := &s.shown
	h.of = of
	r, steps, hits, list := s.env.Trace.Reader, query.TreeSteps(s.tree.Steps.List), s.Hits(), make([]lazy.Position, s.Hits().Len())
	for i := range list {
		list[i] = hits.At(i).Position
	}
	return h.task.Run(s.env, func(ctx context.Context) func() tea.Cmd {
		scope := query.Scope{Raw: of.raw}
		var shown *places.Set
		err := scope.Edit(ctx, r, steps)
		if err == nil {
			shown, err = query.ShownOf(ctx, r, scope, query.PlacesOf(list), of.matches)
		}
		return env.Done(func() {
			if err != nil {
				s.env.Fail("which hits are shown is not known", err)
				shown = query.PlacesOf(nil)
			}
			h.found, h.result.Set = true, shown
		})
	})
}
