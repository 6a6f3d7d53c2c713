package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
)

// searchFacts returns what the search needs to know about the explorer.
func (m *Model) searchFacts() search.Facts {
	return search.Facts{
		Folded: m.facts.folded, Verbose: m.out.Wide, Threads: m.facts.threads, Recorded: m.recorded,
		Width: m.width, Spinner: m.spinner(), Glyphs: m.g,
	}
}

// found does what a search asks for.
func (m *Model) found(o search.Outcome) tea.Cmd {
	switch {
	case o.Alarm:
		m.warn(o.Message)
	case o.Message != "":
		m.say(o.Message)
	}
	if !o.Goes {
		return o.Cmd
	}
	return tea.Batch(o.Cmd, m.reveal(o.Place, func(n *lazy.Node) tea.Cmd {
		cmd := m.land(n)
		m.slideToHit(n)
		return cmd
	}))
}

// settleSearch updates the list of hits, if it is shown.
func (m *Model) settleSearch() tea.Cmd {
	work, cmd := m.search.Settle(m.hitList(), m.overlayHeight(m.layout()), m.searchFacts())
	if work == nil {
		return cmd
	}
	return tea.Batch(cmd, m.later(work))
}

// askSearch asks for a pattern. While it is typed, matches on the screen are highlighted and
// the cursor goes to the first one; enter searches the rest in the background.
func (m *Model) askSearch(int) tea.Cmd {
	origin, line, skip := m.out.Cursor, m.out.Line, m.out.Skip
	place, _ := m.out.Here()
	m.search.Ask()
	home := func(m *Model) { m.out.Cursor, m.out.Line, m.out.Skip = origin, line, skip }
	return m.ask(&asking{
		Prompt: m.typed.OpenPattern("/", "find in all threads"),
		typed: func(m *Model, t prompt.Text) {
			p := pattern.New(t.Text, t.Expr)
			m.search.Preview(p)
			m.say("")
			if p.Fault != "" {
				m.say("not complete: " + p.Fault)
			}
			home(m)
			if t.Text != "" {
				m.preview(p, origin)
			}
		},
		refuse: func(t prompt.Text) string { return pattern.New(t.Text, t.Expr).Fault },
		cancel: func(m *Model) {
			home(m)
			m.search.GiveUp()
		},
		submit: func(m *Model, t prompt.Text) tea.Cmd {
			m.search.GiveUp()
			if t.Text == "" {
				return m.nextHit(1)
			}
			home(m)
			m.visit()
			p := pattern.New(t.Text, t.Expr)
			m.preview(p, origin)
			return m.found(m.search.Begin(p, place, true, m.searchFacts()))
		},
	})
}

func (m *Model) nextHit(n int) tea.Cmd { return m.hit(1, n) }
func (m *Model) prevHit(n int) tea.Cmd { return m.hit(-1, n) }

// hit goes to the n-th hit from the cursor.
func (m *Model) hit(dir, n int) tea.Cmd {
	from, ok := m.out.Here()
	switch {
	case !m.search.Begun():
		m.say(search.NoSearch)
		return nil
	case !ok:
		return nil
	}
	m.visit()
	return m.found(m.search.Next(from, dir, max(1, n), m.searchFacts()))
}

// sameName searches for calls of the method under the cursor, or accesses of
// the same field or variable.
func (m *Model) sameName(dir int) tea.Cmd {
	n := m.out.Cursor.Node
	if n == nil || n.Point() == nil {
		m.say("no call under the cursor")
		return nil
	}
	var p *pattern.Pattern
	m.r.WithContext(func(c *format.Context) { p = pattern.Alike(c, n.Point()) })
	if p == nil {
		m.say("this has no name to look for")
		return nil
	}
	m.visit()
	return m.found(m.search.Same(p, n.Place(), dir, m.searchFacts()))
}

func (m *Model) listHits() tea.Cmd {
	h, out := m.search.OpenList(m.searchFacts())
	if h != nil {
		m.overlay = &opened{h, func(m *Model, i int) tea.Cmd {
			m.visit()
			return m.show(h.Choose(i))
		}}
	}
	return m.found(out)
}

// slideToHit scrolls the line of a hit just reached until the match is visible.
func (m *Model) slideToHit(n *lazy.Node) {
	text, _ := m.text(n)
	lit := m.lit(n, text)
	if len(lit) == 0 || lit[0][0] >= len(text) {
		return
	}
	row := m.out.Cursor
	hidden := m.hidden(row)
	from, to := screen.TextWidth(text[:lit[0][0]], m.g.ASCII), screen.TextWidth(text[:min(lit[0][1], len(text))], m.g.ASCII)
	room := screen.TextWidth(text, m.g.ASCII) - hidden
	if hidden == 0 || from >= m.out.Skip && to < room+m.out.Skip {
		return
	}
	// The end of the match is visible, with a little text after it; but its beginning is
	// more important.
	m.out.Slid, m.out.Slide = n, max(0, min(to-room+8, from, hidden)-m.out.Skip)
}

// While a pattern is typed, the search looks at this many open rows, and for this long.
const (
	incremental    = 20_000
	incrementalFor = 5 * time.Millisecond
)

// preview goes to the first match at or after a row, among the rows that are open and loaded.
func (m *Model) preview(p *pattern.Pattern, from lazy.Row) bool {
	until := time.Now().Add(incrementalFor)
	r, ok := from, true
	for i := 0; ok && i < incremental; i++ {
		if r.Node != nil {
			if named := m.named(r.Node); named.Match(p.Find, p.Limits) {
				m.out.Jump(r)
				return true
			}
		}
		if i%64 == 63 && time.Now().After(until) {
			break
		}
		r, ok = m.out.Tree.Next(r)
	}
	return false
}
