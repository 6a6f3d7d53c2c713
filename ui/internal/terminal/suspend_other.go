//go:build !unix

package terminal

import (
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// CanSuspend: there is no job control here.
func CanSuspend() bool { return false }

// Control does nothing where there is no job control.
type Control struct{ lent atomic.Bool }

// New returns a Control.
func New() *Control { return new(Control) }

// Watch has no signals to handle.
func (*Control) Watch(func(tea.Msg)) {}

// Close ends Watch.
func (*Control) Close() {}

// Suspend does nothing.
func (*Control) Suspend() tea.Cmd { return nil }
