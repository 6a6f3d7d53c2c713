//go:build linux

package recordtest_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

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

func startServer(t *testing.T, program, mode string, env ...string) *server {
	t.Helper()
	c := start(t, "", append(env, "XDG_RUNTIME_DIR="+t.TempDir()), program, mode, strconv.Itoa(servedCalls))
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

// limitFiles limits the size of the files that the program writes.
func (s *server) limitFiles(n uint64) {
	s.t.Helper()
	if err := unix.Prlimit(s.pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: unix.RLIM_INFINITY}, nil); err != nil {
		s.t.Fatal(err)
	}
}

// attachment is a tracex attach that records a program.
type attachment struct {
	*exec.Cmd
	t     *testing.T
	trace string
	lines *bufio.Scanner // of its standard error
}

// attach starts tracex attach, and returns when that says that it records.
func (s *server) attach(trace string, flags ...string) *attachment {
	s.t.Helper()
	c := tracex(s.t, "", nil, append(append([]string{"attach", "-o", trace}, flags...), strconv.Itoa(s.pid))...)
	said, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	a := &attachment{c, s.t, trace, bufio.NewScanner(said)}
	if !a.lines.Scan() || !strings.HasPrefix(a.lines.Text(), fmt.Sprintf("tracex: recording process %d", s.pid)) {
		s.t.Fatalf("tracex attach says %q", a.lines.Text())
	}
	return a
}

// end waits until tracex attach has ended, and returns what it says then.
func (a *attachment) end() (r result) {
	a.t.Helper()
	for a.lines.Scan() {
		r.stderr += a.lines.Text() + "\n"
	}
	_ = a.Wait()
	r.code = codeOf(a.ProcessState)
	return r
}

// signal ends tracex attach by a signal, and returns what it says.
func (a *attachment) signal(s os.Signal) result {
	a.t.Helper()
	if err := a.Process.Signal(s); err != nil {
		a.t.Fatal(err)
	}
	return a.end()
}

// record records the program while it serves lines, and returns what tracex says and the trace.
func (s *server) record(lines []string, flags ...string) (said, trace string) {
	s.t.Helper()
	a := s.attach(filepath.Join(s.t.TempDir(), "trace.bin"), flags...)
	for _, line := range lines {
		s.serve(line)
	}
	return must(s.t, a.signal(os.Interrupt)).stderr, a.trace
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

// callsIn returns how often a text is in what tracex print prints.
func callsIn(t *testing.T, trace, text string) int {
	t.Helper()
	return strings.Count(must(t, runTracex(t, "", nil, "print", trace)).stdout, text)
}

// TestAttach records a program several times while it runs: its first call after tracex has said that it
// records is in the trace, and none from before.
func TestAttach(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	s := startServer(t, recording, "served")
	for _, lines := range [][]string{{"one", "two", "three"}, {"four"}, {"five"}} {
		said, trace := s.record(lines)
		if !strings.HasPrefix(said, "tracex: recorded ") {
			t.Errorf("tracex says %q", said)
		}
		want := "# Thread 1\n"
		for _, line := range lines {
			want += expectedServed(line, false)
		}
		if text := must(t, runTracex(t, "", nil, "print", trace)).stdout; text != want {
			t.Errorf("the calls of %q are %.3000s", lines, text)
		}
		if list, _ := infoOf(t, trace); len(list) != 1 || list[0].PID != int64(s.pid) || list[0].ParentPID != int64(os.Getpid()) || list[0].Parent != 0 {
			t.Errorf("its parent, this process, is not recorded: %+v", list)
		}
		if len(lines) > 1 { // otherwise the next recording begins where this one has ended
			s.serve("unrecorded")
		}
	}
	said, trace := s.record([]string{"six"}, "--only", "inner", "--only", "main.inner", "--no-times")
	text := must(t, runTracex(t, "", nil, "print", trace)).stdout
	if !strings.Contains(text, expectedServed("six", true)) || strings.Contains(text, "serve(") {
		t.Errorf("with --only there is %.1000s; tracex says %q", text, said)
	}
	s.end()
}

// TestAttachAgain ends recordings of idle and of busy programs in each way, and begins another after each.
func TestAttachAgain(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	for _, c := range []struct {
		mode, call string
		calls      int // for each line
	}{{"served", "main.serve(", servedCalls}, {"crew", "main.inner(", 4 * servedCalls}, {"busy", "main.serve(", servedCalls}} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, recording, c.mode)
			attach := func(flags ...string) *attachment {
				return s.attach(filepath.Join(t.TempDir(), "trace.bin"), flags...)
			}
			exact := func(after string) {
				t.Helper()
				said, trace := s.record([]string{"one", "two"})
				if n := callsIn(t, trace, c.call); n != 2*c.calls {
					t.Errorf("after %s there are %d calls, want %d; tracex says %q", after, n, 2*c.calls, said)
				}
			}
			exact("nothing")
			exact("an interrupt")
			for ended := false; !ended; { // its time may be over before anything was recorded
				a := attach("--for", "5ms")
				s.serve("meanwhile")
				ended = a.end().code == 0
			}
			exact("the end of its time")
			attach("--for", "1ns").end()
			exact("a time without a call")
			s.limitFiles(128 << 10)
			a := attach()
			s.serve("lost")
			if r := a.end(); r.code == 0 || !strings.Contains(r.stderr, "it reached its limit for the size of files") {
				t.Errorf("with a limit for the size of files tracex ends with %+v", r)
			}
			s.limitFiles(unix.RLIM_INFINITY)
			exact("its limit")
			a = attach()
			s.serve("killed")
			a.signal(syscall.SIGKILL)
			exact("a kill")
			attach().signal(syscall.SIGKILL)
			exact("a kill before the first call")
			s.end()
		})
	}
}

// TestAttachKilled kills tracex: the program stops recording soon, and the next command completes the trace.
func TestAttachKilled(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	s := startServer(t, recording, "served")
	a := s.attach(filepath.Join(t.TempDir(), "trace.bin"))
	s.serve("before")
	a.signal(syscall.SIGKILL)
	lines := 1
	for ; !stopped(t, a.trace+".recording"); lines++ {
		s.serve("after")
	}
	s.serve("unrecorded")
	r := must(t, runTracex(t, "", nil, "info", a.trace))
	if n := callsIn(t, a.trace, "main.serve("); n < servedCalls || n > lines*servedCalls || !strings.Contains(r.stderr, "completed the trace") {
		t.Errorf("of %d calls %d are in the trace; tracex says %q", lines*servedCalls, n, r.stderr)
	}
	if n := callsIn(t, a.trace, `"before"`); n != servedCalls {
		t.Errorf("%d calls from before the kill", n)
	}

	// Nor does it begin what a tracex asked for that was killed before the next call.
	a = s.attach(filepath.Join(t.TempDir(), "trace.bin"))
	a.signal(syscall.SIGKILL)
	s.serve("after")
	if files, _ := filepath.Glob(filepath.Join(a.trace+".recording", "*"+raw.Suffix)); len(files) > 0 {
		t.Errorf("the program records into %q", files)
	}
	s.end()
}

// stopped reports whether the program that records into a folder has stopped. It fails the test if that
// has written too much.
func stopped(t *testing.T, folder string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"+raw.Suffix))
	if err != nil || len(files) != 1 {
		t.Fatalf("there are %q: %v", files, err)
	}
	f, err := raw.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if st, err := os.Stat(files[0]); err != nil || st.Size() > 1<<30 {
		t.Fatalf("the program still records: %v, %v", st, err)
	}
	return f.Head.Control != raw.Recording
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
	check(attach(unable.pid), "(plain) is a Go program ("+runtime.Version()+") that was not made by tracex build")
	unable.end()
	if path, err := exec.LookPath("cat"); err == nil { // a system may have nothing but Go
		other := exec.Command(path)
		in, err := other.StdinPipe()
		if err == nil {
			err = other.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		check(attach(other.Process.Pid), "(cat) is no Go program, and was not made by tracex build")
		in.Close()
		if err := other.Wait(); err != nil {
			t.Error(err)
		}
	}
	first := "not made by tracex build"
	if st, err := os.Stat("/proc/1"); err == nil && os.Geteuid() != 0 && int(st.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		first = "belongs to another user"
	}
	check(attach(1), first)
	deaf := startServer(t, recording, "idle", "TRACEX_CONTROL=0")
	check(attach(deaf.pid), "was made by tracex build, but has no file by which it can be reached")
	deaf.end()
	recorded := startServer(t, recording, "idle", "TRACEX_RECORD="+t.TempDir())
	check(attach(recorded.pid), "the program is being recorded already")
	recorded.end()

	// Only one may record a program.
	s := startServer(t, recording, "served")
	a := s.attach(filepath.Join(t.TempDir(), "trace.bin"))
	check(attach(s.pid), "the program is being recorded already")
	s.serve("line")
	check(attach(s.pid), "the program is being recorded already")
	// The program ends while it is recorded.
	s.end()
	must(t, a.end())
	if f := factsOf(t, a.trace); f.Calls != 2*servedCalls {
		t.Errorf("the trace has %+v", f)
	}
}
