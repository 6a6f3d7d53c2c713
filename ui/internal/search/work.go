package search

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/keys"
)

// begin starts a search that replaces the one before. w is the hit to go to as soon as it is
// known. The search begins at w's origin, or, if w goes backward, at the beginning of its thread.
func (s *Search) begin(what *pattern.Pattern, w *wanted) tea.Cmd {
	s.End()
	from := w.from
	if w.dir < 0 {
		from.At = -1 // hits before w.from are known once the search has reached it
	}
	run := newRun(s.env, what, from)
	run.begun, run.want, run.work.Since = true, w, s.env.Clock.Now()
	if s.hides() {
		run.want = nil // results goes from hit to hit
	}
	s.cur, s.before = run, nil
	search := lazy.Search{
		Folded: s.tree.Out.Tree.Folded(), Verbose: s.tree.Out.Wide, From: run.hits.origin,
		Find: what.Find, Point: what.Point(), Limits: what.Limits, Needs: what.Needs, Every: s.Every,
	}
	if run.other != nil {
		search.Else, search.ElseLimits, search.ElseNeeds = run.other.Find, run.other.Limits, run.other.Needs
	}
	r := s.env.Trace.Reader
	return run.task.Feed(s.env, func(ctx context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		err := r.Wait(ctx)
		if err == nil {
			err = r.Search(ctx, search, func(f lazy.Found) { send(func() tea.Cmd { return s.take(run, f) }) })
		}
		return func() tea.Cmd { return s.ended(run, err) }
	})
}

// take takes hits of a search, and its progress.
func (s *Search) take(run *run, f lazy.Found) tea.Cmd {
	f.Hits = f.Hits[:min(len(f.Hits), s.Most-run.hits.Len())]
	first, by := run.take(f, s.Most)
	if l := s.list; l != nil && l.run == run && l.filter == nil {
		l.Moved(first, by)
	}
	cmd := s.arrive(run) // before the limit stops it: the first hits may come with the last ones
	if run.hits.Len() >= s.Most {
		s.stop(run, context.Canceled)
		run.full, run.want = true, nil
		s.env.Say("stopped at the limit of " + display.Plural(int64(s.Most), "hit") + ", " + run.percent() +
			" searched; " + keys.ActionKey("next-hit", s.env.Glyphs) + " at the last one continues the search")
	}
	return cmd
}

func (s *Search) ended(run *run, err error) tea.Cmd {
	s.stop(run, err)
	s.env.Fail("the search ended early", err)
	return s.arrive(run)
}

// stop ends a search; err is why that is early, nil if it is not.
func (s *Search) stop(run *run, err error) {
	run.task.Stop()
	run.ended, run.err = true, err
}

// arrive goes to the hit that the user waits for, if it is known.
func (s *Search) arrive(run *run) tea.Cmd {
	if run.want == nil {
		return nil
	}
	i, wrapped, ok := run.pick(run.want)
	if !ok {
		if run.ended {
			run.want = nil
			s.env.Say(run.nothing(s.tree.Out.Tree.Folded()))
		}
		return nil
	}
	if wrapped {
		s.env.Say(map[int]string{1: "search wrapped to the top", -1: "search wrapped to the bottom"}[run.want.dir])
	}
	run.want, run.shown = nil, i+1
	return s.tree.Jobs.Show(run.hits.At(i).Position)
}

// continueTo goes to a hit of the current search. If the hit is beyond the part searched, and the
// search was stopped or the trace has grown, the search begins again from w: everything is
// searched, as only that keeps the hits in order.
func (s *Search) continueTo(w *wanted) tea.Cmd {
	run := s.cur
	run.useOther()
	if _, wrapped, ok := run.pick(w); wrapped || !ok {
		switch {
		case run.outgrown() || run.partly() && w.dir > 0:
			return s.begin(run.p, w)
		case run.partly():
			return s.env.Say("earlier events were not searched: the search stopped at " + run.percent())
		}
	}
	run.want = w
	return s.arrive(run)
}
