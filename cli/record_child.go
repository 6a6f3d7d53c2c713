package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// childExit is the exit status of a program that failed under record. The program itself
// has reported why.
type childExit int

func (e childExit) Error() string { return fmt.Sprintf("the program ended with status %d", int(e)) }

// runChild runs a program to its end, with more in its environment.
func (r *recordCommand) runChild(ctx context.Context, args, env []string) error {
	c := exec.Command(args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = r.stdin, r.stdout, r.stderr
	c.Env = append(os.Environ(), env...)
	if err := c.Start(); err != nil {
		return &usageError{message(err), "COMMAND is a path, or a program in $PATH"}
	}
	done := context.AfterFunc(ctx, func() { r.passOn(c.Process, context.Cause(ctx)) })
	err := c.Wait()
	done()
	return exitOf(err)
}

// exitOf returns how a command ended: a childExit if it failed.
func exitOf(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return childExit(exitSignal + int(status.Signal()))
	}
	return childExit(exit.ExitCode())
}

// passOn sends the program the signal that tracex received, except an interrupt or a quit from
// the keyboard, which both received.
func (r *recordCommand) passOn(p *os.Process, cause error) {
	var stopped signalError
	if !errors.As(cause, &stopped) {
		stopped.signal = syscall.SIGTERM
	}
	if (stopped.signal == syscall.SIGINT || stopped.signal == syscall.SIGQUIT) && term.IsTerminal(int(r.stdin.Fd())) {
		return
	}
	_ = p.Signal(stopped.signal) // the program may have ended
}

// explainSignals makes a signal that arrives while the trace at output is completed end tracex by exit, with a word about what
// completes the trace. stop ends that.
func (a *app) explainSignals(output string, exit func(code int)) (stop func()) {
	c, done := make(chan os.Signal, 1), make(chan struct{})
	notifyEnding(c)
	go func() {
		select {
		case s := <-c:
			number, _ := s.(syscall.Signal)
			if term.IsTerminal(int(a.stderr.Fd())) {
				_, _ = io.WriteString(a.stderr, "\r\x1b[K") // in place of the progress bar
			}
			a.say("stopped: " + s.String() + "; the trace is not complete: tracex info " + output + " completes it")
			exit(exitSignal + int(number))
		case <-done:
		}
	}()
	return func() {
		signal.Stop(c)
		close(done)
	}
}
