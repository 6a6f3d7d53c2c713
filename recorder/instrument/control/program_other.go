//go:build !linux

package control

import (
	"fmt"
	"sync/atomic"

	"tracex/recorder/instrument/raw"
)

// Program is a running program that can be told to record.
type Program struct {
	PID    int
	word   atomic.Uint32
	before uint32
}

// Find returns the program with a process id.
func Find(int) (*Program, error) { return nil, ErrSystem }

// Close lets others control the program.
func (*Program) Close() error { return nil }

// Own gives a folder to the program's user.
func (*Program) Own(string) error { return ErrSystem }

// Alive reports whether there is a process that has not ended.
func Alive(int) bool { return false }

func (p *Program) state() *atomic.Uint32 { return &p.word }

func (p *Program) number(int) uint32 { return p.word.Load() }

func (*Program) put(int, int, string) {}

func errnoText(n int) string { return fmt.Sprint("error ", n) }

// EndStarted asks a program that has recorded from its start to stop.
func EndStarted(string) (h *raw.Header, running bool, err error) { return nil, false, ErrSystem }
