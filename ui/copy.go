package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/clipboard"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
)

// copyRow puts the text of the row on the clipboard.
func (m *Model) copyRow(int) tea.Cmd {
	n := m.out.Cursor.Node
	if n == nil {
		m.say("nothing to copy: the row is not loaded")
		return nil
	}
	text, _ := m.text(n)
	return m.copy(strings.ReplaceAll(text, "\n", `\n`), "the row")
}

// copyPath puts the path to the row on the clipboard, one line for each call.
func (m *Model) copyPath(int) tea.Cmd {
	if m.out.Cursor.Node == nil {
		m.say("nothing to copy: the row is not loaded")
		return nil
	}
	return m.copy(m.pathText(), "the path, "+screen.Plural(int64(len(nodetext.Path(m.out.Cursor))), "line")+",")
}

// copy puts text on the clipboard, in the background; what names it in the message.
func (m *Model) copy(text, what string) tea.Cmd {
	text, cut := clipboard.Safe(text)
	if cut {
		what = "the first " + screen.Size(clipboard.Most) + " of " + what
	}
	clip, life := m.clip, m.life
	return func() tea.Msg { return copied{what, text, clip.Put(life, text)} }
}

// copied is the result of copying.
type copied struct {
	what, text string
	to         string // "" if the terminal has to be asked
}

func (c copied) apply(m *Model) tea.Cmd {
	var cmd tea.Cmd
	head := "copied " + c.what + " to " + c.to
	if c.to == "" {
		// A terminal does not report whether it accepts this.
		head = "sent " + c.what + " to the terminal (OSC 52)"
		cmd = tea.SetClipboard(c.text)
	}
	if room := m.width - len(head) - 6; room >= 20 {
		head += ": " + screen.CutMiddle(c.text, room, m.g)
	}
	m.say(head)
	return cmd
}
