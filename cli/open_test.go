//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"tracex/format/formattest"
)

// screen is the command in a pseudo-terminal of 80 by 24.
type screen struct {
	t     *testing.T
	tty   *os.File
	drawn bytes.Buffer // all output so far
	cmd   *exec.Cmd
}

// onScreen starts the command in a terminal, which is its standard input too
// unless stdin is given.
func onScreen(t *testing.T, stdin *os.File, args ...string) (s *screen, tmp string) {
	t.Helper()
	return onScreenIn(t, "C.UTF-8", stdin, args...)
}

// onScreenIn is onScreen in a locale.
func onScreenIn(t *testing.T, locale string, stdin *os.File, args ...string) (s *screen, tmp string) {
	t.Helper()
	return onTerminal(t, []string{"TERM=xterm-256color", "LC_ALL=" + locale}, stdin, args...)
}

// onTerminal is onScreen with variables.
func onTerminal(t *testing.T, variables []string, stdin *os.File, args ...string) (s *screen, tmp string) {
	t.Helper()
	cmd, _, tmp := command(t, args...)
	cmd.Env = append(cmd.Env, variables...)
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close() })
	defer theirs.Close()
	if err := pty.Setsize(ours, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	if stdin != nil {
		cmd.Stdin = stdin
	}
	// The terminal controls the process, as for a person.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &screen{t: t, tty: ours, cmd: cmd}, tmp
}

// until reads until text has been drawn.
func (s *screen) until(text string) {
	s.t.Helper()
	buf := make([]byte, 64<<10)
	for !strings.Contains(escapes.ReplaceAllString(s.drawn.String(), ""), text) {
		n, err := s.tty.Read(buf)
		s.drawn.Write(buf[:n])
		if err != nil {
			s.t.Fatalf("%q was not drawn before the end: %q", text, s.drawn.String())
		}
	}
}

// press sends keys.
func (s *screen) press(keys string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// end reads the rest and returns the exit code.
func (s *screen) end() int {
	s.t.Helper()
	// Linux ends the reading of a terminal whose other end is closed with EIO.
	_, _ = s.drawn.ReadFrom(s.tty)
	return code(s.t, s.cmd.Wait())
}

// ends waits for the end and checks the exit code, that the terminal is as it was, and
// that tmp is empty.
func (s *screen) ends(want int, tmp string) {
	s.t.Helper()
	if got := s.end(); got != want {
		s.t.Errorf("exit code %d, expected %d: %q", got, want, s.drawn.String())
	}
	s.left()
	if files := formattest.Names(s.t, tmp); len(files) > 0 {
		s.t.Errorf("temporary files stay: %q", files)
	}
}

// left checks that the terminal is as it was.
func (s *screen) left() {
	s.t.Helper()
	on, off := strings.LastIndex(s.drawn.String(), "\x1b[?1049h"), strings.LastIndex(s.drawn.String(), "\x1b[?1049l")
	if on < 0 || off < on {
		s.t.Error("the terminal was not given back")
	}
}

// TestDemoScreen is the first command of the README: a tour, then the tree.
func TestDemoScreen(t *testing.T) {
	s, tmp := onScreen(t, nil, "demo")
	s.until("tour 1 of 8")
	// Only changes are redrawn, so wait for a text that has no part in common with an earlier frame.
	s.until("Catalogue.load(") // the first rows are expanded once they are loaded, unless a key comes before
	// What the tour asks for: the row below can be expanded.
	s.press("j")
	s.until("tour 2 of 8")
	s.press("l")
	s.until("tour 3 of 8")
	s.until("parse")
	s.press("q")
	s.ends(0, tmp)
}

// queries match requests to the terminal that wait for its answer: colors, its type, the
// position of the cursor.
var queries = regexp.MustCompile("\x1b\\]1[0-9];\\?|\x1b\\[[>=]?[0-9]*c|\x1b\\[\\??[56]n|\x1b\\[>[0-9]*q")

// background is the one request of the explorer: it asks once, and waits for no answer.
const background = "\x1b]11;?\a"

// TestScreenKilled: whatever signal ends the explorer, the terminal is restored and no file
// remains. Besides the background, the explorer must not query this terminal, which answers
// nothing: it would wait for the answer before it ends.
func TestScreenKilled(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{
		syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129, syscall.SIGQUIT: 131,
	} {
		t.Run(signal.String(), func(t *testing.T) {
			s, tmp := onScreen(t, nil, "demo")
			s.until("tour 1 of 8")
			if err := s.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			s.ends(want, tmp)
			if asked := queries.FindString(strings.Replace(s.drawn.String(), background, "", 1)); asked != "" {
				t.Errorf("it asks the terminal %q", asked)
			}
		})
	}
}

// TestOpenStdin explores a trace that arrives through standard input, with keys from the terminal.
func TestOpenStdin(t *testing.T) {
	in, err := os.Open(formattest.Unpack(t, "gson.stream.bin"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s, tmp := onScreen(t, in, "open", "-")
	s.until("Libs.gson()")
	s.press("q")
	s.ends(0, tmp)
}

// TestPrintOnTerminal: control characters are escaped on a terminal, and unchanged in a pipe.
func TestPrintOnTerminal(t *testing.T) {
	path := formattest.Unpack(t, "shapes.stream.bin", "shapes.stream.bin.idx")
	cmd, _, _ := command(t, "print", path)
	piped, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.ContainsAny(piped, "\x00\x01\x1b\x7f\u0085") {
		t.Fatal("the trace has no control characters: the test says nothing")
	}
	s, _ := onScreen(t, nil, "print", path)
	if got := s.end(); got != 0 {
		t.Errorf("exit code %d", got)
	}
	for _, r := range s.drawn.String() {
		if r < ' ' && r != '\r' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			t.Fatalf("the terminal got %U", r)
		}
	}
}

// TestNoKeyboard: a terminal to draw on is not enough without one to read from.
func TestNoKeyboard(t *testing.T) {
	cmd, stderr, _ := command(t, "open", formattest.Unpack(t, "gson.stream.bin", "gson.stream.bin.idx"))
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	cmd.Stdout = theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal that controls it
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		t.Fatal(err)
	}
	if got := code(t, cmd.Wait()); got != 2 || !strings.Contains(stderr.String(), "tracex: no terminal to read keys from\nhint: tracex print ") {
		t.Errorf("exit code %d, expected 2; it says %q", got, stderr)
	}
}

// TestLocaleScreen draws with ASCII only if the locale has no more, and with all characters if
// it does, or if the user asks for that.
func TestLocaleScreen(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin", "gson.stream.bin.idx")
	for _, c := range []struct {
		locale string
		args   []string
		ascii  bool
	}{
		{"C", []string{"open", path}, true},
		{"C", []string{"open", "--ascii=false", path}, false},
		{"C.UTF-8", []string{"open", path}, false},
		{"C.UTF-8", []string{"open", "--ascii", path}, true},
	} {
		s, _ := onScreenIn(t, c.locale, nil, c.args...)
		s.until("fromJson")
		s.press("q")
		if got := s.end(); got != 0 {
			t.Errorf("exit code %d", got)
		}
		ascii := strings.IndexFunc(s.drawn.String(), func(r rune) bool { return r > '~' }) < 0
		if ascii != c.ascii {
			t.Errorf("%s, %v: only ASCII: %v", c.locale, c.args, ascii)
		}
	}
}

// TestOpenSeveral: each trace is in a tab, a file that is named twice in one; one that cannot be opened says why. The
// program ends with an error only if none can be opened.
func TestOpenSeveral(t *testing.T) {
	a, b := formattest.Unpack(t, "gson.dump.bin"), formattest.Unpack(t, "threads.stream.bin")
	s, tmp := onScreen(t, nil, "--ascii", a, "absent.bin", b, a+"#5")
	s.until("[1 gson.dump.bin]")
	s.press("2\x14")
	s.until("absent.bin: no such file or directory")
	s.press("\x14")
	s.until("[3 threads.stream.bin]")
	s.press("q")
	s.ends(0, tmp)
	for code, args := range map[int][]string{1: {"absent.bin", "gone.bin"}, 2: {"--index", "x", a, b}} {
		s, _ = onScreen(t, nil, args...)
		s.until(map[int]string{1: "gone.bin: no such file or directory", 2: "--index is the index of one trace, but there are 2"}[code])
		if got := s.end(); got != code {
			t.Errorf("%q ends with %d", args, got)
		}
	}
}

// TestOpenAgain: without a file, what was open last is opened again, each in a tab; a file that is gone is left out.
func TestOpenAgain(t *testing.T) {
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	t.Setenv("XDG_STATE_HOME", state)
	a, b := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 20, Seed: 1}), formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30, Seed: 2})
	open := func(shows string, args ...string) {
		t.Helper()
		s, tmp := onTerminal(t, []string{"TERM=xterm-256color", "LC_ALL=C.UTF-8", "XDG_STATE_HOME=" + state}, nil, append([]string{"open"}, args...)...)
		s.until(shows)
		s.press("q")
		s.ends(0, tmp)
	}
	open("[1 ", a, b+"#3")
	open("[1 ")
	if got := lastOpened(); !slices.Equal(got, []string{a, b}) {
		t.Errorf("open last: %q", got)
	}
	if err := os.Remove(b); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no trace\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := onTerminal(t, []string{"TERM=xterm-256color", "XDG_STATE_HOME=" + state}, nil, "open", text)
	if s.end() == 0 {
		t.Error("a text is opened")
	}
	open("1 thread")
	if got := lastOpened(); !slices.Equal(got, []string{a}) {
		t.Errorf("open last: %q", got)
	}
}
