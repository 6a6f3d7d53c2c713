package threads

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/list"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
)

// statementKey goes to the go statement of the cursor's thread.
const statementKey = "O"

// handleTree handles the keys of a list whose threads are goroutines; ok is false for any other key.
func (l *List) handleTree(name string) (a list.Action, ok bool) {
	if l.Typing() || l.Selected() >= l.len() {
		return a, false
	}
	if name == statementKey && l.family.linked {
		l.statement.of = l.ID(l.Selected())
		return list.Action{Kind: list.Asked}, true
	}
	if l.order != asTree || l.filter != nil {
		return a, false
	}
	f, line := &l.family, l.Selected()
	thread := f.thread(line)
	switch name {
	case "right", "l":
		switch {
		case f.isFolded(thread):
			f.fold(thread, false)
		case f.Below(thread) > 0:
			l.Select(line + 1)
		default:
			return a, false // goes there
		}
	case "left", "h":
		parent, has := f.Parent(thread)
		switch {
		case f.Below(thread) > 0 && !f.isFolded(thread):
			f.fold(thread, true)
		case has:
			l.Select(f.line(parent))
		default:
			return a, false // closes the list
		}
	default:
		return a, false
	}
	return a, true
}

// Do goes to the go statement that the user asked for.
func (l *List) Do() (leave bool, do func() tea.Cmd) {
	return true, func() tea.Cmd { return l.statement.goTo(l.statement.of) }
}

const (
	treeIndent = 2
	leastName  = 16 // cells that an indent leaves for the name
	wide       = 100
)

// treeLine is the line of a thread in the tree. what is known about it begins at a column.
func (l *List) treeLine(thread int, t lazy.ThreadInfo, what string, from int) list.Item {
	if l.width >= wide {
		what += ", thread " + strconv.FormatInt(int64(t.ID)+1, 10)
		from -= 16
	}
	from = max(28, from)
	f := &l.family
	indent, style := treeIndent*f.Depth(thread), screen.Plain
	sign := " "
	if f.Below(thread) > 0 {
		sign = l.g.Open
		if l.filter == nil && f.isFolded(thread) {
			sign = l.g.Closed
		}
	}
	if most := max(0, from-leastName-treeIndent); indent > most {
		depth := l.g.More + strconv.Itoa(f.Depth(thread)) + " "
		indent, sign = max(0, most-screen.TextWidth(depth, l.g.ASCII)), depth+sign
	}
	if l.filter != nil && !f.found.passes(thread) {
		style = screen.Faint
	}
	name, started := l.treeName(thread, t)
	room := from - treeIndent - indent - screen.TextWidth(sign, l.g.ASCII) - 2
	if w := screen.TextWidth(name, l.g.ASCII); w+screen.TextWidth(started, l.g.ASCII) > room {
		started = screen.CutMiddle(started, max(0, room-w), l.g)
		if room-w < 8 {
			name, started = screen.CutMiddle(name+started, room, l.g), ""
		}
	}
	return list.Item{Cells: []list.Cell{
		{Text: sign, Style: screen.Faint, At: treeIndent + indent, Aside: true},
		{Text: " " + name, Style: style},
		{Text: started, Style: screen.Faint},
		{Text: what, Style: screen.Faint, At: from, Aside: true},
	}}
}

// longestEnd bounds the text about how a thread ended, in cells.
const longestEnd = 22

// ended tells how a thread ended, unless it returned.
func (l *List) ended(thread int) string {
	switch e := l.family.ends[thread]; {
	case e.Threw:
		return screen.CutEnd(l.g.Threw+e.Exception, longestEnd, l.g)
	case e.State == lazy.StatePending:
		return "not ended yet"
	case e.State == lazy.StateUnfinished:
		return "did not end"
	}
	return ""
}

// treeName returns the name of a thread in the tree, and where it was started. It leaves out what the
// thread above shows.
func (l *List) treeName(thread int, t lazy.ThreadInfo) (name, started string) {
	n, ok := nameOf(t)
	if !ok {
		return nodetext.Thread(t), ""
	}
	switch {
	case n.Main():
		name = "1 main"
	case n.Number == 0:
		name = "?"
	default:
		name = strconv.FormatInt(n.Number, 10)
	}
	if n.Start != "" {
		name += " " + n.Start
	}
	_, has := l.family.Parent(thread)
	if !has && n.Program != "" {
		name = n.Program + " " + l.g.Crumb + " " + name
	}
	switch {
	case has && n.At != "":
		started = " " + l.g.Again + " " + n.At
	case !has && n.Parent != 0:
		started = " " + l.g.Again + " " + strconv.FormatInt(n.Parent, 10) + " " + n.By + " " + n.At
	}
	return name, started
}
