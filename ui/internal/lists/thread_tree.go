package lists

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/prompt"
)

// statementKey goes to the go statement of the cursor's thread.
const statementKey = "O"

// handleTree handles the keys of a list whose threads are goroutines; ok is false for any other key.
func (l *ThreadList) handleTree(name string) (a prompt.ListAction, ok bool) {
	if l.Typing() || l.Selected() >= l.len() {
		return a, false
	}
	if name == statementKey && l.family.linked {
		thread := l.ID(l.Selected())
		return prompt.ListAction{Kind: prompt.Asked, Leave: true, Do: func() tea.Cmd { return l.starts.ToStatement(thread) }}, true
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
