//go:build !unix

package env

import (
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// CanSuspend returns false: there is no job control here.
func CanSuspend() bool { return false }

// Terminal does nothing on systems without job control.
type Terminal struct{ lent, reports atomic.Bool }

func NewTerminal() *Terminal { return new(Terminal) }

func (*Terminal) Watch(func(tea.Msg)) {}

func (*Terminal) Close() {}

func (*Terminal) Suspend(*Env) tea.Cmd { return nil }
