package status

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
)

// How long a message stays, and how long a frame of the spinner is shown.
const (
	messageFor = 6 * time.Second
	frameFor   = 120 * time.Millisecond
)

// Line is the message on the bottom line, and the spinner of running work. The zero value
// has no message.
type Line struct {
	text   string
	alarm  bool
	id     int  // of the message
	fading bool // the message's end has been asked for

	spinning bool // a tick is under way
	frame    int  // of the spinner
}

// Say shows a message, for a while.
func (l *Line) Say(text string) {
	l.text, l.alarm, l.fading = text, false, false
	l.id++
}

// Warn shows a message about something that went wrong.
func (l *Line) Warn(text string) {
	l.Say(text)
	l.alarm = true
}

// Clear removes the message.
func (l *Line) Clear() { l.text = "" }

// Message returns the message; "" if none. alarm means that it reports a failure.
func (l *Line) Message() (text string, alarm bool) { return l.text, l.alarm }

// Spinner returns the current sign of work under way.
func (l *Line) Spinner(g *screen.Glyphs) string { return g.Spin[l.frame%len(g.Spin)] }

// Settle lets a message fade, and keeps the spinner turning while the explorer is busy. after
// returns a command that delivers a message later; it is for Update.
func (l *Line) Settle(busy bool, after func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	if l.text != "" && !l.fading {
		l.fading = true
		cmds = append(cmds, after(messageFor, Faded{l.id}))
	}
	if !l.spinning && busy {
		l.spinning = true
		cmds = append(cmds, after(frameFor, tick{}))
	}
	return tea.Batch(cmds...)
}

// Msg is a message that Settle has asked for.
type Msg interface{ apply(l *Line) }

// Update handles such a message.
func (l *Line) Update(msg Msg) { msg.apply(l) }

// Faded ends a message.
type Faded struct{ id int }

func (f Faded) apply(l *Line) {
	if f.id == l.id {
		l.text = ""
	}
}

// tick turns the spinner to its next frame.
type tick struct{}

func (tick) apply(l *Line) {
	l.spinning = false
	l.frame++
}
