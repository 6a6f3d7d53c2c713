package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/list"
	"tracex/ui/internal/terminal"
)

// The keys that concern the whole explorer.

// help shows the key map.
func (m *Model) help(int) tea.Cmd {
	items := helpItems(m.keyboard.keys, m.env.Glyphs)
	m.front.Show(&list.List{
		Title: "keys", Keys: "PgDn PgUp",
		Len:  func() int { return len(items) },
		Item: func(i int) list.Item { return items[i] },
	}, nil)
	return nil
}

// suspend stops the program until fg. Without a shell that could run fg there would be no way back.
func (m *Model) suspend(int) tea.Cmd {
	if m.env.Terminal == nil || !terminal.CanSuspend() {
		m.env.Say("cannot suspend: no shell to return to")
		return nil
	}
	return m.env.Terminal.Suspend()
}

// redraw draws the whole screen anew, whatever is on the terminal.
func redraw(*Model, int) tea.Cmd {
	return tea.Batch(tea.ClearScreen, tea.RequestWindowSize)
}
