// Package env is the environment that the parts of the explorer share ([Env]): the trace and its
// state, the window, the clock, the line of messages, what is open in front, work in the background
// and how long a key may wait for it, and the world outside: the terminal, the clipboard, the shell.
package env

import (
	"context"
	"errors"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// patience is the Patience of a terminal. Data in the system's cache arrives in time, so nothing flickers.
const patience = 8 * time.Millisecond

// Env is the environment of the explorer's parts. Its methods run on Bubble Tea's goroutine.
type Env struct {
	Glyphs        *screen.Glyphs
	Theme         *theme.Theme         // see Paint
	profile       colorprofile.Profile // see Paint
	background    theme.Background     // of the terminal, see Background
	Clock         Clock
	Width, Height int             // of the window, in cells
	Status        StatusLine      // messages, and the spinner
	NoMouse       bool            // the mouse is left to the terminal
	ShowsProgress bool            // the terminal shows progress: see ShowsProgress
	Terminal      *Terminal       // nil if the terminal does not belong to a shell
	Life          context.Context // ends with Close
	Close         context.CancelFunc
	Patience      time.Duration // how long a key may wait for loading before the screen is drawn without the data
	deadline      time.Time     // when the patience of the current Update ends

	Trace    Trace    // what is explored
	Front    Front    // what is open in front of the tree
	Keyboard Keyboard // what keys and clicks mean
}

// Keyboard tells what keys and clicks mean.
type Keyboard struct {
	Keys    *keys.Map
	Count   keys.Count
	Clicks  keys.Clicks
	Touched bool    // the user has pressed a key: from now on nothing moves by itself
	Used    bool    // the user has done more than to look at the first screen and leave
	Prefix  *Prefix // waits for the next key, which chooses; nil if none does
}

// New returns an Env with the clock of this machine and a copy of the signs. The caller must call its Close.
func New(g *screen.Glyphs) *Env {
	own := *g
	e := &Env{Glyphs: &own, Theme: theme.Terminal(), Patience: patience}
	e.Clock = Clock{time.Now, func(d time.Duration, msg tea.Msg) tea.Cmd {
		return tea.Tick(d, func(time.Time) tea.Msg { return msg })
	}}
	e.Life, e.Close = context.WithCancel(context.Background())
	e.Front = Front{env: e}
	return e
}

// Clock is the time, so that tests can use their own.
type Clock struct {
	Now   func() time.Time
	After func(time.Duration, tea.Msg) tea.Cmd // the command delivers the message later
}

func (e *Env) Start() { e.deadline = time.Now().Add(e.Patience) }

// Hurry ends the patience of the current Update.
func (e *Env) Hurry() { e.deadline = time.Time{} }

// Late reports whether the patience of the current Update has ended.
func (e *Env) Late() bool { return time.Now().After(e.deadline) }

// Soon runs work on another goroutine. If it ends within the patience of the current Update, Soon returns its message;
// otherwise the command delivers it. A panic of the work is repeated here, where it is caught.
func (e *Env) Soon(work func() tea.Msg) (tea.Msg, tea.Cmd) {
	done := make(chan tea.Msg, 1)
	go func() { done <- Guarded(work) }()
	later := func() tea.Msg { return <-done }
	if e.Late() {
		return nil, later
	}
	timer := time.NewTimer(time.Until(e.deadline))
	defer timer.Stop()
	select {
	case msg := <-done:
		if p, ok := msg.(Panic); ok {
			p.Again()
		}
		return msg, nil
	case <-timer.C:
		return nil, later
	}
}

// Say shows a message for a while. Like Warn and Fail it returns nil, for keys that only tell something.
func (e *Env) Say(text string) tea.Cmd {
	e.Status.Say(text)
	return nil
}

func (e *Env) Warn(text string) tea.Cmd {
	e.Status.Warn(text)
	return nil
}

// Failed is the message that something went wrong, unless the error is nil: see Fail.
type Failed struct {
	What string
	Err  error
}

// Fail shows an error, if there is one, unless it is that the user stopped the work.
func (e *Env) Fail(what string, err error) tea.Cmd {
	if err != nil && !errors.Is(err, context.Canceled) {
		e.Warn(what + ": " + screen.ErrorLine(err))
	}
	return nil
}

// Spinner returns the current sign of work under way.
func (e *Env) Spinner() string {
	e.Status.spinner.Spinner.Frames = e.Glyphs.Spin
	return e.Status.spinner.View()
}

// Suspend stops the program until fg. Without a shell that could run fg there would be no way back.
func (e *Env) Suspend() tea.Cmd {
	if e.Terminal == nil || !CanSuspend() {
		return e.Say("cannot suspend: no shell to return to")
	}
	return e.Terminal.Suspend(e)
}

// Paint draws in a theme, in the colors of a profile; an unknown one is for all colors.
func (e *Env) Paint(t *theme.Theme, p colorprofile.Profile) {
	e.Theme, e.profile = t, p
	e.Glyphs.Pens = t.Pens(e.background, p)
}

// Wear draws in a theme from now on.
func (e *Env) Wear(t *theme.Theme) { e.Paint(t, e.profile) }

// FewColors reports whether the terminal has so few colors that themes look alike.
func (e *Env) FewColors() bool { return e.profile < colorprofile.ANSI256 }

// Quiet keeps the terminal from telling when its colors change: while another program has it, and at the end.
func (c *Terminal) Quiet() {
	if c.reports.Load() {
		os.Stdout.WriteString(ansi.ResetModeLightDark)
	}
}

// DrawLike has the Env draw as another one does, on the same terminal and by the same clock.
func (e *Env) DrawLike(other *Env) {
	e.Clock, e.Patience, e.Trace.Watching = other.Clock, other.Patience, other.Trace.Watching
	e.background, e.Status.Away = other.background, other.Status.Away
	e.Paint(e.Theme, other.profile)
	e.Terminal, e.ShowsProgress = other.Terminal, other.ShowsProgress
}
