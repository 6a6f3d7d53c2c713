//go:build !unix

package ui

import (
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// canSuspend: there is no job control here.
func canSuspend() bool { return false }

type jobControl struct{ lent atomic.Bool }

func newJobControl() *jobControl { return new(jobControl) }

func (*jobControl) watch(func(tea.Msg))  {}
func (*jobControl) close()               {}
func (*jobControl) suspend(bool) tea.Cmd { return nil }
