package recording

import (
	"errors"
	"fmt"

	"tracex/recorder/convert/instrumented"
)

// Errors that a caller branches on.
var (
	ErrRecording  = errors.New("still being recorded")
	ErrFinishing  = errors.New("another process is completing its trace")
	ErrUnfinished = errors.New("an earlier recording was never finished")
)

// OutlivedError is an [ErrRecording]: the recording process has ended, but a program goes on. What it writes into the
// directory cannot be read before it has ended.
type OutlivedError struct {
	PID int // of the program
}

func (e *OutlivedError) Error() string {
	return fmt.Sprintf("the recording process was killed, but process %d still runs and records", e.PID)
}

func (e *OutlivedError) Unwrap() error { return ErrRecording }

// TakenError says what is in the place of a trace that is to be made.
type TakenError struct {
	By     Taker
	Output string // the trace
	Err    error
}

// Taker is what may be in the place of a trace.
type Taker int

const (
	ByFile       Taker = iota // a file
	ByForeign                 // a file that is none of a trace
	ByUnfinished              // a recording whose trace cannot be completed
	ByRecording               // a recording
	ByFolder                  // a folder that is none of traces of tests
)

func (e *TakenError) Error() string { return e.Err.Error() }
func (e *TakenError) Unwrap() error { return e.Err }

// NothingError says that nothing was recorded.
type NothingError struct {
	Summary *instrumented.Summary // of raw files; nil if there were none
	// Packets: a service waited for programs. Programs connected to it, and had Sessions.
	Packets            bool
	Programs, Sessions uint64
}

func (e *NothingError) Error() string { return "nothing was recorded" }

// KeptError is an error after which What of a recording is kept in a file or folder, At.
type KeptError struct {
	Err      error
	What, At string
}

func (e *KeptError) Error() string { return e.Err.Error() }
func (e *KeptError) Unwrap() error { return e.Err }

// LostPacketsError says why packets are not in a trace. At is where they are.
type LostPacketsError struct {
	Output, At string
	Err        error
}

func (e *LostPacketsError) Error() string {
	return "what programs recorded by package recorder is not in " + e.Output + ", but kept in " + e.At + ": " + e.Err.Error()
}

func (e *LostPacketsError) Unwrap() error { return e.Err }

// FullError says that a trace could not grow as far as it should, for lack of room.
type FullError struct{ Err error }

func (e *FullError) Error() string { return e.Err.Error() }
func (e *FullError) Unwrap() error { return e.Err }
