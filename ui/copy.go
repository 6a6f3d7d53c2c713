package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
)

// copyRow puts the text of the row on the clipboard, by way of the terminal
// (OSC 52), so that it works over ssh too.
func (m *Model) copyRow(int) tea.Cmd {
	n := m.out.cursor.Node
	if n == nil {
		m.say("nothing to copy: the row is not loaded")
		return nil
	}
	text, _ := m.text(n)
	return m.copy(strings.ReplaceAll(text, "\n", `\n`), "copied the row: ")
}

// copyPath puts the path to the row on the clipboard, a line for each call.
func (m *Model) copyPath(int) tea.Cmd {
	if m.out.cursor.Node == nil {
		m.say("nothing to copy: the row is not loaded")
		return nil
	}
	return m.copy(m.pathText(), "copied the path, "+plural(int64(len(m.path())), "line")+": ")
}

// maxCopy bounds what is given to the terminal; many take no more.
const maxCopy = 74_000

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
		what = "copied the first " + size(maxCopy) + ": "
		safe = safe[:maxCopy]
	}
	m.say(what + cutMiddle(string(safe), max(20, m.width-len(what)-4), m.g))
	return tea.SetClipboard(string(safe))
}
