package ui

import (
	"bytes"
	"io"
	"os/exec"
	"runtime"
	"time"

	tea "charm.land/bubbletea/v2"
)

// suspend stops the program until fg. Without a shell that could say fg there
// would be no way back.
func (m *Model) suspend(int) tea.Cmd {
	if m.job == nil || !canSuspend() {
		m.say("cannot suspend: no shell to return to")
		return nil
	}
	return m.job.suspend(true)
}

// redraw draws all of the screen anew, whatever is on the terminal.
func (m *Model) redraw(int) tea.Cmd {
	return tea.Batch(tea.ClearScreen, tea.RequestWindowSize)
}

// retaken is the return to a terminal that others have used.
type retaken struct{ err error }

func (r retaken) apply(m *Model) tea.Cmd {
	if r.err != nil {
		m.fail("cannot use the terminal", r.err)
	}
	return tea.ClearScreen
}

// lendTerminal runs a program that needs the terminal for itself.
func (m *Model) lendTerminal(c *exec.Cmd, ended tea.ExecCallback) tea.Cmd {
	return tea.Exec(&borrower{c, m.job}, ended)
}

// borrower is a program that has the terminal while it runs.
type borrower struct {
	*exec.Cmd
	job *jobControl // may be nil
}

func (b *borrower) Run() error {
	drawingEnded()
	if b.job != nil {
		b.job.lent.Store(true)
		defer b.job.lent.Store(false)
	}
	return b.Cmd.Run()
}

func (b *borrower) SetStdin(r io.Reader)  { b.Stdin = r }
func (b *borrower) SetStdout(w io.Writer) { b.Stdout = w }
func (b *borrower) SetStderr(w io.Writer) { b.Stderr = w }

// drawingEnded waits for the end of the goroutine that draws. Bubble Tea tells
// it to end when it gives the terminal back, but does not wait: if the terminal
// is taken again first, that goroutine stops the clock of the one that draws
// from then on, and the screen stays empty.
func drawingEnded() {
	stacks := make([]byte, 256<<10)
	for range 1000 {
		n := runtime.Stack(stacks, true)
		for n == len(stacks) && n < 64<<20 {
			stacks = make([]byte, 2*n)
			n = runtime.Stack(stacks, true)
		}
		if !bytes.Contains(stacks[:n], []byte("tea/v2.(*Program).startRenderer.func")) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
