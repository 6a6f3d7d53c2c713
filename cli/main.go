// Package cli is the command line of tracex: a file for each command, thin over
// what packages lazy, ui and recorder do.
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
// the trace of the command demo, in testdata/demo: the folder above can embed it.
func Main(demo fs.FS) int { return run(os.Args[1:], demo) }

func run(args []string, demo fs.FS) int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	// A reader that goes away (print | head) is an ordinary error of a write,
	// so that temporary files are still removed. To ignore the signal would
	// do, but an editor that is started would inherit it.
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

// signalError is why a context ended: the program was told to stop.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return "stopped: " + e.signal.String() }

// untilSignal returns a context that the first interrupt, termination, hang-up or
// quit cancels, so that a command can give the terminal back and remove its
// temporary files. The second ends the program at once. Signals that are ignored (nohup) stay ignored.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	c := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
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
