package env

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
)

// How long a message stays, and how long a frame of the spinner is shown.
const (
	messageFor = 6 * time.Second
	frameFor   = 120 * time.Millisecond
	mostPast   = 100
)

// StatusLine is the message on the bottom line, and the spinner of running work. The zero value
// has no message.
type StatusLine struct {
	text   string
	alarm  bool
	id     int      // of the message
	fading bool     // the message's end has been asked for
	past   []string // messages shown, the newest last

	spinning bool // a tick is under way
	frame    int  // of the spinner
}

// Say shows a message, for a while.
func (l *StatusLine) Say(text string) {
	l.text, l.alarm, l.fading = text, false, false
	l.id++
}

// Warn shows a message about something that went wrong.
func (l *StatusLine) Warn(text string) {
	l.Say(text)
	l.alarm = true
}

func (l *StatusLine) Clear() { l.text = "" }

// Message returns the message; "" if none. alarm means that it reports a failure.
func (l *StatusLine) Message() (text string, alarm bool) { return l.text, l.alarm }

// Past returns the messages that were shown, at most 100, the newest last.
func (l *StatusLine) Past() []string { return l.past }

// Spinner returns the current sign of work under way.
func (l *StatusLine) Spinner(g *screen.Glyphs) string { return g.Spin[l.frame%len(g.Spin)] }

// Settle lets a message fade, and keeps the spinner turning while the explorer is busy. after
// returns a command that delivers a message later; it is for Update.
func (l *StatusLine) Settle(busy bool, after func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	if l.text != "" && !l.fading {
		l.fading = true
		l.past = append(l.past[max(0, len(l.past)-mostPast+1):], l.text)
		cmds = append(cmds, after(messageFor, Faded{l.id}))
	}
	if !l.spinning && busy {
		l.spinning = true
		cmds = append(cmds, after(frameFor, tick{}))
	}
	return tea.Batch(cmds...)
}

// StatusMsg is a message that Settle has asked for.
type StatusMsg interface{ apply(l *StatusLine) }

func (l *StatusLine) Update(msg StatusMsg) { msg.apply(l) }

type Faded struct{ id int }

func (f Faded) apply(l *StatusLine) {
	if f.id == l.id {
		l.text = ""
	}
}

type tick struct{}

func (tick) apply(l *StatusLine) {
	l.spinning = false
	l.frame++
}
