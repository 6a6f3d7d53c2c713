package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/ui/internal/screen"
)

// copyRow puts the text of the row on the clipboard.
func (m *Model) copyRow(int) tea.Cmd {
	n := m.out.cursor.Node
	if n == nil {
		m.say("nothing to copy: the row is not loaded")
		return nil
	}
	text, _ := m.text(n)
	return m.copy(strings.ReplaceAll(text, "\n", `\n`), "the row")
}

// copyPath puts the path to the row on the clipboard, a line for each call.
func (m *Model) copyPath(int) tea.Cmd {
	if m.out.cursor.Node == nil {
		m.say("nothing to copy: the row is not loaded")
		return nil
	}
	return m.copy(m.pathText(), "the path, "+screen.Plural(int64(len(m.path())), "line")+",")
}

// maxCopy bounds what is given to the terminal; many take no more.
const maxCopy = 74_000

// copy puts text on the clipboard, in the background; what names it.
func (m *Model) copy(text, what string) tea.Cmd {
	// Control characters could run a command where this is pasted.
	var safe []byte
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			safe = append(safe, '\n')
		}
		safe = format.AppendEscaped(safe, line)
	}
	if len(safe) > maxCopy {
		what = "the first " + screen.Size(maxCopy) + " of " + what
		safe = safe[:maxCopy]
	}
	clip, life := m.clip, m.life
	return func() tea.Msg { return copied{what, string(safe), clip.put(life, string(safe))} }
}
