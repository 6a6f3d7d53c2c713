package background

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// After a panic, Bubble Tea restores the terminal, if the panic occurs on one of its goroutines.
// So Guarded carries a panic of any other goroutine there, as a message.

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
