package ui

import (
	"fmt"
	"strings"

	"tracex/lazy"
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
	lines = append(lines, m.header(), m.crumbs())
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

// middle draws what is between the breadcrumb and the status: the tree, with
// the details and the tour.
func (m *Model) middle(l layout) []string {
	var lines []string
	if l.rule {
		lines = append(lines, m.rule(l))
	}
	switch l.details {
	case beside:
		side := m.details.view(m, l.detailsIn, l.detailsHas)
		for i, row := range m.treeLines(l) {
			sep := newLine(2, m.g)
			lines = append(lines, row+sep.put(m.g.side+" ", faint).end()+side[i])
		}
	case alone:
		lines = append(lines, m.details.view(m, l.detailsIn, l.detailsHas)...)
	case below:
		lines = append(lines, m.treeLines(l)...)
		lines = append(lines, titled("", " details ", m.width, m.g))
		lines = append(lines, m.details.view(m, l.detailsIn, l.detailsHas)...)
	default:
		lines = append(lines, m.treeLines(l)...)
	}
	if l.tour > 0 {
		lines = append(lines, m.tour.view(m, l.tour)...)
	}
	return lines
}

func (m *Model) tooSmall() string {
	text := ""
	need := fmt.Sprintf("%d×%d", minWidth, minHeight)
	for _, text = range []string{fmt.Sprintf("%d×%d: tracex needs %s", m.width, m.height, need), "needs " + need, need} {
		if textWidth(text, m.g.ascii) <= m.width {
			break
		}
	}
	if m.g.ascii {
		text = strings.ReplaceAll(text, "×", "x")
	}
	lines := []string{newLine(m.width, m.g).put(text, plain).end()}
	for len(lines) < m.height {
		lines = append(lines, newLine(m.width, m.g).end())
	}
	return strings.Join(lines, "\n")
}

// header says which trace this is, and what it takes in memory. What matters
// least goes first when the window is narrow.
func (m *Model) header() string {
	name := m.name()
	if !m.layout().trouble && len(m.troubles()) > 0 {
		name = m.g.warn + " " + name // there is no room for the line that says what
	}
	stats := m.out.t.Stats()
	right := []string{m.index(m.known), size(stats.Bytes+m.kept()) + " of " + size(stats.Budget)}
	about := m.about()
	dot := " " + m.g.dot + " "
	text := func() (string, string) {
		return "  " + strings.Join(about, dot), "  " + strings.Join(right, "   ") + " "
	}
	fits := func() bool {
		a, r := text()
		return textWidth(name+a+r, m.g.ascii)+1 <= m.width
	}
	for len(about) > 1 && !fits() {
		about = about[:len(about)-1]
	}
	if !fits() {
		right = right[1:]
		if m.known.Phase != lazy.PhaseReady {
			right[0] = m.index(m.known)
		}
	}
	if !fits() && textWidth(name, m.g.ascii) < m.width/2 {
		about = nil
	}
	a, r := text()
	name = cutMiddle(name, max(8, m.width-1-textWidth(a+r, m.g.ascii)), m.g)
	l := newLine(m.width, m.g)
	l.space(1)
	l.put(name, bold).put(a, plain)
	l.space(l.left - textWidth(r, m.g.ascii))
	return l.put(r, plain).end()
}

// about says how large the trace is, the most telling part first.
func (m *Model) about() []string {
	threads := m.r.Threads()
	all := sumOf(threads)
	data, _ := m.r.Size()
	about := []string{plural(int64(len(threads)), "thread")}
	if !m.out.t.Folded() {
		about[0] = "raw, " + about[0]
	}
	least := ""
	if !m.settled() {
		least = m.g.atLeast // as far as the trace has been read
	}
	about = append(about, all.calls(least, m.g))
	if _, length, ok := m.r.Recording(); ok {
		about = append(about, least+duration(int64(length), m.g))
	}
	if all.Counted {
		about = append(about, least+shortly(all.Events, "event"))
	}
	return append(about, size(data))
}

// rule heads the columns.
func (m *Model) rule(l layout) string {
	if l.details == alone {
		return titled(" details ", "", m.width, m.g)
	}
	line := m.head(l.treeWidth)
	if l.details == beside {
		line += titled(" details ", "", m.width-l.treeWidth, m.g)
	}
	return line
}

// titled is a rule with a title near one of its ends.
func titled(leftTitle, rightTitle string, width int, g *glyphs) string {
	l := newLine(width, g)
	rest := width - textWidth(leftTitle, g.ascii) - textWidth(rightTitle, g.ascii) - 2
	l.put(g.rule, faint).put(leftTitle, plain)
	l.put(strings.Repeat(g.rule, max(0, rest)), faint).put(rightTitle, plain).put(g.rule, faint)
	return l.end()
}

// statusLine says where the cursor is, and what is going on.
func (m *Model) statusLine() string {
	position := " " + m.position()
	room := m.width - textWidth(position, m.g.ascii) - 3
	return ends(position, m.activity(room)+" ", plain, plain, m.width, m.g)
}

// position says where the cursor is and what is loaded.
func (m *Model) position() string {
	dot := " " + m.g.dot + " "
	var parts []string
	if n := m.out.cursor.Node; n != nil {
		if p := n.Point(); p != nil {
			parts = append(parts, "event "+grouped(int64(p.Event)))
		}
		parts = append(parts, fmt.Sprintf("%.1f %%", 100*n.Position()))
	}
	if m.count.digits > 0 {
		parts = append([]string{fmt.Sprintf("%d_", m.count.n)}, parts...)
	}
	stats := m.out.t.Stats()
	parts = append(parts, plural(stats.Loaded, "event")+" loaded")
	if stats.Forgotten > 0 {
		parts[len(parts)-1] += ", " + grouped(stats.Forgotten) + " unloaded"
	}
	return strings.Join(parts, dot)
}

// lastLine is the prompt, a message, or the most useful keys.
func (m *Model) lastLine(l layout) string {
	switch {
	case m.prompt != nil:
		return m.prompt.view(m)
	case m.status.message != "":
		s := bold
		text := " " + m.status.message
		if m.status.alarm {
			s, text = alarm, " "+m.g.warn+text
		}
		return newLine(m.width, m.g).put(text, s).end()
	case m.overlay != nil:
		return newLine(m.width, m.g).put(" "+m.overlay.Hint(m.width-1, m.g), faint).end()
	case !l.hints:
		return m.statusLine()
	}
	return newLine(m.width, m.g).put(" "+m.hints(), faint).end()
}

// troubleLine is the first thing that is wrong with the trace, and where the
// others are.
func (m *Model) troubleLine() string {
	all := m.troubles()
	left, right := " "+m.g.warn+" "+all[0], ""
	if more := fmt.Sprintf("1 of %d: d at a thread ", len(all)); len(all) > 1 && textWidth(left+more, m.g.ascii) < m.width {
		right = more
	}
	return ends(left, right, alarm, faint, m.width, m.g)
}
