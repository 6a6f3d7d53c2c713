package ui

import (
	"tracex/ui/internal/counting"
	"tracex/ui/internal/layout"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/status"
)

// What the parts need to know about each other.

// layout divides the window, which is usable.
func (m *Model) layout() layout.Layout {
	w := layout.Wants{
		Width: m.env.Width, Height: m.env.Height, Trouble: len(m.trace.Troubles(m.env.Glyphs)) > 0, Details: m.details.On(),
		Steps: len(m.steps.list) > 0, Filter: m.filter.Cur() != nil, Strip: m.flames.On, Sticky: m.tree.Sticky,
	}
	if m.tour.on() {
		w.Tour = m.tour.Height(m.tour.names(), w.Width, m.env.Glyphs)
	}
	return layout.For(w)
}

// countingFacts returns what the counting of children needs to know.
func (m *Model) countingFacts() counting.Facts {
	o := m.tree.Out
	return counting.Facts{
		Life: m.env.Life, Tree: o.Tree, Cursor: o.Cursor, Rows: o.Uncovered(), Following: m.trace.Following(), Now: m.env.Clock.Now(),
	}
}

// busy reports whether something runs in the background.
func (m *Model) busy() bool {
	return m.jobs.Running() || m.tree.Busy() || m.search.Running() || m.filter.Cur().Running() || m.counting.Busy() || m.trace.Reading() || m.threads.Busy() || m.tables.Busy() || m.flames.Busy() || m.exports.Running()
}

// activity tells what is running and how to stop it, if possible in room cells. It returns
// "" if nothing is.
func (m *Model) activity(room int) string {
	g, st, now := m.env.Glyphs, m.trace.Known, m.env.Clock.Now()
	stoppable := func(text string) string { return m.env.Spinner() + " " + text + "  Esc stops" }
	switch {
	case m.jobs.Running():
		return stoppable(m.jobs.Text())
	case m.exports.Running():
		return stoppable(m.exports.Text())
	case m.search.Some():
		return m.search.Text(room, m.search.facts())
	case m.trace.Reading():
		return m.env.Spinner() + " " + status.PhaseIn(st, now, room-2, g)
	case m.tree.Moving():
		return stoppable("loading")
	case st.Growth.On:
		return status.Growth(st, m.follow.On(), now, room, g)
	case m.counting.Busy():
		return stoppable(m.counting.Text(m.countingFacts()))
	}
	return ""
}

// newFrame returns what the screen shows. In a window that is too small that is nothing of the
// trace.
func (m *Model) newFrame() frame {
	g := m.env.Glyphs
	f := frame{g: g, width: m.env.Width, height: m.env.Height}
	if !layout.Usable(f.width, f.height) {
		return f
	}
	l := m.layout()
	f.layout = l
	o := m.tree.Out
	stats := o.Tree.Stats()
	taken := stats.Bytes + m.search.Bytes() + m.filter.Cur().Bytes()
	f.header = status.Header{
		Name: m.trace.Name(), About: m.trace.About(o.Tree.Folded(), g), Index: status.Index(m.trace.Known, g),
		Memory: status.Memory(taken, stats.Budget),
	}
	if f.troubles = m.trace.Troubles(m.env.Glyphs); !l.Trouble && len(f.troubles) > 0 {
		f.header.Name = g.Warn + " " + f.header.Name // there is no room for the line that explains it
	}
	f.steps[0], f.steps[1] = m.steps.text()
	if l.Strip {
		f.strip = m.flames.Strip(m.flames.facts(), f.width)
	}
	f.crumbs = o.Crumbs(f.width, m.front.List() == nil && l.Details != layout.Only, g)
	if h, ok := m.front.List().(*search.HitList); ok && h.Path() != nil {
		path := h.Path()
		f.crumbs = nodetext.Names(len(path), func(i int) string { return path[i] }, f.width-2, g)
	}
	pending := m.env.Spinner()
	if m.trace.Following() {
		pending = g.More
	}
	f.view, f.indent, f.rows = m.tree.View(pending), m.tree.Out.Indent(), m.tree.Rows(o.Shown(), m.search.highlight)
	for i := range f.rows {
		if n := f.rows[i].Node; n != nil {
			f.rows[i].Sign, f.rows[i].Note = m.marks.Sign(n)
		}
	}
	if len(f.rows) == 0 {
		f.nothing = m.trace.Nothing(m.env.Spinner(), m.env.Clock.Now(), g)
	}
	if l.Details != layout.Nowhere {
		f.details = m.details.View(m.trace.Reader, m.details.subject(), l.DetailsIn, l.DetailsHas, g)
	}
	if l.Tour > 0 {
		f.tour = m.tour.View(m.tour.names(), f.width, l.Tour, g)
	}
	f.position = status.Position(o.Cursor.Node, m.keyboard.count.String(), g)
	for _, text := range []string{m.compare.text(), m.results.text()} {
		if text != "" && f.position != "" {
			text = f.position + " " + g.Dot + " " + text
		}
		if text != "" {
			f.position = text
		}
	}
	f.filter, f.matches = m.filter.line()
	f.activity = m.activity(f.width - screen.TextWidth(" "+f.position, g.ASCII) - 3)
	if m.exports.Running() {
		f.export = m.activity(f.width / 2)
	}
	f.message, f.alarm = m.env.Status.Message()
	f.hints = hints(m.keyboard.keys, useful{
		on: placeOf(o.Tree, o.Cursor), threads: m.trace.Size.Threads > 1,
		follow: m.trace.Known.Growth.On && !m.follow.On(), hits: m.results.some(), filtered: m.filter.Cur() != nil, timed: m.trace.Size.Timed,
		strip: m.flames.On, raw: !o.Tree.Folded(), full: f.header.Memory != "",
	}, f.width-1, g)
	return f
}
