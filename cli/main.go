// Package cli is the command line of tracex: one file for each command, a thin layer over
// packages lazy, ui and recorder.
package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
)

// Main runs the program on its arguments and returns the exit code. demo holds
// the trace of the command demo, in testdata/demo, which only package main can embed.
func Main(demo fs.FS) int { return run(os.Args[1:], demo) }

func run(args []string, demo fs.FS) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	// If the reader goes away (print | head), a write fails with an ordinary error, so
	// temporary files are still removed. Ignoring the signal would have the same effect, but an
	// editor started by this program would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, demoFiles: demo}
	root := newRoot(a)
	root.SetArgs(a.impliedOpen(root, args))
	err := root.ExecuteContext(ctx)
	var child childExit
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.As(err, &child) {
		err = cause
	}
	report(a.stderr, err)
	return exitCode(err)
}

// signalError is the cause of a context that a signal canceled.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return "stopped: " + e.signal.String() }

// notifyEnding sends the signals that end a command to a channel, except ignored ones.
func notifyEnding(c chan<- os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// untilSignal returns a context that the first interrupt, termination, hang-up or quit signal
// cancels, so that a command can restore the terminal and remove its temporary files. The
// second signal ends the program at once. Ignored signals (nohup) stay ignored.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	c := make(chan os.Signal, 1)
	notifyEnding(c)
	go func() {
		select {
		case s := <-c:
			signal.Stop(c)
			number, _ := s.(syscall.Signal)
			cancel(signalError{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(c)
		cancel(nil)
	}
}
