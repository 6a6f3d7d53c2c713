package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/terminal"
)

// suspend stops the program until fg. Without a shell that could run fg there would be no way back.
func (m *Model) suspend(int) tea.Cmd {
	if m.job == nil || !terminal.CanSuspend() {
		m.say("cannot suspend: no shell to return to")
		return nil
	}
	return m.job.Suspend()
}

// redraw draws the whole screen anew, whatever is on the terminal.
func (m *Model) redraw(int) tea.Cmd {
	return tea.Batch(tea.ClearScreen, tea.RequestWindowSize)
}

// retaken handles the return to a terminal that other programs have used.
func (m *Model) retaken(r terminal.Retaken) tea.Cmd {
	if r.Err != nil {
		m.fail("cannot use the terminal", r.Err)
	}
	return tea.ClearScreen
}
