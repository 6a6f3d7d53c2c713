// Package background runs work of the explorer's parts on other goroutines and returns its
// results, and its panics, to Bubble Tea's.
package background

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// Guarded runs work and returns its message. It turns a panic into a message of type [Panic].
func Guarded(work func() tea.Msg) (msg tea.Msg) {
	defer func() {
		if r := recover(); r != nil {
			msg = Panic{r, debug.Stack()}
		}
	}()
	return work()
}

// Panic is a panic of work in the background.
type Panic struct {
	Value any
	Stack []byte
}

// Again repeats the panic. On Bubble Tea's goroutine it is caught, and the terminal restored.
func (p Panic) Again() { panic(fmt.Sprintf("%v\n%s", p.Value, p.Stack)) }

// Next returns the command that waits for the next message of a feed. It yields nil once the
// feed is closed.
func Next(feed <-chan tea.Msg) tea.Cmd {
	return func() tea.Msg {
		msg, ok := <-feed
		if !ok {
			return nil
		}
		return msg
	}
}
