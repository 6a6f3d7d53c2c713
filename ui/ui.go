package ui

import (
	"context"
	"errors"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/terminal"
)

// Color tells when to use colors.
type Color string

const (
	ColorAuto   Color = "auto"   // depends on the terminal and NO_COLOR
	ColorAlways Color = "always" // the 16 of every terminal
	ColorNever  Color = "never"  // none, whatever the terminal can do
)

// Options define how the explorer looks and behaves. The zero value is good.
type Options struct {
	Raw     bool     // begin with the trace as it was recorded, not folded
	Source  []string // directories to look for source files in
	ASCII   bool     // draw with ASCII only
	Unicode bool     // draw with all characters, whatever the terminal and the locale support
	NoMouse bool     // leave the mouse to the terminal
	Color   Color    // "" means ColorAuto
	Tour    bool     // begin with a tour of the keys
	Follow  bool     // begin at the newest row of a trace that is being written, and stay there
	Name    string   // shown for the trace; "" for the name of its file
	Path    string   // the file to name if the reader has a copy; "" for the reader's
}

// Run shows the trace until the user quits or ctx ends. If ctx ends, it returns the
// context's cause. It always restores the terminal. It handles no signals: the caller's
// context should end on them.
func Run(ctx context.Context, r *lazy.TraceReader, o Options) error {
	o.ASCII = o.ASCII || !o.Unicode && screen.PlainTerminal()
	return run(ctx, New(r, o), o.Color)
}

// run shows a Model on the terminal.
func run(ctx context.Context, m *Model, color Color) error {
	defer m.env.Close()
	// The library draws at ticks. At twice its usual rate the first screen appears 8 ms sooner
	// in the median and a key is answered in half the time. Idle, it takes 1.5 % of a
	// processor instead of 1.
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(120)}
	switch {
	case color == ColorNever, screen.DumbTerminal() && color != ColorAlways:
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	case color == ColorAlways:
		options = append(options, tea.WithColorProfile(colorprofile.ANSI))
	default:
		// The environment tells enough for 16 colors. The library would look for more in
		// terminfo, and start tmux to ask it.
		options = append(options, tea.WithColorProfile(min(colorprofile.ANSI, colorprofile.Env(os.Environ()))))
	}
	p := tea.NewProgram(m, options...)
	m.env.Terminal = terminal.New()
	m.env.Terminal.Watch(p.Send)
	defer m.env.Terminal.Close()
	// Run restores the terminal when it returns, and after a panic of Update, View or a command.
	// Panics of work in the background reach it through Update: see background.Panic.
	_, err := p.Run()
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic) {
		return cause
	}
	return err
}
