package env

import (
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/theme"
)

// Paint draws in a theme, in the colors of a profile; an unknown one is for all colors.
func (e *Env) Paint(t *theme.Theme, p colorprofile.Profile) {
	e.Theme, e.profile = t, p
	e.Glyphs.Pens = t.Pens(e.background, p)
}

// Wear draws in a theme from now on.
func (e *Env) Wear(t *theme.Theme) { e.Paint(t, e.profile) }

// FewColors reports whether the terminal has so few colors that themes look alike.
func (e *Env) FewColors() bool { return e.profile < colorprofile.ANSI256 }

// AskBackground returns a command that asks the terminal for its background, and to tell when its colors change between
// dark and light, or nil if that makes no difference. Until the answer arrives, and without one, the explorer works the
// same.
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

// Quiet keeps the terminal from telling when its colors change: while another program has it, and at the end. A terminal
// that does not know how to ignores that.
func (c *Terminal) Quiet() { c.write(ansi.ResetModeLightDark) }

func (c *Terminal) write(sequence string) {
	if c != nil && c.reports.Load() {
		os.Stdout.WriteString(sequence)
	}
}

// DrawLike has the Env draw as another one does, on the same terminal.
func (e *Env) DrawLike(other *Env) {
	e.Paint(e.Theme, other.profile)
	e.Terminal, e.ShowsProgress = other.Terminal, other.ShowsProgress
}
