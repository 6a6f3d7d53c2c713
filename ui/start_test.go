package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/uitest"
)

// TestWanted: a message that is dropped would change nothing on the screen, and none that does is dropped.
func TestWanted(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	before := d.m.View()
	for _, msg := range []tea.Msg{tea.EnvMsg{"TERM=dumb"}, tea.ColorProfileMsg{}} {
		if wanted(d.m, msg) != nil {
			t.Errorf("%T is not dropped", msg)
		}
		d.send(msg)
		if after := d.m.View(); after.Content != before.Content {
			t.Errorf("%T changes the screen from\n%s\nto\n%s", msg, before.Content, after.Content)
		}
	}
	for _, msg := range []tea.Msg{tea.WindowSizeMsg{Width: 90, Height: 30}, tea.KeyPressMsg{Code: 'j'}} {
		if wanted(d.m, msg) != msg {
			t.Errorf("%T is dropped", msg)
		}
	}
}
