//go:build unix

package ui

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
)

// explorerIn starts the explorer under a shell and returns its process.
func explorerIn(t *testing.T) (c *console, pid int) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a shell, sh")
	}
	c = startConsole(t, nil, shell, "-i")
	c.waitFor("prompt>")
	c.send("set -m; " + os.Args[0] + "\r")
	c.waitFor(firstScreen)
	// A shell's job is a process group, which owns the terminal.
	pid, err = unix.IoctlGetInt(int(c.tty.Fd()), unix.TIOCGPGRP)
	if err != nil {
		t.Fatal(err)
	}
	return c, pid
}

// TestTerminalStopped stops the explorer from outside, with the signal that it can catch and
// with the one that it cannot. Back in the foreground it draws everything, reads keys one by
// one, and leaves the terminal as it was.
func TestTerminalStopped(t *testing.T) {
	for name, stop := range map[string]syscall.Signal{"TSTP": syscall.SIGTSTP, "STOP": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			c, pid := explorerIn(t)
			for range 2 {
				if err := syscall.Kill(pid, stop); err != nil {
					t.Fatal(err)
				}
				if stop == syscall.SIGTSTP {
					c.waitFor("\x1b[?1049l")
				}
				c.waitFor("prompt>")
				if stop == syscall.SIGTSTP {
					c.restored()
				}
				c.send("fg\n")
				c.waitFor("\x1b[?1049h")
				c.waitFor(firstScreen)
			}
			c.send("?")
			c.waitFor("You are here") // in help, and on no other screen
			c.send("qq")
			c.waitFor("prompt>")
			c.restored()
			if off := strings.Count(c.text(), ansi.ResetModeLightDark); stop == syscall.SIGTSTP && off != 3 {
				t.Errorf("%d times the terminal is told to keep quiet about its colors", off)
			}
			c.send("exit\n")
			c.cmd.Wait()
		})
	}
}

// TestTerminalContinued continues an explorer, without a shell, after another program has drawn
// over it while it was stopped.
func TestTerminalContinued(t *testing.T) {
	c := startConsole(t, nil)
	c.waitFor(firstScreen)
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := c.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	c.waitFor("\x1b[?1049h")
	c.waitFor(firstScreen)
	c.send("q")
	if code := c.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestTerminalRedraw: Ctrl-L redraws the current screen.
func TestTerminalRedraw(t *testing.T) {
	c := startConsole(t, nil)
	c.waitFor(firstScreen)
	c.send("\x0c")
	c.waitFor(firstScreen)
	c.send("/\x0c")
	c.waitFor(firstScreen)
	c.send("\x03q")
	if code := c.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
