//go:build unix

package env

import (
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// CanSuspend reports whether a shell controls this program: its parent is in the same session. Without one the stop
// signal does nothing, and the program would wait forever to be continued.
func CanSuspend() bool {
	own, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	parent, err := unix.Getsid(os.Getppid())
	return err == nil && own == parent
}

// Terminal stops and continues the program, with the terminal as the shell and the explorer each need it:
//
//	Ctrl-Z, SIGTSTP    the terminal is given back, then the program stops
//	SIGCONT after it   the terminal is taken again, and all is drawn
//	SIGCONT after SIGSTOP, which a program cannot notice: the same
//
// While an editor has the terminal, both signals only stop and continue this program: the editor looks after it.
type Terminal struct {
	signals chan os.Signal
	woken   chan struct{} // SIGCONT, for halt
	halting atomic.Bool   // halt waits for SIGCONT
	lent    atomic.Bool   // an editor has the terminal
	reports atomic.Bool   // the terminal tells when its colors change
	done    chan struct{}
	ignored bool // SIGTSTP was ignored when the program began
}

// NewTerminal returns a Terminal, which notes whether the program was started to ignore SIGTSTP.
func NewTerminal() *Terminal {
	return &Terminal{ignored: signal.Ignored(syscall.SIGTSTP), signals: make(chan os.Signal, 4), woken: make(chan struct{}, 1), done: make(chan struct{})}
}

// Watch handles signals until Close. send delivers messages to the program.
func (c *Terminal) Watch(send func(tea.Msg)) {
	c.notify()
	go func() {
		for {
			select {
			case s := <-c.signals:
				c.handle(s, send)
			case <-c.done:
				return
			}
		}
	}()
}

// notify requests the signals, except those that are ignored.
func (c *Terminal) notify() {
	signal.Notify(c.signals, syscall.SIGCONT)
	if !c.ignored {
		signal.Notify(c.signals, syscall.SIGTSTP)
	}
}

func (c *Terminal) Close() {
	signal.Stop(c.signals)
	close(c.done)
}

func (c *Terminal) handle(s os.Signal, send func(tea.Msg)) {
	switch {
	case s == syscall.SIGCONT && c.halting.Load():
		c.woken <- struct{}{}
	case s == syscall.SIGCONT && !c.lent.Load():
		if background() && CanSuspend() {
			_ = unix.Kill(unix.Getpid(), unix.SIGTTOU) // as the kernel does with a background process that draws
			return
		}
		send(c.retake()())
	case s == syscall.SIGTSTP && CanSuspend():
		if c.lent.Load() {
			go c.halt(false)
			return
		}
		send(c.Suspend(nil)())
	}
}

// background reports whether another process group has the terminal.
func background() bool {
	group, err := unix.IoctlGetInt(int(os.Stdout.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return false
	}
	own, err := unix.Getpgid(0) // Getpgrp has other results on Solaris
	return err == nil && group != own
}

// halt stops the program, and with group its whole process group, and returns when it was continued. A program that has
// once caught SIGTSTP is not stopped by it again, so it stops itself with SIGSTOP.
func (c *Terminal) halt(group bool) {
	if !c.halting.CompareAndSwap(false, true) {
		return
	}
	if group {
		signal.Ignore(syscall.SIGTSTP) // the signal is for the others in the group
		_ = unix.Kill(0, unix.SIGTSTP)
	}
	_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
	<-c.woken
	c.halting.Store(false)
	c.notify()
}

// Suspend gives the terminal back, stops the program until it is continued, and takes the terminal again. By a user,
// whose Env is given, the whole process group is stopped; by a signal, the others have got it, too.
func (c *Terminal) Suspend(by *Env) tea.Cmd {
	return tea.Exec(released{new(exec.Cmd), func() error { c.Quiet(); c.halt(by != nil); return nil }}, returned(by, cannotUse))
}

// retake sets up the terminal again after the program was stopped without notice and the terminal was changed.
func (c *Terminal) retake() tea.Cmd {
	return tea.Exec(released{new(exec.Cmd), func() error { return nil }}, returned(nil, cannotUse))
}

const cannotUse = "cannot use the terminal"
