//go:build linux

package recordtest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bothWays is a program whose calls are recorded, and that records a span, a loop and a variable
// itself, by package recorder. With an argument it then waits.
const bothWays = `package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"tracex/recorder"
	_ "tracex/recorder/shared"
)

type Order struct{ ID int }

func main() {
	r, err := recorder.Start(recorder.Config{Path: "own.bin", Overwrite: true})
	if err != nil {
		panic(err)
	}
	record(r)
	if len(os.Args) > 1 {
		r.Flush()
		fmt.Println(os.Getpid())
		io.Copy(io.Discard, os.Stdin)
	}
	if err := r.Stop(); err != nil {
		panic(err)
	}
}

func record(r *recorder.Recorder) {
	t, m := r.Thread("orders"), r.Method(r.Class("span"), "pay", recorder.Type{})
	loop, total := r.Location(recorder.CodeLocation{File: "main.go", Line: 1}), r.Variable("total", recorder.Type{})
	o := &Order{7}
	t.Loop(loop)
	for n := range 3 {
		t.Iteration(loop)
		t.Enter(m, 0, recorder.Null(), r.Capture(o), recorder.Int(n))
		pause()
		step(o, n)
		pause()
		t.Exit(recorder.Int(n))
		t.WriteVariable(total, 0, recorder.Int(n))
	}
	t.EndLoop()
	t.End()
}

func step(o *Order, n int) int { return o.ID + n }

// pause is longer than clocks may differ.
//
//tracex:skip
func pause() { time.Sleep(time.Millisecond) }
`

// bothWaysModule writes the program as a module that uses this repository.
func bothWaysModule(t *testing.T) (dir string) {
	t.Helper()
	repository, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	return write(t, map[string]string{
		"go.mod": "module example.com/both\n\ngo 1.25\n\nrequire tracex v0.0.0\n\nreplace tracex => " + strconv.Quote(repository) + "\n",
		"go.sum": string(sums), "main.go": bothWays,
	})
}

// printedEvent is an event in the output of tracex print --json.
type printedEvent struct {
	Text            string
	Thread          int
	Start, Duration int64
}

func (e *printedEvent) end() int64 { return e.Start + e.Duration }

// printedEvents returns the events of a trace, and the names of its threads by their numbers.
func printedEvents(t *testing.T, trace string) (events []printedEvent, threads map[int]string) {
	t.Helper()
	threads = map[int]string{}
	for line := range strings.Lines(must(t, runTracex(t, "", nil, "print", "--json", trace)).stdout) {
		var e struct {
			printedEvent
			Kind, Name string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case "trace":
		case "thread":
			threads[e.Thread] = e.Name
		default:
			events = append(events, e.printedEvent)
		}
	}
	return events, threads
}

var ownThread = regexp.MustCompile(` \(\S+ \d+ › orders\)`)

const bothWaysTrace = "# Thread 1 (main)\nmain.main()\n  record(Recorder@1)\n    step(Order@2, 0): 7\n    step(Order@2, 1): 8\n    step(Order@2, 2): 9\n" +
	"# Thread 2 (orders)\nloop(3 iterations)\n  <iteration 1>\n    span.pay(Order@2, 0): 0\n    total = 0\n  <iteration 2>\n    span.pay(Order@2, 1): 1\n    total = 1\n  <iteration 3>\n    span.pay(Order@2, 2): 2\n    total = 2\n"

// TestJoined records a program in both ways: one trace has both, with the same objects, and on the
// same clock.
func TestJoined(t *testing.T) {
	long(t)
	dir := bothWaysModule(t)
	trace := filepath.Join(t.TempDir(), "trace.bin")
	r := must(t, runTracex(t, dir, nil, "record", "--keep-raw", "-o", trace, "--", "go", "run", "-mod=mod", "."))
	if want := "recorded 5 calls of 3 functions, 1 goroutine, 10 events of package recorder in 1 thread in " + trace + "\n"; !strings.Contains(r.stderr, want) {
		t.Errorf("tracex says %s, expected %s", r.stderr, want)
	}
	text := must(t, runTracex(t, "", nil, "print", trace)).stdout
	same(t, "the trace", sameObjects(ownThread.ReplaceAllString(text, " (orders)")), bothWaysTrace)

	events, threads := printedEvents(t, trace)
	if len(threads) != 2 || threads[1] != "main" || !strings.HasSuffix(threads[2], " › orders") {
		t.Errorf("threads %v", threads)
	}
	var steps, spans []printedEvent
	for _, e := range events {
		switch {
		case strings.HasPrefix(e.Text, "main.step(") || strings.HasPrefix(e.Text, "step("):
			steps = append(steps, e)
		case strings.HasPrefix(e.Text, "span.pay("):
			spans = append(spans, e)
		}
	}
	if len(steps) != 3 || len(spans) != 3 {
		t.Fatalf("%d calls and %d spans", len(steps), len(spans))
	}
	for i, span := range spans {
		if step := steps[i]; step.Start < span.Start || step.end() > span.end() {
			t.Errorf("%s from %d to %d is not within the span from %d to %d", step.Text, step.Start, step.end(), span.Start, span.end())
		}
	}

	// What was kept makes the same trace.
	again := filepath.Join(t.TempDir(), "again.bin")
	must(t, runTracex(t, "", nil, "convert", "-o", again, trace+".raw"))
	same(t, "the trace of what was kept", must(t, runTracex(t, "", nil, "print", again)).stdout, text)

	// Without the service the program writes its own file.
	if _, err := os.Stat(filepath.Join(dir, "own.bin")); err == nil {
		t.Error("the program has written a file of its own")
	}
	r = must(t, runTracex(t, dir, []string{"PERFETTO_PRODUCER_SOCK_NAME="}, "record", "--force", "-o", trace, "--", "go", "run", "-mod=mod", "."))
	if want := "recorded 5 calls of 3 functions, 1 goroutine in "; !strings.Contains(r.stderr, want) {
		t.Errorf("tracex says %s, expected %s", r.stderr, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "own.bin")); err != nil {
		t.Error(err)
	}
}

// TestJoinedSplit: the trace of each process has what it records itself.
func TestJoinedSplit(t *testing.T) {
	long(t)
	dir := bothWaysModule(t)
	trace := filepath.Join(t.TempDir(), "trace.bin")
	must(t, runTracex(t, dir, nil, "record", "--split", "--keep-raw", "-o", trace, "--", "go", "run", "-mod=mod", "."))
	again := filepath.Join(t.TempDir(), "trace.bin")
	must(t, runTracex(t, "", nil, "convert", "--split", "-o", again, trace+".raw"))
	for _, dir := range []string{filepath.Dir(trace), filepath.Dir(again)} {
		made, err := filepath.Glob(filepath.Join(dir, "trace-both-*.bin"))
		if err != nil || len(made) != 1 {
			t.Fatalf("there are %q, %v", made, err)
		}
		text := must(t, runTracex(t, "", nil, "print", made[0])).stdout
		same(t, made[0], sameObjects(ownThread.ReplaceAllString(text, " (orders)")), bothWaysTrace)
	}
}

// startJoined records the program, and waits until that waits. It ends when in is closed.
func startJoined(t *testing.T, trace string) (c *exec.Cmd, in io.Closer, out io.Reader, pid int) {
	t.Helper()
	dir := bothWaysModule(t)
	program := filepath.Join(t.TempDir(), "program")
	must(t, runTracex(t, dir, nil, "build", "-o", program, "--", "-mod=mod", "."))
	c = tracex(t, dir, nil, "record", "-o", trace, "--", program, "wait")
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	return c, stdin, stdout, pid
}

// unfinishedTrace is the trace of a program that waits, or was killed while it waited.
var unfinishedTrace = strings.Replace(bothWaysTrace, "main.main()", "main.main(): <unfinished method>", 1)

// TestJoinedFollowed: what a program records itself is in the trace, too, while the program runs.
func TestJoinedFollowed(t *testing.T) {
	long(t)
	trace := filepath.Join(t.TempDir(), "trace.bin")
	c, in, out, _ := startJoined(t, trace)
	shown := func() string {
		return sameObjects(ownThread.ReplaceAllString(runTracex(t, "", nil, "print", trace).stdout, " (orders)"))
	}
	for shown() != unfinishedTrace {
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, out)
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	same(t, "the trace", shown(), bothWaysTrace)
}

// TestJoinedKilled kills tracex and the program. The next command completes the trace: it has what
// the program had recorded in both ways.
func TestJoinedKilled(t *testing.T) {
	long(t)
	trace := filepath.Join(t.TempDir(), "trace.bin")
	c, in, out, pid := startJoined(t, trace)
	defer in.Close()
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		// What tracex has not written yet is lost with it.
		if packets, err := os.ReadFile(filepath.Join(trace+".recording", "spool.pftrace")); err == nil && bytes.Contains(packets, []byte("orders")) {
			break
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out) // until both are gone
	_ = c.Wait()                    // it was killed
	r := must(t, runTracex(t, "", nil, "print", trace))
	if want := "completed the trace (5 calls, 10 events of package recorder)"; !strings.Contains(r.stderr, want) {
		t.Errorf("tracex says %s, expected %s", r.stderr, want)
	}
	same(t, "the trace", sameObjects(ownThread.ReplaceAllString(r.stdout, " (orders)")), unfinishedTrace)
	left, err := os.ReadDir(filepath.Dir(trace))
	if err != nil || len(left) != 3 {
		t.Errorf("there are %v, %v", left, err)
	}
}

// sameObjects numbers objects in the order in which a text names them.
func sameObjects(text string) string {
	numbers := map[string]int{}
	return regexp.MustCompile(`@-?\d+`).ReplaceAllStringFunc(text, func(object string) string {
		if numbers[object] == 0 {
			numbers[object] = len(numbers) + 1
		}
		return "@" + strconv.Itoa(numbers[object])
	})
}
