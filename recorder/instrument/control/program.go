// Package control begins and ends recordings of running instrumented programs. Each of them maps a
// file for this purpose, which only its user may open: see package raw.
package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tracex/recorder/instrument/raw"
)

// Why a program cannot be controlled.
var (
	ErrNoProcess = errors.New("there is no such process")
	// ErrNotBuilt: the program has no file by which it can be controlled.
	ErrNotBuilt = errors.New("the program was not made by tracex build")
	ErrDenied   = errors.New("the program belongs to another user")
	ErrBusy     = errors.New("the program is being recorded already")
	// ErrQuiet: the program called no instrumented function while it was to record.
	ErrQuiet = errors.New("the program has called no recorded function")
	// ErrSystem: this system does not support it.
	ErrSystem = errors.New("programs can be attached to on linux only")
)

// A Refusal is why a program could not begin a recording: a reason of package raw, and the
// system's error.
type Refusal struct {
	Reason int
	Errno  int
}

func (r *Refusal) Error() string {
	what := map[int]string{
		raw.ReasonLimit: "the limit is too small", raw.ReasonReserve: "the disk is nearly full", raw.ReasonAllocate: "it cannot make the file", raw.ReasonFileSize: "its limit for the size of files is too low",
		raw.ReasonMap: "it cannot map the file",
	}[r.Reason]
	if what == "" {
		what = fmt.Sprintf("reason %d", r.Reason)
	}
	if r.Errno != 0 {
		return fmt.Sprintf("the program cannot record: %s: %s", what, errnoText(r.Errno))
	}
	return "the program cannot record: " + what
}

// pollEvery is the interval between checks for the program's answer.
const pollEvery = 2 * time.Millisecond

// Begin asks the program to record into a folder, given as an absolute path that the program sees, and
// does not wait for it: the program records each call of an instrumented function that begins after
// Begin has returned. Whether it can record is known after the first; see [Program.End]. options have the
// form of raw.OptionsVariable. A recording that an earlier controller left is ended.
func (p *Program) Begin(ctx context.Context, folder, options string) error {
	if len(folder) >= raw.FolderSize || len(options) >= raw.OptionsSize {
		return errors.New("the folder's name or the options are too long")
	}
	for {
		s := p.state().Load()
		switch {
		case s == raw.Asked: // by a controller that is gone: this process has the lock
			p.state().CompareAndSwap(raw.Asked, raw.Off)
			continue
		case s == raw.Beginning: // for such a controller
			if err := p.pause(ctx); err != nil {
				return err
			}
			continue
		}
		p.put(raw.AtFolder, raw.FolderSize, folder)
		p.put(raw.AtOptions, raw.OptionsSize, options)
		p.before = p.number(raw.AtSession)
		if p.state().CompareAndSwap(s, raw.Asked) {
			return nil
		}
	}
}

// pause waits a moment. It fails if the process is gone, or ctx is done.
func (p *Program) pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pollEvery):
	}
	if !p.Alive() {
		return ErrNoProcess
	}
	return nil
}

// End ends the recording, and waits until the program has noticed, is gone, or ctx is done. A program that
// calls no instrumented function notices nothing, but records nothing, either. The error is [ErrQuiet] if
// the program called nothing after Begin, and a [*Refusal] if it could not begin.
func (p *Program) End(ctx context.Context) error {
	for {
		switch s := p.state().Load(); s {
		case raw.Asked:
			if p.state().CompareAndSwap(s, raw.Off) {
				return ErrQuiet
			}
			continue
		case raw.Recording, raw.Lost:
			p.state().CompareAndSwap(s, raw.Ending)
			continue
		case raw.Off:
			if p.number(raw.AtSession) == p.before {
				return &Refusal{int(p.number(raw.AtAnswer)), int(p.number(raw.AtAnswerErrno))}
			}
			return nil
		}
		if p.pause(ctx) != nil {
			return nil
		}
	}
}

// Alive reports whether the process is still there.
func (p *Program) Alive() bool { return Alive(p.PID) }

// Recording reports whether the program records, or is going to at its next call.
func (p *Program) Recording() bool {
	switch p.state().Load() {
	case raw.Asked, raw.Beginning, raw.Recording:
		return true
	}
	return false
}
