package ui

import (
	"fmt"
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
)

// draw returns the whole screen: m.height lines of m.width cells.
func (m *Model) draw() string {
	if m.width == 0 || m.height == 0 {
		return ""
	}
	if m.width < minWidth || m.height < minHeight {
		return m.tooSmall()
	}
	l := m.layout()
	lines := make([]string, 0, m.height)
	lines = append(lines, m.header(), nodetext.CrumbLine(m.facts.crumbs, m.width, m.g))
	if l.trouble {
		lines = append(lines, m.troubleLine())
	}
	switch {
	case m.overlay != nil:
		lines = append(lines, m.overlay.View(m.width, m.overlayHeight(l), m.g)...)
	default:
		lines = append(lines, m.middle(l)...)
		if l.hints {
			lines = append(lines, m.statusLine())
		}
	}
	return strings.Join(append(lines, m.lastLine(l)), "\n")
}

// middle draws the lines between the breadcrumb and the status: the tree, with the
// details and the tour.
func (m *Model) middle(l layout) []string {
	var lines []string
	if l.rule {
		lines = append(lines, m.rule(l))
	}
	switch l.details {
	case beside:
		side := m.facts.details
		for i, row := range m.treeLines(l) {
			sep := screen.NewLine(2, m.g)
			lines = append(lines, row+sep.Put(m.g.Side+" ", screen.Faint).End()+side[i])
		}
	case alone:
		lines = append(lines, m.facts.details...)
	case below:
		lines = append(lines, m.treeLines(l)...)
		lines = append(lines, screen.Titled("", " details ", m.width, m.g))
		lines = append(lines, m.facts.details...)
	default:
		lines = append(lines, m.treeLines(l)...)
	}
	if l.tour > 0 {
		lines = append(lines, m.tour.View(m.tourNames(), m.width, l.tour, m.g)...)
	}
	return lines
}

func (m *Model) tooSmall() string {
	text := ""
	need := fmt.Sprintf("%d×%d", minWidth, minHeight)
	for _, text = range []string{fmt.Sprintf("%d×%d: tracex needs %s", m.width, m.height, need), "needs " + need, need} {
		if screen.TextWidth(text, m.g.ASCII) <= m.width {
			break
		}
	}
	if m.g.ASCII {
		text = strings.ReplaceAll(text, "×", "x")
	}
	lines := []string{screen.NewLine(m.width, m.g).Put(text, screen.Plain).End()}
	for len(lines) < m.height {
		lines = append(lines, screen.NewLine(m.width, m.g).End())
	}
	return strings.Join(lines, "\n")
}

// header shows which trace this is, and how much memory it takes.
func (m *Model) header() string {
	name := m.name()
	if !m.layout().trouble && len(m.troubles()) > 0 {
		name = m.g.Warn + " " + name // there is no room for the line that explains it
	}
	stats := m.facts.stats
	return status.Header{
		Name: name, About: m.about(), Index: status.Index(m.known, m.g), Ready: m.known.Phase == lazy.PhaseReady,
		Memory: screen.Size(stats.Bytes+m.search.Bytes()) + " of " + screen.Size(stats.Budget),
	}.View(m.width, m.g)
}

// about tells how large the trace is, the most telling part first.
func (m *Model) about() []string {
	f := &m.facts
	about := []string{screen.Plural(int64(f.threads), "thread")}
	if !f.folded {
		about[0] = "raw, " + about[0]
	}
	least := ""
	if !m.settled() {
		least = m.g.AtLeast // only part of the trace has been read
	}
	about = append(about, nodetext.Calls(f.all, least, m.g))
	if f.length >= 0 {
		about = append(about, least+screen.Duration(f.length, m.g))
	}
	if f.all.Counted {
		about = append(about, least+screen.Shortly(f.all.Events, "event"))
	}
	return append(about, screen.Size(f.data))
}

// rule draws the headings of the columns.
func (m *Model) rule(l layout) string {
	if l.details == alone {
		return screen.Titled(" details ", "", m.width, m.g)
	}
	line := m.rowView().Head(l.treeWidth)
	if l.details == beside {
		line += screen.Titled(" details ", "", m.width-l.treeWidth, m.g)
	}
	return line
}

// statusLine tells where the cursor is and what is running.
func (m *Model) statusLine() string {
	position := " " + m.position()
	room := m.width - screen.TextWidth(position, m.g.ASCII) - 3
	return screen.Ends(position, m.activity(room)+" ", screen.Plain, screen.Plain, m.width, m.g)
}

// position tells where the cursor is and what is loaded.
func (m *Model) position() string {
	dot := " " + m.g.Dot + " "
	var parts []string
	if m.facts.event >= 0 {
		parts = append(parts, "event "+screen.Grouped(m.facts.event))
	}
	if m.facts.share >= 0 {
		parts = append(parts, fmt.Sprintf("%.1f %%", 100*m.facts.share))
	}
	if m.count.digits > 0 {
		parts = append([]string{fmt.Sprintf("%d_", m.count.n)}, parts...)
	}
	stats := m.facts.stats
	parts = append(parts, screen.Plural(stats.Loaded, "event")+" loaded")
	if stats.Forgotten > 0 {
		parts[len(parts)-1] += ", " + screen.Grouped(stats.Forgotten) + " unloaded"
	}
	return strings.Join(parts, dot)
}

// lastLine draws the prompt, a message, or the most useful keys.
func (m *Model) lastLine(l layout) string {
	message, alarm := m.status.Message()
	switch {
	case m.prompt != nil:
		return m.promptLine()
	case message != "":
		s := screen.Bold
		text := " " + message
		if alarm {
			s, text = screen.Alarm, " "+m.g.Warn+text
		}
		return screen.NewLine(m.width, m.g).Put(text, s).End()
	case m.overlay != nil:
		return screen.NewLine(m.width, m.g).Put(" "+m.overlay.Hint(m.width-1, m.g), screen.Faint).End()
	case !l.hints:
		return m.statusLine()
	}
	return screen.NewLine(m.width, m.g).Put(" "+m.hints(), screen.Faint).End()
}

// troubleLine shows the first thing that is wrong with the trace, and where to find the others.
func (m *Model) troubleLine() string {
	all := m.troubles()
	left, right := " "+m.g.Warn+" "+all[0], ""
	if more := fmt.Sprintf("1 of %d: d at a thread ", len(all)); len(all) > 1 && screen.TextWidth(left+more, m.g.ASCII) < m.width {
		right = more
	}
	return screen.Ends(left, right, screen.Alarm, screen.Faint, m.width, m.g)
}
