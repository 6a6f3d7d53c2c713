//go:build linux

package recordtest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"tracex/recorder/instrument/raw"
)

// server is the program worker, which serves a line of its input at a time.
type server struct {
	t       *testing.T
	pid     int
	lines   io.WriteCloser
	answers *bufio.Scanner
	wait    func() error
}

// servedCalls is how many calls of serve there are for each line.
const servedCalls = 50

func startServer(t *testing.T, program, mode string) *server {
	t.Helper()
	c := start(t, "", []string{"XDG_RUNTIME_DIR=" + t.TempDir()}, program, mode, strconv.Itoa(servedCalls))
	in, answers := talkTo(t, c)
	s := &server{t, c.Process.Pid, in, answers, c.Wait}
	if !s.answers.Scan() || s.answers.Text() != "begun" {
		t.Fatalf("the program says %q", s.answers.Text())
	}
	return s
}

// serve has the program serve a line.
func (s *server) serve(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.lines, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
	if !s.answers.Scan() || s.answers.Text() != "served "+line {
		s.t.Fatalf("the program says %q", s.answers.Text())
	}
}

// end ends the program, as it ends when it is not recorded.
func (s *server) end() {
	s.t.Helper()
	s.lines.Close()
	if !s.answers.Scan() || s.answers.Text() != "ended" {
		s.t.Errorf("at its end the program says %q", s.answers.Text())
	}
	if err := s.wait(); err != nil {
		s.t.Error(err)
	}
}

// attach records the program while it serves lines, and returns what tracex says and the trace.
func (s *server) attach(lines []string, flags ...string) (said, trace string) {
	s.t.Helper()
	dir := s.t.TempDir()
	trace = filepath.Join(dir, "trace.bin")
	c := tracex(s.t, "", nil, append(append([]string{"attach", "-o", trace}, flags...), strconv.Itoa(s.pid))...)
	var out bytes.Buffer
	c.Stderr = &out
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	// A program begins to record when it calls something.
	for !hasRaw(dir) {
		s.serve("before")
		if len(done) > 0 {
			s.t.Fatalf("tracex attach: %v: %s", <-done, out.String())
		}
	}
	for _, line := range lines {
		s.serve(line)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}
	// And it stops at the next call.
	for {
		select {
		case err := <-done:
			if err != nil {
				s.t.Errorf("tracex attach: %v: %s", err, out.String())
			}
			return out.String(), trace
		default:
			s.serve("after")
		}
	}
}

// hasRaw reports whether there is a raw file that is complete enough to be one below a folder.
func hasRaw(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, raw.Suffix) {
			b := make([]byte, 8)
			if f, err := os.Open(path); err == nil {
				n, _ := f.Read(b)
				found = found || n == 8 && b[0] != 0 // its magic is written last
				f.Close()
			}
		}
		return nil
	})
	return found
}

// expected is the text of the calls for a line.
func expectedServed(line string, only bool) string {
	var b strings.Builder
	for i := range servedCalls {
		if only {
			fmt.Fprintf(&b, "main.inner(%d): %d\n", i, -i)
			continue
		}
		fmt.Fprintf(&b, "main.serve(%d, %q): %d\n  inner(%d): %d\n", i, line, len(line)-i, i, -i)
	}
	return b.String()
}

// TestAttach records a program twice while it runs.
func TestAttach(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	s := startServer(t, recording, "served")
	for _, lines := range [][]string{{"one", "two", "three"}, {"four"}} {
		s.serve("unrecorded")
		said, trace := s.attach(lines)
		if !strings.HasPrefix(said, "tracex: recorded ") {
			t.Errorf("tracex says %q", said)
		}
		text := must(t, runTracex(t, "", nil, "print", trace)).stdout
		var want strings.Builder
		for _, line := range lines {
			want.WriteString(expectedServed(line, false))
		}
		if n := strings.Count(text, want.String()); n != 1 {
			t.Errorf("the calls of %q are %d times in %.3000s", lines, n, text)
		}
		if strings.Contains(text, "unrecorded") {
			t.Errorf("calls before are in %.3000s", text)
		}
	}
	said, trace := s.attach([]string{"five"}, "--only", "inner", "--only", "main.inner", "--no-times")
	text := must(t, runTracex(t, "", nil, "print", trace)).stdout
	if !strings.Contains(text, expectedServed("five", true)) || strings.Contains(text, "serve(") {
		t.Errorf("with --only there is %.1000s; tracex says %q", text, said)
	}
	s.end()
}

// TestAttachErrors has programs that cannot be recorded.
func TestAttachErrors(t *testing.T) {
	t.Parallel()
	plain, recording := workers(t)
	attach := func(pid int, flags ...string) result {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := runTracex(t, "", nil, append(append([]string{"attach", "-o", trace}, flags...), strconv.Itoa(pid))...)
		if _, err := os.Stat(trace); err == nil || r.code == 0 {
			t.Errorf("attach ends with %+v, and leaves a trace: %v", r, err == nil)
		}
		return r
	}
	check := func(r result, says string) {
		t.Helper()
		if !strings.Contains(r.stderr, says) || !strings.Contains(r.stderr, "\nhint: ") {
			t.Errorf("attach says %q, expected %q", r.stderr, says)
		}
	}
	idle := startServer(t, recording, "idle")
	check(attach(idle.pid, "--for", "1ms"), "the program has called no recorded function")
	idle.end()
	check(attach(idle.pid), "there is no such process")
	unable := startServer(t, plain, "idle")
	check(attach(unable.pid), "the program was not made by tracex build")
	unable.end()

	// Only one may record a program.
	s := startServer(t, recording, "served")
	dir := t.TempDir()
	c := tracex(t, "", nil, "attach", "-o", filepath.Join(dir, "trace.bin"), strconv.Itoa(s.pid))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for !hasRaw(dir) {
		s.serve("line")
	}
	s.serve("line") // the one before may have begun earlier
	check(attach(s.pid), "the program is being recorded already")
	// The program ends while it is recorded.
	s.end()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if f := factsOf(t, filepath.Join(dir, "trace.bin")); f.Calls < servedCalls {
		t.Errorf("the trace has %+v", f)
	}

	// tracex is killed: the program continues, and can be recorded again.
	s = startServer(t, recording, "served")
	dir = t.TempDir()
	c = tracex(t, "", nil, "attach", "-o", filepath.Join(dir, "trace.bin"), strconv.Itoa(s.pid))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for !hasRaw(dir) {
		s.serve("line")
	}
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	s.serve("alone")
	if said, trace := s.attach([]string{"again"}); !strings.Contains(must(t, runTracex(t, "", nil, "print", trace)).stdout, expectedServed("again", false)) {
		t.Errorf("tracex says %q", said)
	}
	s.end()
}
