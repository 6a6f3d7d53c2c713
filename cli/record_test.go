//go:build linux

package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/recording"
)

// tracedArgument, as its first argument, makes the test binary a program that records; the
// second argument tells how it ends. It is an argument, not a variable, so that no other
// program, such as env, is needed to pass it on.
const tracedArgument = "traced"

func init() {
	if len(os.Args) == 3 && os.Args[1] == tracedArgument {
		traced(os.Args[2])
	}
}

// traced records some events, and ends as told.
func traced(end string) {
	fmt.Println("the program says hello")
	switch end {
	case "idles":
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	case "nothing":
		os.Exit(0)
	}
	if err := recordEvents(end); err != nil {
		fmt.Println(err)
		os.Exit(9)
	}
	os.Exit(3)
}

func recordEvents(end string) error {
	switch end {
	case "continues":
		return recordOn()
	case goesOnArgument, goesOnAndStops:
		return recordWithoutService(end == goesOnAndStops)
	case "raw":
		return recordRaw(3)
	case "raw without calls":
		return recordRaw(0)
	case "raw and waits":
		return recordRawAndWait()
	case "raw and calls":
		return cmp.Or(recordRaw(3), recordCalls())
	case "calls without raw calls":
		return cmp.Or(recordRaw(0), recordCalls())
	case "calls":
		return recordCalls()
	case "calls, in the way":
		if err := os.WriteFile("trace.bin.idx", nil, 0o600); err != nil {
			return err
		}
		return recordOn()
	}
	p, err := producer.Start(producer.Options{StartUp: end == "early", AdoptWithin: time.Hour})
	if err != nil {
		return err
	}
	if end == "offers nothing" {
		return p.Settle(context.Background())
	}
	events, err := p.Events(producer.EventsOptions{Policy: producer.Stall})
	if err != nil {
		return err
	}
	if end == "connected" {
		return p.Settle(context.Background())
	}
	if end == "early" {
		all := &producer.TrackEventConfig{EnabledCategories: []string{"*"}}
		if _, err := events.Source().StartUp(&producer.SourceConfig{TrackEventConfig: all}); err != nil {
			return err
		}
		t, inner := events.Goroutine("early"), events.Name("prog", "early")
		t.Begin(inner)
		t.End(inner)
	}
	if err := p.Settle(context.Background()); err != nil {
		return err
	}
	if end == "cleared" {
		if err := awaitClear(p); err != nil {
			return err
		}
	}
	outer, inner, number := events.Name("prog", "outer"), events.Name("prog", "inner"), events.Key("number")
	t := events.Goroutine("main")
	t.Begin(outer)
	for i := range 1000 {
		t.Begin(inner, producer.Int(number, int64(i)))
		t.End(inner)
	}
	if err := p.Sync(context.Background()); err != nil { // afterwards the service knows the writer
		return err
	}
	switch end {
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "in the way":
		if err := os.WriteFile("trace.bin.idx", nil, 0o600); err != nil {
			return err
		}
	case "waits":
		fmt.Println("waiting")
		select {}
	}
	t.End(outer)
	p.Close()
	return nil
}

// awaitClear waits until the service has announced that the state on which packets build has
// to be sent again.
func awaitClear(p *producer.Producer) error {
	told := make(chan struct{}, 1)
	_, err := p.Register(producer.DataSourceSpec{Name: perfetto.CallsSource, Clear: func(*producer.Instance) {
		select {
		case told <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		return err
	}
	select {
	case <-told:
		return nil
	case <-time.After(time.Minute):
		return errors.New("nothing is cleared")
	}
}

// TestRecord records programs that end in all possible ways.
func TestRecord(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		end    string
		code   int
		signal syscall.Signal // sent to tracex when the program waits
		trace  bool
		says   string
	}{
		{end: "exit", code: 3, trace: true, says: "1 thread"},
		{end: "early", code: 3, trace: true, says: "2 threads"},
		{end: "cleared", code: 3, trace: true, says: "1 thread"},
		{end: "killed", code: 137, trace: true, says: "1 thread"},
		{end: "waits", code: 143, signal: syscall.SIGTERM, trace: true, says: "1 thread"},
		{end: "nothing", code: 1, says: "did not connect to the tracing service"},
		{end: "offers nothing", code: 1, says: "connected, but offered nothing to record"},
		{end: "connected", code: 1, says: "connected, but recorded nothing"},
	} {
		t.Run(test.end, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "trace.bin")
			cmd, stderr, tmp := command(t, "record", "-o", out, "--", self, tracedArgument, test.end)
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			for buf := make([]byte, 100); test.signal != 0 && !strings.Contains(said.String(), "waiting"); {
				n, err := stdout.Read(buf)
				if said.Write(buf[:n]); err != nil {
					t.Fatalf("%v, %s", err, stderr)
				}
			}
			if test.signal != 0 {
				_ = cmd.Process.Signal(test.signal)
			}
			_, _ = said.ReadFrom(stdout) // it ends with the program
			if got := code(t, cmd.Wait()); got != test.code {
				t.Errorf("exit code %d, want %d: %s", got, test.code, stderr)
			}
			if !strings.HasPrefix(said.String(), "the program says hello\n") || strings.Contains(said.String(), "trace.bin") {
				t.Errorf("its output is %q", &said)
			}
			if !strings.Contains(stderr.String(), test.says) {
				t.Errorf("told %q, want %q", stderr, test.says)
			}
			if left := formattest.Names(t, tmp); len(left) > 0 {
				t.Errorf("temporary files stay: %q", left)
			}
			if test.trace {
				checkRecorded(t, self, out)
			} else if left := formattest.Names(t, filepath.Dir(out)); len(left) > 0 {
				t.Errorf("there are %q", left)
			}
		})
	}
}

// TestLongTemporaryDirectory records where the path of the directory for temporary files is too
// long for that of a socket.
func TestLongTemporaryDirectory(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	out := filepath.Join(long, "traces", "trace.bin")
	if err := os.Mkdir(filepath.Dir(out), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd, stderr, _ := command(t, "record", "-o", out, "--", self, tracedArgument, "exit")
	cmd.Env = append(cmd.Env, "TMPDIR="+long)
	if got := code(t, cmd.Run()); got != 3 {
		t.Fatalf("exit code %d: %s", got, stderr)
	}
	checkRecorded(t, self, out)
	dir, err := recording.SocketDir("tracex-bench-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if longest := filepath.Join(dir, "producers"); len(longest) > 103 {
		t.Errorf("too long for a socket: %s", longest)
	}
}

// TestRecordKeeps records a program that creates a file at the path of the index: that file
// stays, and no recorded data is lost.
func TestRecordKeeps(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "trace.bin")
	cmd, stderr, _ := command(t, "record", "-o", out, "--", self, tracedArgument, "in the way")
	recordKeeps(t, cmd, stderr, out)
	cmd, stderr, _ = command(t, "convert", "-o", filepath.Join(t.TempDir(), "trace.bin"), out+".pftrace")
	if got := code(t, cmd.Run()); got != 0 {
		t.Fatalf("exit code %d: %s", got, stderr)
	}
	checkRecorded(t, self, cmd.Args[3])

	cmd, stderr, _ = command(t, "record", "-o", out, "--", self, tracedArgument, "exit")
	if got := code(t, cmd.Run()); got != 2 || !strings.Contains(stderr.String(), out+".idx already exists") {
		t.Errorf("exit code %d: %s", got, stderr)
	}
}

// TestRecordKeepsCalls is TestRecordKeeps for calls, which are converted while the program runs.
func TestRecordKeepsCalls(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "trace.bin")
	cmd, stderr, _ := command(t, "record", "-o", out, "--", self, tracedArgument, "calls, in the way")
	recordKeeps(t, cmd, stderr, out)
	if _, said, exit := runCommand(t, "convert", "-o", out+".made", out+".pftrace"); exit != 0 {
		t.Fatalf("exit code %d: %s", exit, said)
	}
	if text, said, exit := runCommand(t, "print", out+".made"); exit != 0 || strings.Count(text, "inner(") != 2000 {
		t.Errorf("exit code %d, %d calls: %s", exit, strings.Count(text, "inner("), said)
	}
}

// recordKeeps records a program that puts a file in the way of the trace.
func recordKeeps(t *testing.T, cmd *exec.Cmd, stderr *bytes.Buffer, out string) {
	t.Helper()
	cmd.Dir = filepath.Dir(out)
	if got := code(t, cmd.Run()); got != 1 {
		t.Errorf("exit code %d", got)
	}
	kept := out + ".pftrace"
	if told := stderr.String(); !strings.Contains(told, out+".idx: file already exists") || !strings.Contains(told, "recording is kept in "+kept) {
		t.Errorf("told %q", told)
	}
	if got := formattest.Names(t, filepath.Dir(out)); !slices.Equal(got, []string{"trace.bin.idx", "trace.bin.pftrace"}) {
		t.Errorf("there are %q", got)
	}
}

// checkRecorded checks that a trace has all calls.
func checkRecorded(t *testing.T, self, path string) {
	t.Helper()
	cmd := exec.Command(self, "print", path)
	cmd.Env = append(os.Environ(), runVariable+"=1")
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	if n := strings.Count(string(printed), "inner("); n != 1000 || !strings.Contains(string(printed), "999") {
		t.Errorf("%d calls are there: %.300s", n, printed)
	}
	if got := formattest.Names(t, filepath.Dir(path)); len(got) != 3 {
		t.Errorf("there are %q", got)
	}
}

// TestServe runs a service until it is told to stop.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	cmd, stderr, _ := command(t, "serve", "--producers", filepath.Join(dir, "p"), "--consumers", filepath.Join(dir, "c"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); len(formattest.Names(t, dir)) < 2; <-tick.C {
		if time.Since(begin) > time.Minute {
			t.Fatal("no sockets")
		}
	}
	again, told, _ := command(t, "serve", "--producers", filepath.Join(dir, "p"), "--consumers", filepath.Join(dir, "c"))
	if got := code(t, again.Run()); got != 1 || !strings.Contains(told.String(), "hint: ") {
		t.Errorf("a second one ends with %d: %s", got, told)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got := code(t, cmd.Wait()); got != 0 && got != 130 {
		t.Errorf("exit code %d", got)
	}
	if left := formattest.Names(t, dir); len(left) > 0 || !strings.Contains(stderr.String(), "programs connect to") {
		t.Errorf("it leaves %q and says %q", left, stderr)
	}
}
