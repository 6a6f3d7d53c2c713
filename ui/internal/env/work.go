package env

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// After a panic, Bubble Tea restores the terminal and prints the panic, if it occurs in Update or
// View. A command's panic ends the program while another goroutine prints it, which the end of
// the process may cut off, and a panic anywhere else is not caught at all. So Guarded and Watched
// carry panics to Update, as messages.

// Guarded runs work and returns its message. It turns a panic into a message of type [Panic].
func Guarded(work func() tea.Msg) (msg tea.Msg) {
	defer func() {
		if r := recover(); r != nil {
			msg = Panic{r, debug.Stack()}
		}
	}()
	return work()
}

// Watched is a command that does the same as cmd, and turns its panic into a message, like
// [Guarded]. That includes the commands of a batch. Watched(nil) is nil.
func Watched(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		msg := Guarded(cmd)
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, cmd := range batch {
				batch[i] = Watched(cmd)
			}
		}
		return msg
	}
}

// Panic is a panic of work in the background.
type Panic struct {
	Value any
	Stack []byte
}

// Again repeats the panic. In Update it is caught, and the terminal restored.
func (p Panic) Again() { panic(fmt.Sprintf("%v\n%s", p.Value, p.Stack)) }
