package env

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/theme"
)

// AskBackground asks the terminal for its background, and to tell when its colors change between dark and light, if
// that makes a difference. The explorer does not depend on an answer.
func (e *Env) AskBackground() tea.Cmd {
	if e.FewColors() {
		return nil
	}
	if e.Terminal == nil {
		return tea.RequestBackgroundColor
	}
	e.Terminal.reports.Store(true)
	return tea.Batch(tea.RequestBackgroundColor, tea.Raw(ansi.SetModeLightDark))
}

// Background draws for the terminal's background.
func (e *Env) Background(msg tea.BackgroundColorMsg) {
	switch {
	case msg.Color == nil:
		return
	case msg.IsDark():
		e.background = theme.DarkBackground
	default:
		e.background = theme.LightBackground
	}
	e.Wear(e.Theme)
}
