// Package env holds what the parts of the explorer share: the window, the clock, the line of
// messages, and how long a key may wait for work in the background.
package env

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/background"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
	"tracex/ui/internal/terminal"
)

// patience is how long a key may wait for loading before the screen is drawn without the data.
// Data in the system's cache arrives in time, so nothing flickers.
const patience = 8 * time.Millisecond

// Env is the environment of the explorer's parts. Its methods run on Bubble Tea's goroutine.
type Env struct {
	Glyphs        *screen.Glyphs
	Clock         Clock
	Width, Height int               // of the window, in cells
	Status        status.Line       // messages, and the spinner
	NoMouse       bool              // the mouse is left to the terminal
	Grays         bool              // the terminal shows 256 colors, and so the grays of a bar
	Terminal      *terminal.Control // nil if the terminal does not belong to a shell
	Life          context.Context   // ends with Close
	Close         context.CancelFunc

	deadline time.Time // when the patience of the current Update ends
}

// New returns an Env with the clock of this machine and a copy of the signs. The caller must
// call its Close.
func New(g *screen.Glyphs) *Env {
	own := *g
	e := &Env{Glyphs: &own, Clock: SystemClock()}
	e.Life, e.Close = context.WithCancel(context.Background())
	return e
}

// Clock is the time, so that tests can use their own.
type Clock struct {
	Now   func() time.Time
	After func(time.Duration, tea.Msg) tea.Cmd // the command delivers the message later
}

// SystemClock returns the clock of this machine.
func SystemClock() Clock {
	return Clock{
		Now: time.Now,
		After: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
}

// AskBackground returns a command that asks the terminal for its background, or nil if the
// answer makes no difference. Until the answer arrives, and without one, the explorer works the
// same.
func (e *Env) AskBackground() tea.Cmd {
	if !e.Grays {
		return nil
	}
	return tea.RequestBackgroundColor
}

// Background draws the cursor's line for the terminal's background.
func (e *Env) Background(msg tea.BackgroundColorMsg) {
	switch {
	case msg.Color == nil || !e.Grays:
	case msg.IsDark():
		e.Glyphs.Bar = screen.DarkBar
	default:
		e.Glyphs.Bar = screen.LightBar
	}
}

// Start starts the patience of an Update.
func (e *Env) Start() { e.deadline = time.Now().Add(patience) }

// Late reports whether the patience of the current Update has ended.
func (e *Env) Late() bool { return time.Now().After(e.deadline) }

// Soon runs work on another goroutine. If the work ends within the patience of the current
// Update, Soon returns its message; otherwise it returns nil, and the command delivers the
// message. A panic of the work is repeated on this goroutine, where it is caught and the
// terminal restored.
func (e *Env) Soon(work func() tea.Msg) (tea.Msg, tea.Cmd) {
	done := make(chan tea.Msg, 1)
	go func() { done <- background.Guarded(work) }()
	later := func() tea.Msg { return <-done }
	if e.Late() {
		return nil, later
	}
	timer := time.NewTimer(time.Until(e.deadline))
	defer timer.Stop()
	select {
	case msg := <-done:
		if p, ok := msg.(background.Panic); ok {
			p.Again()
		}
		return msg, nil
	case <-timer.C:
		return nil, later
	}
}

// Say shows a message for a while.
func (e *Env) Say(text string) { e.Status.Say(text) }

// Warn shows a message about something that went wrong.
func (e *Env) Warn(text string) { e.Status.Warn(text) }

// Fail shows an error, unless the user stopped the work.
func (e *Env) Fail(what string, err error) {
	if !errors.Is(err, context.Canceled) {
		e.Warn(what + ": " + screen.ErrorLine(err))
	}
}

// Spinner returns the current sign of work under way.
func (e *Env) Spinner() string { return e.Status.Spinner(e.Glyphs) }
