//go:build linux

package recordtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tracex/recorder/instrument/raw"
)

// TestProgramRunsOn has a program that runs on when its trace is completed: tracex says so, and the program
// stops recording into a file that is gone.
func TestProgramRunsOn(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)

	t.Run("record was killed", func(t *testing.T) {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		c := tracex(t, "", nil, "record", "-o", trace, "--", recording, "served", fmt.Sprint(servedCalls))
		s := talkToServer(t, c)
		s.serve("before")
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_, _ = c.Process.Wait() // Wait would close the program's input
		s.serve("after the kill")
		said := must(t, runTracex(t, "", nil, "info", trace)).stderr
		s.runsOn(said, trace, "before", "after the kill")
	})

	t.Run("the command has ended", func(t *testing.T) {
		if _, err := exec.LookPath("sh"); err != nil {
			t.Skip("no shell")
		}
		dir := t.TempDir()
		trace, ends := filepath.Join(dir, "trace.bin"), filepath.Join(dir, "ends")
		if err := syscall.Mkfifo(ends, 0o600); err != nil {
			t.Fatal(err)
		}
		c := tracex(t, "", nil, "record", "-o", trace, "--", "sh", "-c", `exec 3<&0; "$1" served "$2" <&3 & read x <"$3"`, "sh", recording, fmt.Sprint(servedCalls), ends)
		told, err := os.Create(filepath.Join(dir, "told"))
		if err != nil {
			t.Fatal(err)
		}
		defer told.Close()
		c.Stderr = told
		s := talkToServer(t, c)
		s.serve("before")
		if err := os.WriteFile(ends, []byte("x\n"), 0); err != nil {
			t.Fatal(err)
		}
		ended, err := c.Process.Wait()
		said, _ := os.ReadFile(told.Name())
		if err != nil || !ended.Success() {
			t.Fatalf("%v, %v: %s", ended, err, said)
		}
		s.runsOn(string(said), trace, "before")
	})
}

// talkToServer starts a command that starts the program worker as a server.
func talkToServer(t *testing.T, c *exec.Cmd) *server {
	t.Helper()
	in, answers := talkTo(t, c)
	s := &server{t, 0, in, answers, nil}
	if !s.answers.Scan() || s.answers.Text() != "begun" {
		t.Fatalf("the program says %q", s.answers.Text())
	}
	return s
}

// runsOn checks what tracex said about the program, that the trace has the lines that it served before, and
// that it records no more.
func (s *server) runsOn(said, trace string, lines ...string) {
	s.t.Helper()
	_, rest, _ := strings.Cut(said, "tracex: ")
	for rest != "" && s.pid == 0 {
		line, more, _ := strings.Cut(rest, "\n")
		if at := strings.Index(line, "recording "); at >= 0 && strings.Contains(line, "still runs") {
			_, _ = fmt.Sscanf(line[at:], "recording %d still runs", &s.pid)
		}
		rest = more
	}
	if s.pid == 0 {
		s.t.Fatalf("tracex does not say that the program still runs: %q", said)
	}
	for _, line := range lines {
		if n := callsIn(s.t, trace, fmt.Sprintf("%q", line)); n != servedCalls {
			s.t.Errorf("%d calls for %q", n, line)
		}
	}
	s.serve("unrecorded")
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", s.pid))
	if n := strings.Count(string(maps), raw.Suffix); err != nil || n > 1 { // the header stays
		s.t.Errorf("the program still records, into %d parts of a file: %v", n, err)
	}
	s.lines.Close()
	if !s.answers.Scan() || s.answers.Text() != "ended" {
		s.t.Errorf("at its end the program says %q", s.answers.Text())
	}
}
