package env

import (
	"bytes"
	"io"
	"os/exec"
	"runtime"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// ShowsProgress reports whether the terminal shows progress (OSC 9;4). Others take the sequence for a notification.
func ShowsProgress(getenv func(string) string) bool {
	program := getenv("TERM_PROGRAM")
	return getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" || program == "ghostty" || program == "WezTerm"
}

// Lend runs a program that needs the terminal for itself.
func (e *Env) Lend(program *exec.Cmd) tea.Cmd {
	return tea.Exec(&borrower{program, e.Terminal}, returned(e, "the editor failed"))
}

// Returned is the message that the terminal was taken back from a program or a shell.
type Returned struct {
	By   *Env // that gave it away; nil for a signal
	What string
	Err  error
}

// returned returns the function that makes the message.
func returned(by *Env, what string) tea.ExecCallback {
	return func(err error) tea.Msg { return Returned{by, what, err} }
}

// borrower is a program that owns the terminal while it runs.
type borrower struct {
	*exec.Cmd
	job *Terminal // may be nil
}

func (b *borrower) Run() error {
	drawingEnded()
	if b.job != nil {
		b.job.lent.Store(true)
		defer b.job.lent.Store(false)
		b.job.Quiet()
		defer b.job.write(ansi.SetModeLightDark)
	}
	return b.Cmd.Run()
}

func (b *borrower) SetStdin(r io.Reader)  { b.Stdin = r }
func (b *borrower) SetStdout(w io.Writer) { b.Stdout = w }
func (b *borrower) SetStderr(w io.Writer) { b.Stderr = w }

// drawingEnded waits until the goroutine that draws has ended. Bubble Tea tells it to end when
// it releases the terminal, but does not wait. If the terminal is taken back first, that
// goroutine stops the clock of its successor, and the screen stays empty.
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
