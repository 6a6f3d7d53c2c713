package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/front"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/search"
)

// searchFacts returns what the search needs to know about the explorer.
func (m *Model) searchFacts() search.Facts {
	return search.Facts{
		Folded: m.tree.Out.Tree.Folded(), Verbose: m.tree.Out.Wide, Threads: m.trace.Size.Threads, Recorded: m.trace.Recorded,
		Width: m.env.Width, Spinner: m.env.Spinner(), Glyphs: m.env.Glyphs,
	}
}

// found does what a search asks for.
func (m *Model) found(o search.Outcome) tea.Cmd {
	switch {
	case o.Alarm:
		m.env.Warn(o.Message)
	case o.Message != "":
		m.env.Say(o.Message)
	}
	if !o.Goes {
		return o.Cmd
	}
	return tea.Batch(o.Cmd, m.jobs.Show(o.Position))
}

// hitsShown reports whether the list of hits is shown.
func (m *Model) hitsShown() bool {
	_, shown := m.front.List().(*search.HitList)
	return shown
}

// askSearch asks for a pattern. While it is typed, matches on the screen are highlighted and
// the cursor goes to the first one; enter searches the rest in the background.
func (m *Model) askSearch(int) tea.Cmd {
	o := m.tree.Out
	origin, line, skip := o.Cursor, o.Line, o.Skip
	m.search.Ask()
	home := func() { o.Cursor, o.Line, o.Skip = origin, line, skip }
	return m.front.Ask(&front.Question{
		Prompt: m.front.Typed.OpenPattern("/", "find in all threads"),
		Typed: func(t prompt.Text) {
			p := pattern.New(t.Text, t.Expr)
			m.search.Preview(p)
			m.env.Say("")
			if p.Fault != "" {
				m.env.Say("not complete: " + p.Fault)
			}
			home()
			if t.Text != "" {
				m.tree.ToMatch(p, origin)
			}
		},
		Refuse: func(t prompt.Text) string { return pattern.New(t.Text, t.Expr).Fault },
		Cancel: func() {
			home()
			m.search.GiveUp()
		},
		Submit: func(t prompt.Text) tea.Cmd {
			m.search.GiveUp()
			if t.Text == "" {
				return m.hit(1, 1)
			}
			home()
			return m.searchFor(t)
		},
	})
}

// searchFor searches from the cursor on.
func (m *Model) searchFor(t prompt.Text) tea.Cmd {
	origin := m.tree.Out.Cursor
	from, _ := m.tree.Out.Here()
	m.tree.Visit()
	m.searched(t)
	p := pattern.New(t.Text, t.Expr)
	m.tree.ToMatch(p, origin)
	return m.found(m.search.Begin(p, from, true, m.searchFacts()))
}

// hit goes to the n-th hit from the cursor.
func (m *Model) hit(dir, n int) tea.Cmd {
	from, ok := m.tree.Out.Here()
	switch last := m.arrival.earlier; {
	case !m.search.Begun() && ok && dir > 0 && last.Text != "":
		return m.searchFor(last)
	case !m.search.Begun():
		m.env.Say(search.NoSearch(m.env.Glyphs))
		return nil
	case !ok:
		return nil
	}
	m.tree.Visit()
	return m.found(m.search.Next(from, dir, max(1, n), m.searchFacts()))
}

// sameName searches for calls of the method under the cursor, or accesses of
// the same field or variable.
func (m *Model) sameName(dir int) tea.Cmd {
	n := m.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil {
		m.env.Say("no call under the cursor")
		return nil
	}
	p := m.search.LikeThis(n)
	if p == nil {
		m.env.Say("this row has no name to search for")
		return nil
	}
	m.tree.Visit()
	return m.found(m.search.Same(p, n.Position(), dir, m.searchFacts()))
}

// listHits shows the hits to choose from.
func (m *Model) listHits(int) tea.Cmd {
	h, out := m.search.OpenList(m.searchFacts())
	if h != nil {
		m.front.Show(h, func(i int) tea.Cmd {
			m.tree.Visit()
			return m.jobs.Show(h.Choose(i))
		})
	}
	return m.found(out)
}
