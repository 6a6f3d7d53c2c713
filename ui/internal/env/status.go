package env

import (
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"
)

// How long a message stays, and how long a frame of the spinner is shown.
const (
	messageFor = 6 * time.Second
	frameFor   = 120 * time.Millisecond
	awayFor    = time.Second // the same while the terminal has not got the focus
	mostPast   = 100
)

// StatusLine is the message on the bottom line, and the spinner of running work. The zero value has no message.
type StatusLine struct {
	text   string
	alarm  bool
	id     int      // of the message
	fading bool     // the message's end has been asked for
	Past   []string // messages shown, at most 100, the newest last

	Away     bool // the terminal has not got the focus
	spinning bool // a tick is under way
	spinner  spinner.Model
}

func (l *StatusLine) Say(text string) {
	l.text, l.alarm, l.fading = text, false, false
	l.id++
}

func (l *StatusLine) Warn(text string) {
	l.Say(text)
	l.alarm = true
}

func (l *StatusLine) Clear() { l.text = "" }

// Message returns the message; "" if none. alarm means that it reports a failure.
func (l *StatusLine) Message() (text string, alarm bool) { return l.text, l.alarm }

// Settle lets a message fade, and keeps the spinner turning while the explorer is busy. after delivers messages later.
func (l *StatusLine) Settle(busy bool, after func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	if l.text != "" && !l.fading {
		l.fading = true
		l.Past = append(l.Past[max(0, len(l.Past)-mostPast+1):], l.text)
		cmds = append(cmds, after(messageFor, StatusMsg{l.id}))
	}
	if !l.spinning && busy {
		l.spinning = true
		every := frameFor
		if l.Away {
			every = awayFor
		}
		cmds = append(cmds, after(every, StatusMsg{}))
	}
	return tea.Batch(cmds...)
}

// StatusMsg is a message that Settle has asked for.
type StatusMsg struct{ id int } // of the message that has been shown long enough; 0 to turn the spinner

func (l *StatusLine) Update(msg StatusMsg) {
	switch msg.id {
	case 0:
		l.spinning = false
		l.spinner, _ = l.spinner.Update(spinner.TickMsg{}) // without the command that ticks for ever: Settle asks for the next
	case l.id:
		l.text = ""
	}
}
