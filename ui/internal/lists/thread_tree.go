package lists

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// statementKey goes to the go statement of the cursor's thread.
const statementKey = "O"

// handleTree handles the keys of a list whose threads are goroutines; ok is false for any other key.
func (l *ThreadList) handleTree(name string) (a prompt.ListAction, ok bool) {
	if l.Typing() || l.Selected() >= l.len() {
		return a, false
	}
	if name == statementKey && l.family.linked {
		return prompt.ListAction{Kind: prompt.Asked}, true
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

// Do goes to the go statement of the cursor's thread.
func (l *ThreadList) Do() (leave bool, do func() tea.Cmd) {
	thread := l.ID(l.Selected())
	return true, func() tea.Cmd { return l.starts.ToStatement(thread) }
}

const (
	treeIndent = 2
	leastName  = 16 // cells that an indent leaves for the name
	wide       = 100
)

// treeLine is the line of a thread in the tree. what is known about it begins at a column.
func (l *ThreadList) treeLine(thread int, t lazy.ThreadInfo, what string, from int) prompt.Item {
	if l.env.Front.Area.Width >= wide {
		what += ", thread " + strconv.FormatInt(int64(t.ID)+1, 10)
		from -= 16
	}
	from = max(28, from)
	f := &l.family
	indent, style := treeIndent*f.Depth(thread), theme.Plain
	sign := " "
	if f.Below(thread) > 0 {
		sign = l.env.Glyphs.Open
		if l.filter == nil && f.isFolded(thread) {
			sign = l.env.Glyphs.Closed
		}
	}
	if most := max(0, from-leastName-treeIndent); indent > most {
		depth := l.env.Glyphs.More + strconv.Itoa(f.Depth(thread)) + " "
		indent, sign = max(0, most-l.env.Glyphs.TextWidth(depth)), depth+sign
	}
	if l.filter != nil && !f.found.passes(thread) {
		style = theme.Faint
	}
	name, started := l.treeName(thread, t)
	room := from - treeIndent - indent - l.env.Glyphs.TextWidth(sign) - 2
	if w := l.env.Glyphs.TextWidth(name); w+l.env.Glyphs.TextWidth(started) > room {
		started = l.env.Glyphs.CutMiddle(started, max(0, room-w))
		if room-w < 8 {
			name, started = l.env.Glyphs.CutMiddle(name+started, room), ""
		}
	}
	return prompt.Item{Cells: []prompt.Cell{
		{Text: sign, Style: theme.Faint, At: treeIndent + indent, Aside: true},
		{Text: " " + name, Style: style},
		{Text: started, Style: theme.Faint},
		{Text: what, Style: theme.Faint, At: from, Aside: true},
	}}
}

// longestEnd bounds the text about how a thread ended, in cells.
const longestEnd = 22

// ended tells how a thread ended, unless it returned.
func (l *ThreadList) ended(thread int) string {
	switch e := l.ends[thread]; {
	case e.Threw:
		return l.env.Glyphs.CutEnd(l.env.Glyphs.Threw+e.Exception, longestEnd)
	case e.State == lazy.StatePending:
		return "not ended yet"
	case e.State == lazy.StateUnfinished:
		return "did not end"
	}
	return ""
}

// treeName returns the name of a thread in the tree, and where it was started. It leaves out what the
// thread above shows.
func (l *ThreadList) treeName(thread int, t lazy.ThreadInfo) (name, started string) {
	n, ok := goroutines.Parse(t.Name)
	if !ok {
		return screen.Thread(t), ""
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
		name = n.Program + " " + l.env.Glyphs.Crumb + " " + name
	}
	switch {
	case has && n.At != "":
		started = " " + l.env.Glyphs.Again + " " + n.At
	case !has && n.Parent != 0:
		started = " " + l.env.Glyphs.Again + " " + strconv.FormatInt(n.Parent, 10) + " " + n.By + " " + n.At
	}
	return name, started
}
