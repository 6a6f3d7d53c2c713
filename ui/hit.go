package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// Going from hit to hit.

// goWanted goes to the hit that a person waits for, when it is known.
func (m *Model) goWanted() tea.Cmd {
	s := m.search
	if s == nil || s.want == nil {
		return nil
	}
	i, wrapped, ok := s.pick(s.want)
	if !ok {
		if s.ended {
			s.want = nil
			m.say(s.nothing(m))
		}
		return nil
	}
	if wrapped {
		m.say(map[int]string{1: "search wrapped to the top", -1: "search wrapped to the bottom"}[s.want.dir])
	}
	s.want, s.shown = nil, i+1
	return m.reveal(s.hits.at(i).Place, func(n *lazy.Node) tea.Cmd {
		cmd := m.land(n)
		m.slideToHit(n)
		return cmd
	})
}

// slideToHit scrolls the line of a hit that was gone to, so far that what was found
// in it is seen.
func (m *Model) slideToHit(n *lazy.Node) {
	text, _ := m.text(n)
	lit := m.lit(n, text)
	if len(lit) == 0 || lit[0][0] >= len(text) {
		return
	}
	row := m.out.cursor
	hidden := m.hidden(row)
	from, to := screen.TextWidth(text[:lit[0][0]], m.g.ASCII), screen.TextWidth(text[:min(lit[0][1], len(text))], m.g.ASCII)
	room := screen.TextWidth(text, m.g.ASCII) - hidden
	if hidden == 0 || from >= m.out.skip && to < room+m.out.skip {
		return
	}
	// Its end is seen, with a little of what follows, but rather its beginning.
	m.out.slid, m.out.slide = n, max(0, min(to-room+8, from, hidden)-m.out.skip)
}

// goOn goes to a hit of the search that there is. Where that would be round the
// end of what was searched, the search begins again from there: in a trace that
// has grown all is searched, since hits are known to be in order only that way.
func (m *Model) goOn(w *wanted) tea.Cmd {
	s := m.search
	s.takeOther()
	if _, wrapped, ok := s.pick(w); wrapped || !ok {
		switch {
		case s.outgrown(m) || s.partly() && w.dir > 0:
			return m.beginSearch(s.p, w)
		case s.partly():
			m.say("what comes before was not searched: the search stopped at " + screen.Percent(s.done, s.total))
			return nil
		}
	}
	s.want = w
	return m.goWanted()
}

// nothing says that nothing was found, how far was searched, and what to try.
func (s *search) nothing(m *Model) string {
	text := "nothing found for " + s.p.Name(60, m.g) + " in " + screen.Plural(int64(m.out.t.ThreadCount()), "thread")
	if s.err != nil {
		text = "nothing found for " + s.p.Name(60, m.g) + " in the first " + screen.Percent(s.done, s.total)
	}
	if s.err != nil && !errors.Is(s.err, context.Canceled) {
		return text + ", then: " + screen.ErrorLine(s.err)
	}
	switch other := s.otherwise(); {
	case other > 0:
		return "nothing found " + s.p.Reading() + ", but " + screen.Plural(int64(other), "hit") + " " + s.other.Reading() + ": n goes there"
	case s.p.Exact && s.p.Source != strings.ToLower(s.p.Source):
		text += "; small letters find capitals too"
	case m.out.t.Folded() && s.err == nil && s.hides:
		text += "; r shows the raw trace, which has more"
	}
	return text
}

func (m *Model) nextHit(n int) tea.Cmd { return m.hit(1, n) }
func (m *Model) prevHit(n int) tea.Cmd { return m.hit(-1, n) }

// noSearch says that there is no search to go on with.
const noSearch = "no search yet; press /"

// hit goes to the n-th hit from the cursor.
func (m *Model) hit(dir, n int) tea.Cmd {
	from, ok := m.here()
	switch {
	case m.search == nil || m.search.cancel == nil:
		m.say(noSearch)
		return nil
	case !ok:
		return nil
	}
	m.visit()
	cmd := m.goOn(&wanted{from: from, dir: dir, count: max(1, n)})
	if m.search != nil && m.search.want != nil {
		m.say("searching on; esc stops")
	}
	return cmd
}

// sameName searches for calls of the method under the cursor, or accesses of
// the same field or variable.
func (m *Model) sameName(dir int) tea.Cmd {
	n := m.out.cursor.Node
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
	from := n.Place()
	w := &wanted{from: from, dir: dir, count: 1}
	if s := m.search; s != nil && s.p.Same(p) && s.cancel != nil && s.err == nil {
		return m.goOn(w)
	}
	return m.beginSearch(p, w)
}

// incremental is how many rows of what is open a search looks at while it is
// typed, and for how long.
const (
	incremental    = 20_000
	incrementalFor = 5 * time.Millisecond
)

// preview goes to the first row from a row on that matches, among those that
// are open and loaded.
func (m *Model) preview(p *pattern.Pattern, from lazy.Row) bool {
	until := time.Now().Add(incrementalFor)
	r, ok := from, true
	for i := 0; ok && i < incremental; i++ {
		if r.Node != nil {
			if named := m.named(r.Node); named.Match(p.Find, p.Limits) {
				m.out.jump(r)
				return true
			}
		}
		if i%64 == 63 && time.Now().After(until) {
			break
		}
		r, ok = m.out.t.Next(r)
	}
	return false
}
