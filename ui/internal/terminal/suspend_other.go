//go:build !unix

package terminal

import (
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// CanSuspend returns false: there is no job control here.
func CanSuspend() bool { return false }

// Control does nothing on systems without job control.
type Control struct{ lent atomic.Bool }

// New returns a Control.
func New() *Control { return new(Control) }

// Watch does nothing: there are no signals to handle.
func (*Control) Watch(func(tea.Msg)) {}

// Close does nothing.
func (*Control) Close() {}

// Suspend does nothing.
func (*Control) Suspend() tea.Cmd { return nil }
