package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
)

// What the parts need to know about each other.

// layout divides the window, which is usable.
func (m *Model) layout() screen.Layout {
	return screen.LayoutFor(screen.Wants{
		Width: m.env.Width, Height: m.env.Height, Trouble: len(m.env.Trace.Troubles(m.env.Glyphs)) > 0, Source: m.source.On(), Details: m.details.On(),
		Sizes: m.panes.sizes, Front: m.panes.front, Zoom: m.panes.zoom, Keys: m.panes.keys,
		Chips: m.filter.Cur != nil || len(m.steps.List) > 0, Strip: m.flames.On, Sticky: m.tree.Sticky, Tour: m.tour.Height(m.env.Width), Floating: m.env.Front.Lines(), FloatingWidth: m.env.Front.Width(), Asking: m.env.Front.Floats(),
	})
}

// busy reports whether something runs in the background.
func (m *Model) busy() bool {
	return m.tree.Jobs.Running() || m.tree.Busy() || m.search.Running() || m.filter.Cur.Running() || m.filter.Differing() || m.counting.Busy() || m.env.Trace.Reading() || m.threads.Busy() || m.tables.Busy() || m.flames.Busy() || m.exports.Running()
}

// activity tells what is running and how to stop it, if possible in room cells. It returns
// "" if nothing is.
func (m *Model) activity(room int) string {
	g, st, now := m.env.Glyphs, m.env.Trace.Known, m.env.Clock.Now()
	stoppable := func(text string) string { return m.env.Spinner() + " " + text + "  Esc stops" }
	switch {
	case m.tree.Jobs.Running():
		return stoppable(m.tree.Jobs.Text())
	case m.exports.Running():
		return stoppable(m.exports.Text())
	case m.search.Some():
		return m.search.Text(room)
	case m.filter.Differing():
		return stoppable("looking for differences")
	case m.env.Trace.Reading():
		return m.env.Spinner() + " " + env.PhaseIn(st, now, room-2, g)
	case m.tree.Moving():
		return stoppable("loading")
	case st.Growth.On:
		return env.Growth(st, m.follow.On(), now, room, g)
	case m.counting.Busy():
		return stoppable(m.counting.Text())
	}
	return ""
}

// progress returns how far what is running has come; total is 0 if nothing runs, or that is not known.
func progress(m *Model) (done, total int64) {
	switch st := m.env.Trace.Known; {
	case m.tree.Jobs.Running():
		return m.tree.Jobs.Progress()
	case m.exports.Running():
		return m.exports.Progress()
	case m.search.Running():
		return m.search.Progress()
	case m.env.Trace.Reading():
		return st.Done, st.Total
	case m.tables.Busy():
		return m.tables.Progress()
	case m.overview.Running():
		return m.overview.Done()
	}
	return 0, 0
}

// newFrame returns what the screen shows. In a window that is too small that is nothing of the
// trace.
func (m *Model) newFrame() frame {
	g := m.env.Glyphs
	f := frame{g: g, width: m.env.Width, height: m.env.Height}
	if done, total := progress(m); total > 0 {
		f.done = int(float64(m.env.Width) * float64(done) / float64(total))
		if m.env.ShowsProgress {
			f.progress = tea.NewProgressBar(tea.ProgressBarDefault, int(100*float64(done)/float64(total)))
		}
	}
	f.window = map[bool]string{false: "tracex – ", true: "tracex - "}[g.ASCII] + string(format.AppendEscaped(nil, m.env.Trace.Name()))
	if !screen.Usable(f.width, f.height) {
		return f
	}
	l := m.layout()
	f.layout, m.env.Front.Area = l, l.List
	o := m.tree.Out
	stats := o.Tree.Stats()
	f.header = env.Header{
		Name: m.env.Trace.Name(), About: m.env.Trace.About(o.Tree.Folded(), g), Index: env.Index(m.env.Trace.Known, g),
		Memory: env.Memory{Taken: stats.Bytes + m.search.Bytes() + m.filter.Cur.Bytes(), Budget: stats.Budget, Unloaded: stats.Forgotten},
	}
	if f.troubles = m.env.Trace.Troubles(m.env.Glyphs); !l.Trouble && len(f.troubles) > 0 {
		f.header.Name = g.Warn + " " + f.header.Name // there is no room for the line that explains it
	}
	if l.Strip {
		f.strip = m.flames.Strip(f.width)
	}
	f.crumbs = o.Crumbs(f.width, g)
	if h, ok := m.env.Front.List().(*search.HitList); ok && h.Path() != nil {
		path := h.Path()
		f.crumbs = screen.Crumbs(len(path), func(i int) string { return path[i] }, f.width-2, g)
	}
	f.view, f.indent, f.rows = m.tree.View(), m.tree.Out.Indent(), m.tree.Rows(o.Shown(), m.search.Highlight)
	f.scroll = o.Scroll()
	for i := range f.rows {
		if n := f.rows[i].Node; n != nil {
			f.rows[i].Sign, f.rows[i].Note = m.marks.Sign(n)
		}
	}
	if len(f.rows) == 0 {
		f.nothing = m.env.Trace.Nothing(m.env.Spinner(), m.env.Clock.Now(), g)
	}
	m.panes.draw(&f)
	if l.Tour > 0 {
		f.tour = m.tour.View(f.width, l.Tour)
	}
	f.position = env.Position(o.Cursor.Node, m.env.Keyboard.Typed(g), g)
	short := ""
	if !l.Hints && back(m) != "" {
		short = keys.ActionKey(string(keys.Stop), g) + " back"
	}
	for _, text := range []string{m.answers.Compared(), short, m.results.Text()} {
		if text != "" && f.position != "" {
			text = f.position + " " + g.Dot + " " + text
		}
		if text != "" {
			f.position = text
		}
	}
	f.chips, f.ends = m.chips.line(f.width, l.Floats)
	f.activity = m.activity(f.width - g.TextWidth(" "+f.position) - 3)
	if m.exports.Running() {
		f.export = m.activity(f.width / 2)
	}
	f.message, f.alarm = m.env.Status.Message()
	f.choices, f.chosenIn = m.env.PrefixBox(l.Bottom)
	f.hints = hints(m, f.header.Memory.Full(), f.width-1)
	return f
}

// back returns the name of the list that Esc leads back to; "" if it does something else.
func back(m *Model) string {
	stops := m.tree.Jobs.Running() || m.exports.Running() || m.search.Running() || m.filter.Cur.Running() || m.filter.Differing() || m.tree.Moving() || m.counting.Busy()
	if stops || endsOf(m).since(m.left) {
		return ""
	}
	return m.env.Front.Back()
}
