//go:build unix

package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"golang.org/x/term"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/recorder/perfetto/ipctest"
	"tracex/ui/internal/env"
	"tracex/ui/internal/uitest"
)

// explorerVariable makes the test binary the explorer of the trace that it names, for tests
// that need a process in a terminal of its own.
const explorerVariable = "TRACEX_TEST_EXPLORE"

func TestMain(m *testing.M) {
	if path := os.Getenv(explorerVariable); path != "" {
		os.Exit(explore(path))
	}
	ipctest.NoService()
	formattest.DefaultSignals()
	os.Exit(m.Run())
}

// panicVariable plants keys that panic in that explorer.
const panicVariable = "TRACEX_TEST_PANICS"

// planted is such keys.
type planted struct{ m *Model }

// Choose panics, in three ways.
func (p planted) Choose(c env.Choice) tea.Cmd {
	panics := func() tea.Msg { panic("planted") }
	switch c.Key {
	case "ctrl+x":
		return panics
	case "ctrl+g":
		_, cmd := p.m.env.Soon(panics)
		return cmd
	}
	panic("planted")
}

// explore is the program: like in the command, its context ends at signals.
func explore(path string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer r.Close()
	m := New(r, Options{})
	if os.Getenv(panicVariable) != "" {
		m.env.Keyboard.Prefix = &env.Prefix{By: planted{m}, Choices: []env.Choice{{Key: "ctrl+t"}, {Key: "ctrl+x"}, {Key: "ctrl+g"}}}
	}
	err = run(ctx, m, m, ColorAuto)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return 3
	case errors.Is(err, tea.ErrProgramPanic):
		return 4
	}
	fmt.Fprintln(os.Stderr, err)
	return 5
}

// console is a program in a pseudo-terminal.
type console struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    *os.File // our end
	slave  *os.File // the program's end
	before *term.State
	mu     sync.Mutex
	out    bytes.Buffer // output since the last text waited for
	all    bytes.Buffer
	grew   chan struct{}
	eof    chan struct{}
}

// patienceInTerminals is how long a program may take to write an expected text, and to end. It
// only determines how soon a test fails.
const patienceInTerminals = 2 * time.Minute

// startConsole starts a program, by default the explorer, in a terminal of 80×24.
func startConsole(t *testing.T, env []string, program ...string) *console {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes in pseudo-terminals")
	}
	if program == nil {
		program = []string{os.Args[0]}
	}
	c := &console{t: t, cmd: exec.Command(program[0], program[1:]...), grew: make(chan struct{}, 1), eof: make(chan struct{})}
	var err error
	if c.tty, c.slave, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	c.resize(80, 24)
	if c.before, err = term.GetState(int(c.slave.Fd())); err != nil {
		t.Fatal(err)
	}
	path := formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx")
	c.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "LC_ALL=C.UTF-8", "PS1=prompt>", explorerVariable+"="+path)
	c.cmd.Env = append(c.cmd.Env, env...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = c.slave, c.slave, c.slave
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.cmd.Process.Kill()
		c.slave.Close()
		c.tty.Close()
	})
	go c.read()
	return c
}

func (c *console) resize(width, height uint16) {
	c.t.Helper()
	if err := pty.Setsize(c.tty, &pty.Winsize{Rows: height, Cols: width}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *console) read() {
	defer close(c.eof)
	b := make([]byte, 4096)
	for {
		n, err := c.tty.Read(b)
		c.mu.Lock()
		c.out.Write(b[:n])
		c.all.Write(b[:n])
		c.mu.Unlock()
		select {
		case c.grew <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all.String()
}

// waitFor waits until the program has written a text, and drops everything up to its end.
func (c *console) waitFor(text string) {
	c.t.Helper()
	c.await(text, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := bytes.Index(c.out.Bytes(), []byte(text))
		if i >= 0 {
			c.out.Next(i + len(text))
		}
		return i >= 0
	})
}

// await waits until what the program has written is enough.
func (c *console) await(what string, enough func() bool) {
	c.t.Helper()
	limit := time.After(patienceInTerminals)
	for !enough() {
		select {
		case <-c.grew:
		case <-c.eof:
			c.t.Fatalf("the program ended before it wrote %q; it wrote %q", what, c.text())
		case <-limit:
			c.t.Fatalf("no %q; the program wrote %q", what, c.text())
		}
	}
}

func (c *console) send(keys string) {
	c.t.Helper()
	if _, err := io.WriteString(c.tty, keys); err != nil {
		c.t.Fatal(err)
	}
}

// ends waits for the end of the program and returns its exit code. The terminal
// must be as it was: see restored.
func (c *console) ends() int {
	c.t.Helper()
	done := make(chan error, 1)
	go func() { done <- c.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(patienceInTerminals):
		c.t.Fatal("the program does not end")
	}
	after, err := term.GetState(int(c.slave.Fd()))
	if err != nil {
		c.t.Fatal(err)
	}
	if !reflect.DeepEqual(c.before, after) {
		c.t.Errorf("the terminal's settings were %+v, and are %+v", c.before, after)
	}
	c.slave.Close()
	<-c.eof
	c.restored()
	return c.cmd.ProcessState.ExitCode()
}

// restored checks that all modes that the program has set are off again.
func (c *console) restored() {
	c.t.Helper()
	text := c.text()
	for _, mode := range []struct{ name, on, off string }{
		{"alternate screen", "\x1b[?1049h", "\x1b[?1049l"}, {"hidden cursor", "\x1b[?25l", "\x1b[?25h"},
		{"mouse", "\x1b[?1002h", "\x1b[?1002l"}, {"bracketed paste", "\x1b[?2004h", "\x1b[?2004l"},
	} {
		on, off := strings.LastIndex(text, mode.on), strings.LastIndex(text, mode.off)
		if on < 0 || off < on {
			c.t.Errorf("%s: last set at %d, left at %d; the end of what was written: %q", mode.name, on, off, text[max(0, len(text)-300):])
		}
	}
}

// firstScreen is in a row below the first call, which is open on the first screen.
const firstScreen = "fromJson"

// TestTerminalWalk walks a trace in a real terminal.
func TestTerminalWalk(t *testing.T) {
	c := startConsole(t, nil)
	c.waitFor(firstScreen)
	c.send("jjl")
	c.waitFor("setFormattingStyle")
	c.send("/JsonWriter(\r")
	c.waitFor("1 of ")
	c.send("x")
	c.waitFor("nothing to unload")
	c.resize(110, 30)
	c.waitFor(" calls")
	c.send("gjx")
	c.waitFor("unloaded")
	c.send("q")
	if code := c.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestTerminalRestored ends the program in every possible way.
func TestTerminalRestored(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			c := startConsole(t, nil)
			c.waitFor(firstScreen)
			if err := c.cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			if code := c.ends(); code != 3 {
				t.Errorf("exit code %d", code)
			}
		})
	}
	for _, key := range []struct {
		name, key string
		code      int
	}{{"ctrl-c", "\x03", 0}, {"panic", "\x14", 4}, {"panic in a command", "\x18", 4}, {"panic in a goroutine", "\x07", 4}} {
		t.Run(key.name, func(t *testing.T) {
			c := startConsole(t, []string{panicVariable + "=1"})
			c.waitFor(firstScreen)
			c.send(key.key)
			if code := c.ends(); code != key.code {
				t.Errorf("exit code %d", code)
			}
			if key.code == 4 && !strings.Contains(c.text(), "planted") {
				t.Error("no word of the panic")
			}
		})
	}
}

// TestTerminalSuspend stops the explorer under a shell and continues it.
func TestTerminalSuspend(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a shell, sh")
	}
	c := startConsole(t, nil, shell, "-i")
	c.waitFor("prompt>")
	c.send("set -m; " + os.Args[0] + "\r")
	c.waitFor(firstScreen)
	c.send("\x1a")
	c.waitFor("\x1b[?1049l")
	c.waitFor("prompt>")
	c.restored()
	c.send("fg\r")
	c.waitFor("\x1b[?1049h")
	c.waitFor(firstScreen)
	c.send("q")
	c.waitFor("prompt>")
	c.restored()
	c.send("exit\r")
	c.cmd.Wait()
}

// TestTerminalAlone does not stop if no shell could continue it.
func TestTerminalAlone(t *testing.T) {
	c := startConsole(t, nil)
	c.waitFor(firstScreen)
	c.send("\x1a")
	c.waitFor("no shell to return to")
	c.send("q")
	if code := c.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// colors matches any escape sequence that sets a color.
var colors = regexp.MustCompile("\x1b\\[[0-9;]*(3[0-7]|9[0-7]|38|48)[0-9;]*m")

// TestTerminalColors draws with colors, and without them on request.
func TestTerminalColors(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		want bool
	}{
		{"16", []string{"TERM=xterm"}, true}, {"256", []string{"TERM=xterm-256color"}, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, false}, {"dumb", []string{"TERM=dumb"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			con := startConsole(t, c.env)
			con.waitFor(firstScreen)
			if c.name == "256" { // it asks beside drawing
				con.await(ansi.SetModeLightDark, func() bool { return strings.Contains(con.text(), ansi.SetModeLightDark) })
			}
			con.send("q")
			if code := con.ends(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if got := colors.FindString(con.text()); (got != "") != c.want {
				t.Errorf("color %q", got)
			}
			on, off := strings.Count(con.text(), ansi.SetModeLightDark), strings.Count(con.text(), ansi.ResetModeLightDark)
			if on != off || (on == 1) != (c.name == "256") {
				t.Errorf("%d times the terminal is to tell when its colors change, and %d times no longer", on, off)
			}
		})
	}
}

// TestWindowTitle: the window is named after the trace, without what could end the sequence; a terminal that shows
// progress shows that of a search.
func TestWindowTitle(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{Name: "a\x1b]0;b\a"})
	if got := d.m.View().WindowTitle; got != `tracex – a\x1b]0;b\x07` {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]bool{"ghostty": true, "WezTerm": true, "iTerm.app": false, "": false} {
		if got := env.ShowsProgress(func(v string) string { return map[string]string{"TERM_PROGRAM": name}[v] }); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	d.m.env.ShowsProgress = true
	if f := d.m.newFrame(); f.progress != nil || f.done != 0 {
		t.Errorf("%v while nothing runs", f.progress)
	}
	d.m.env.Trace.Known = lazy.Status{Phase: lazy.PhaseRebuilding, Done: 30, Total: 120}
	d.m.frame = d.m.newFrame()
	if p := d.m.frame.progress; p == nil || p.Value != 25 {
		t.Errorf("%v after a quarter", p)
	}
	if head, _, _ := strings.Cut(ansi.Cut(d.m.View().Content, 0, 25), "\x1b[24m"); ansi.StringWidth(head) != 25 || !strings.Contains(head, "\x1b[4m") {
		t.Errorf("%q is underlined", head)
	}
}
