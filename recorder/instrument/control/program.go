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
	// ErrQuiet: the program called no instrumented function until the context was done.
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

// Begin asks the program to record into a folder, given as an absolute path that the program sees.
// options have the form of raw.OptionsVariable. A recording that an earlier controller left running
// is ended first. Begin returns when the program has begun, which is at its next call of an
// instrumented function. If ctx is done before that, Begin withdraws the request and returns
// ErrQuiet.
func (p *Program) Begin(ctx context.Context, folder, options string) error {
	if len(folder) >= raw.FolderSize || len(options) >= raw.OptionsSize {
		return errors.New("the folder's name or the options are too long")
	}
	// This process has the lock, so whoever began a recording that still runs is gone.
	p.state().CompareAndSwap(raw.Asked, raw.Off)
	p.End(ctx)
	switch {
	case p.state().Load() == raw.Off:
	case !p.Alive():
		return ErrNoProcess
	default:
		return ErrQuiet
	}
	p.put(raw.AtFolder, raw.FolderSize, folder)
	p.put(raw.AtOptions, raw.OptionsSize, options)
	before := p.number(raw.AtSession)
	if !p.state().CompareAndSwap(raw.Off, raw.Asked) {
		return ErrBusy
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		switch p.state().Load() {
		case raw.Asked:
		case raw.Off:
			if p.number(raw.AtSession) == before {
				return &Refusal{int(p.number(raw.AtAnswer)), int(p.number(raw.AtAnswerErrno))}
			}
			return nil
		default:
			return nil
		}
		select {
		case <-tick.C:
			if !p.Alive() {
				return ErrNoProcess
			}
		case <-ctx.Done():
			if p.state().CompareAndSwap(raw.Asked, raw.Off) {
				return ErrQuiet
			}
		}
	}
}

// End ends the recording, and waits until the program has noticed or ctx is done. A program that
// calls no instrumented function records nothing anyway.
func (p *Program) End(ctx context.Context) {
	for {
		switch s := p.state().Load(); s {
		case raw.Recording, raw.Lost:
			p.state().CompareAndSwap(s, raw.Ending)
			continue
		case raw.Ending:
		default:
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollEvery):
			if !p.Alive() {
				return
			}
		}
	}
}

// Alive reports whether the process is still there.
func (p *Program) Alive() bool { return Alive(p.PID) }

// Recording reports whether the program still records.
func (p *Program) Recording() bool { return p.state().Load() == raw.Recording }
