package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/front"
	"tracex/ui/internal/job"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/search"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// searching is the search, with its keys.
type searching struct {
	*search.Part
	env   *env.Env
	trace *tracestate.State
	tree  *tree.Part
	jobs  *job.Part
	front *front.Front
	shown *shownHits
	await func(from lazy.Position, dir int, here bool) // see results
	began func()                                       // is called when a search begins, in place of what was walked through before

	last    prompt.Text // the last search, also that of the last session
	earlier prompt.Text // the search of the last session, until there is one in this
}

// facts returns what the search needs to know about the explorer.
func (s *searching) facts() search.Facts {
	n, known := s.shown.shown()
	if !known {
		n = -1
	}
	return search.Facts{
		Part: s.shown.hides(), Shown: n,
		Folded: s.tree.Out.Tree.Folded(), Verbose: s.tree.Out.Wide, Threads: s.trace.Size.Threads, Recorded: s.trace.Recorded,
		Width: s.env.Width, Spinner: s.env.Spinner(), Glyphs: s.env.Glyphs,
	}
}

// found does what a search asks for.
func (s *searching) found(o search.Outcome) tea.Cmd {
	switch {
	case o.Alarm:
		s.env.Warn(o.Message)
	case o.Message != "":
		s.env.Say(o.Message)
	}
	if !o.Goes {
		return o.Cmd
	}
	return tea.Batch(o.Cmd, s.jobs.Show(o.Position))
}

// hitsShown reports whether the list of hits is in front.
func hitsShown(f *front.Front) bool {
	_, shown := f.List().(*search.HitList)
	return shown
}

// askPattern asks for a pattern. While it is typed, matches on the screen are highlighted and
// the cursor goes to the first one; enter searches the rest in the background.
func (s *searching) askPattern(int) tea.Cmd {
	o := s.tree.Out
	origin, line, skip := o.Cursor, o.Line, o.Skip
	s.Ask()
	home := func() { o.Cursor, o.Line, o.Skip = origin, line, skip }
	return s.front.Ask(&front.Question{
		Prompt: s.front.Typed.OpenPattern("/", "find in all threads"),
		Typed: func(t prompt.Text) {
			p := pattern.New(t.Text, t.Expr)
			s.Preview(p)
			s.env.Say("")
			if p.Fault != "" {
				s.env.Say("not complete: " + p.Fault)
			}
			home()
			if t.Text != "" {
				s.tree.ToMatch(p, origin)
			}
		},
		Refuse: func(t prompt.Text) string { return pattern.New(t.Text, t.Expr).Fault },
		Cancel: func() {
			home()
			s.GiveUp()
		},
		Submit: func(t prompt.Text) tea.Cmd {
			s.GiveUp()
			if t.Text == "" {
				return s.hit(1, 1)
			}
			home()
			return s.searchFor(t)
		},
	})
}

// searchFor searches from the cursor on.
func (s *searching) searchFor(t prompt.Text) tea.Cmd {
	origin := s.tree.Out.Cursor
	from, _ := s.tree.Out.Here()
	s.tree.Visit()
	s.last, s.earlier = t, prompt.Text{}
	s.began()
	p := pattern.New(t.Text, t.Expr)
	s.tree.ToMatch(p, origin)
	if s.shown.hides() {
		s.await(from, 1, true)
	}
	return s.found(s.Begin(p, from, true, s.facts()))
}

// same searches for a pattern from a position, or goes on to its next hit.
func (s *searching) same(p *pattern.Pattern, from lazy.Position, dir int) tea.Cmd {
	s.began()
	if s.shown.hides() {
		s.await(from, dir, false)
	}
	return s.found(s.Same(p, from, dir, s.facts()))
}

// hit goes to the n-th hit from the cursor.
func (s *searching) hit(dir, n int) tea.Cmd {
	from, ok := s.jobs.HereToward(dir)
	switch last := s.earlier; {
	case !s.Begun() && ok && dir > 0 && last.Text != "":
		return s.searchFor(last)
	case !s.Begun():
		s.env.Say(search.NoSearch(s.env.Glyphs))
		return nil
	case !ok:
		return nil
	}
	s.tree.Visit()
	return s.found(s.Next(from, dir, max(1, n), s.facts()))
}

// sameName searches for calls of the method under the cursor, or accesses of
// the same field or variable.
func (s *searching) sameName(dir int) tea.Cmd {
	n := s.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil {
		s.env.Say("no call under the cursor")
		return nil
	}
	p := s.LikeThis(n)
	if p == nil {
		s.env.Say("this row has no name to search for")
		return nil
	}
	s.tree.Visit()
	return s.same(p, n.Position(), dir)
}

// showList shows the hits to choose from.
func (s *searching) showList(int) tea.Cmd {
	h, out := s.OpenList(s.facts())
	if h != nil {
		s.front.Show(h, func(i int) tea.Cmd {
			s.tree.Visit()
			return s.jobs.Show(h.Choose(i))
		})
	}
	return s.found(out)
}

// highlight returns the parts of a row's text that match the search.
func (s *searching) highlight(n *lazy.Node, text string) [][2]int {
	return s.Highlight(s.tree.Out.Tree, s.tree.Out.Wide, n, text)
}
