package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/lazy/query/places"
	"tracex/ui/internal/pattern"
)

// shownHits are the hits of the search that the tree shows, if steps or a filter hide some: n and N go from one to
// the next of these.
type shownHits struct {
	*searching
	filter *filtering
	steps  *stepping

	of   hitsOf
	hits *result     // nil if the tree hides nothing
	set  *places.Set // nil while it is being found
	stop context.CancelFunc
}

// hitsOf is what the set was found for.
type hitsOf struct {
	pattern *pattern.Pattern
	count   int
	raw     bool
	steps   string
	matches *places.Set
}

// hides reports whether steps or a filter are in force.
func (s *shownHits) hides() bool {
	return len(query.TreeSteps(s.steps.list)) > 0 || s.filter.Cur() != nil
}

// shown returns how many hits are shown; known is false while that is being found.
func (s *shownHits) shown() (n int, known bool) {
	if s.set == nil {
		return 0, false
	}
	n, _ = s.set.Count()
	return n, true
}

// settle finds the hits that the tree shows, once all hits are known.
func (s *shownHits) settle() tea.Cmd {
	if !s.Begun() || !s.hides() {
		s.end()
		s.hits = nil
		return nil
	}
	if s.hits == nil {
		s.hits = &result{
			one: "hit", several: "hits shown", raw: !s.tree.Out.Tree.Folded(), running: func() bool { return s.set == nil },
			set: func() *places.Set {
				if s.set == nil {
					return places.New()
				}
				return s.set
			},
		}
	}
	if s.Running() || s.filter.Cur().Running() || s.steps.pending() {
		s.end()
		return nil
	}
	now := hitsOf{pattern: s.Pattern(), count: s.Hits().Len(), raw: !s.tree.Out.Tree.Folded(), steps: query.TreeSteps(s.steps.list).Text(s.env.Glyphs)}
	if run := s.filter.Cur(); run != nil {
		now.matches = run.Set()
	}
	if now == s.of {
		return nil
	}
	s.end()
	return s.find(now)
}

// end forgets what was found, and stops what is being looked for.
func (s *shownHits) end() {
	if s.stop != nil {
		s.stop()
	}
	s.of, s.set, s.stop = hitsOf{}, nil, nil
}

// find begins to look.
func (s *shownHits) find(of hitsOf) tea.Cmd {
	s.of = of
	ctx, cancel := context.WithCancel(s.env.Life)
	s.stop = cancel
	r, steps, hits := s.trace.Reader, query.TreeSteps(s.steps.list), s.Hits()
	set := places.New()
	for i := range hits.Len() {
		at := hits.At(i)
		set.Add(at.Thread, at.At)
	}
	set.Finish()
	msg, cmd := s.env.Soon(func() tea.Msg {
		defer cancel()
		scope := query.Scope{Raw: of.raw}
		if err := scope.Edit(ctx, r, steps); err != nil {
			return hitsShownMsg{of, nil, err}
		}
		shown, err := query.ShownOf(ctx, r, scope, set, of.matches)
		return hitsShownMsg{of, shown, err}
	})
	if msg != nil {
		s.update(msg.(hitsShownMsg))
	}
	return cmd
}

// hitsShownMsg is what was found.
type hitsShownMsg struct {
	of  hitsOf
	set *places.Set
	err error
}

func (s *shownHits) update(m hitsShownMsg) {
	switch {
	case m.of != s.of:
	case errors.Is(m.err, context.Canceled):
	case m.err != nil:
		s.env.Fail("which hits are shown is not known", m.err)
		s.set = places.New()
		s.set.Finish()
	default:
		s.set = m.set
	}
}
