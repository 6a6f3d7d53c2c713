//go:build linux

package recordtest_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tracex/recorder/instrument/raw"
)

// callsOf is how many calls the program worker makes with the arguments calls N.
func callsOf(n int) int64 { return 2 + 2*int64(n) }

// limitedCalls is more than what fits into the limits of the tests.
const limitedCalls = 100_000

var (
	recordedCalls = regexp.MustCompile(`(?m)^tracex: recorded ([\d,]+) calls? of .*$`)
	missingCalls  = regexp.MustCompile(`; ([\d,]+) calls? after that are missing`)
)

// told returns the number in what tracex says.
func told(t *testing.T, said string, pattern *regexp.Regexp) int64 {
	t.Helper()
	m := pattern.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("tracex says %q", said)
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// needsShell skips a test where there is no shell.
func needsShell(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"sh", "stat", "head"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("its commands need it: ", err)
		}
	}
}

// TestLimits: if nothing more can be recorded, the program continues as without a recorder, and tracex
// says how much is missing.
func TestLimits(t *testing.T) {
	t.Parallel()
	plain, recording := workers(t)
	args := []string{"calls", strconv.Itoa(limitedCalls)}
	for _, c := range []struct {
		name, shell string // the shell limits the program, and only that
		why         string
		few         bool
	}{
		{"size of files", "ulimit -f 8192", "it reached its limit for the size of files (ulimit -f)", false},
		{"no file", "ulimit -f 1", "", true},
		{"address space", "ulimit -v 950000", "it has no more address space (ulimit -v): ", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			needsShell(t)
			n := strconv.Itoa(limitedCalls)
			if c.name == "address space" {
				if many(0, 1) == 0 {
					return // it takes a while to fill
				}
				n = "3000000"
			}
			limited := []string{"sh", "-c", c.shell + `; exec "$0" "$@"`}
			if c.name == "address space" {
				limited[2] = strings.Replace(limited[2], "950000", strconv.Itoa(addressSpace(t, recording)), 1)
			}
			want := run(t, "", nil, append(limited, plain, "calls", n)...)
			dir := t.TempDir()
			got := run(t, "", []string{"TRACEX_RECORD=" + dir}, append(limited, recording, "calls", n)...)
			if c.few { // it says so
				if !regexp.MustCompile(`^tracex: nothing is recorded: the limit of this process for the size of files \(ulimit -f\) is too small: (512|1024) bytes\n$`).MatchString(got.stderr) {
					t.Errorf("it says %q", got.stderr)
				}
				got.stderr = ""
			}
			if got != want {
				t.Errorf("it ends with %+v, expected %+v", got, want)
			}
			if c.few {
				r := runTracex(t, "", nil, "record", "-o", filepath.Join(t.TempDir(), "trace.bin"), "--", "sh", "-c", limited[2], recording, "calls", n)
				if !strings.Contains(r.stderr, "is too small") || !strings.Contains(r.stderr, "1 process ended before anything was recorded") {
					t.Errorf("record says %q", r.stderr)
				}
				return
			}
			trace := filepath.Join(t.TempDir(), "trace.bin")
			r := must(t, runTracex(t, "", nil, "convert", "-o", trace, dir))
			checkLoss(t, r.stdout+r.stderr, c.why, trace, n)
		})
	}
	t.Run("limit given", func(t *testing.T) {
		want := run(t, "", nil, append([]string{plain}, args...)...)
		for _, times := range []string{"--no-times=false", "--no-times"} {
			trace := filepath.Join(t.TempDir(), "trace.bin")
			got := runTracex(t, "", nil, append([]string{"record", "--limit", "3MiB", times, "-o", trace, "--", recording}, args...)...)
			said := cutReport(&got)
			if got != want {
				t.Errorf("it ends with %+v, expected %+v", got, want)
			}
			checkGap(t, said, "it reached --limit", trace, limitedCalls)
		}
	})
	t.Run("least limit given", func(t *testing.T) {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		limited := append([]string{"-o", trace, "--", recording}, args...)
		r := must(t, runTracex(t, "", nil, append([]string{"record", "--limit", strconv.Itoa(raw.LeastLimit)}, limited...)...))
		checkGap(t, cutReport(&r), "it reached --limit", trace, limitedCalls)
		r = runTracex(t, "", nil, append([]string{"record", "--limit", strconv.Itoa(raw.LeastLimit - 1)}, limited...)...)
		if r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, "it must be at least 640KiB") {
			t.Errorf("less ends with %+v", r)
		}
	})
}

// addressSpace returns a limit of the address space, in KiB, that leaves little room for a recording: how much Go takes
// differs from machine to machine, and from run to run.
func addressSpace(t *testing.T, recording string) int {
	t.Helper()
	limit := 950_000
	for ; limit < 2_000_000; limit += 25_000 {
		dir := t.TempDir()
		run(t, "", []string{"TRACEX_RECORD=" + dir}, "sh", "-c", "ulimit -v "+strconv.Itoa(limit)+`; exec "$0" "$@"`, recording, "calls", "10")
		if r := runTracex(t, "", nil, "convert", "-o", filepath.Join(t.TempDir(), "trace.bin"), dir); r.code == 0 {
			break
		}
	}
	return limit + 75_000 // another arena of the heap may be needed
}

// TestNoFolder records into folders in which no file can be made.
func TestNoFolder(t *testing.T) {
	t.Parallel()
	plain, recording := workers(t)
	want := run(t, "", nil, plain, "exit", "3")
	for _, dir := range []string{filepath.Join(t.TempDir(), "missing"), "/proc"} {
		got := run(t, "", []string{"TRACEX_RECORD=" + dir}, recording, "exit", "3")
		if !strings.HasPrefix(got.stderr, "tracex: nothing is recorded: cannot make a file in "+dir+" (error ") {
			t.Errorf("it says %q", got.stderr)
		}
		got.stderr = ""
		if got != want {
			t.Errorf("it ends with %+v, expected %+v", got, want)
		}
		// tracex finds out before the program runs.
		got = runTracex(t, "", nil, "record", "-o", filepath.Join(dir, "trace.bin"), "--", recording, "exit", "3")
		if got.stdout != "" || got.code == 0 || got.code == 3 || !strings.HasPrefix(got.stderr, "tracex: cannot write "+dir) {
			t.Errorf("it ends with %+v", got)
		}
	}
}

// checkLoss checks what tracex says about a recording of the program worker, with the arguments
// calls N, that ended early, and that the trace has the first of its calls.
func checkLoss(t *testing.T, said, why, trace, calls string) {
	t.Helper()
	n, _ := strconv.Atoi(calls)
	recorded, missing := told(t, said, recordedCalls), told(t, said, missingCalls)
	if recorded == 0 || missing == 0 || recorded+missing != callsOf(n) {
		t.Errorf("%d calls are recorded and %d are missing, expected %d", recorded, missing, callsOf(n))
	}
	if !strings.Contains(said, "the recording ended early, as "+why) {
		t.Errorf("tracex says %q", said)
	}
	const some = 10_000
	text := must(t, runTracex(t, "", nil, "print", "--count", strconv.Itoa(some), trace)).stdout
	var want strings.Builder
	fmt.Fprintf(&want, "# Thread 1\nmain.main(): <unfinished method>\n  calls(%d): <unfinished method>\n", n)
	for i := range min(recorded, some)/2 - 2 {
		fmt.Fprintf(&want, "    step(%d): %d\n      inner(%d): %d\n", i, -i, i, -i)
	}
	if !strings.HasPrefix(text, want.String()) {
		same(t, "the trace", text, want.String())
	}
}

// checkGap checks a recording that has the first calls, and the newest: each is there or counted, and the end is.
func checkGap(t *testing.T, said, why, trace string, n int) {
	t.Helper()
	between := regexp.MustCompile(`the trace has the first calls and the newest, as ` + regexp.QuoteMeta(why) + `; ([\d,]+) calls between them are missing`)
	recorded, missing := told(t, said, recordedCalls), told(t, said, between)
	if recorded+missing != callsOf(n) {
		t.Errorf("%d calls are recorded and %d are missing, expected %d", recorded, missing, callsOf(n))
	}
	text := must(t, runTracex(t, "", nil, "print", trace)).stdout
	gap := regexp.MustCompile(`(?m)^ *<dropped: (\d+) calls(?: in .*)?> = (\d+)$`).FindAllStringSubmatch(text, -1)
	want := strconv.FormatInt(missing, 10)
	if len(gap) != 1 || gap[0][1] != want || gap[0][2] != want {
		t.Fatalf("the gap is %q, want one of %d calls", gap, missing)
	}
	for _, call := range regexp.MustCompile(`(?m)^ *(?:step|inner)\((\d+)\): -?(\d+)$`).FindAllStringSubmatch(text, -1) {
		if call[1] != call[2] {
			t.Errorf("a call has the result of another one: %s", call[0])
		}
	}
	first, newest, _ := strings.Cut(text, gap[0][0])
	for i, part := range []string{first, newest} {
		at := []int{0, n - 100}[i]
		for ; at < []int{100, n}[i]; at++ {
			if line := fmt.Sprintf("    step(%d): %d\n      inner(%d): %d\n", at, -at, at, -at); !strings.Contains(part, line) {
				t.Fatalf("part %d of the trace lacks %q", i, line)
			}
		}
	}
	if info := must(t, runTracex(t, "", nil, "info", trace)).stdout; !strings.Contains(info, "between the first calls and the newest") {
		t.Errorf("info says %q", info)
	}
	must(t, runTracex(t, "", nil, "index", "--verify", trace))
}

// TestLimitTurns reaches a small limit with goroutines that take turns: each call is recorded or counted, most need no
// new segment, and the end of each goroutine is there as long as there is room for a chunk of each.
func TestLimitTurns(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	const calls = 60_000
	for n, want := range map[int]struct{ kept, dropped int }{16: {16, 100}, 200: {200, 200}, 2000: {0, calls / 64}} {
		dir := t.TempDir()
		must(t, run(t, "", []string{"TRACEX_RECORD=" + dir, "TRACEX_RECORD_OPTIONS=limit=1000000"}, recording, "turns", strconv.Itoa(n)))
		files, _ := filepath.Glob(filepath.Join(dir, "*"+raw.Suffix))
		f, err := raw.Open(files[0])
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if f.Head.Ring == 0 || f.Head.Dropped == 0 || int(f.Head.Dropped) > want.dropped {
			t.Errorf("%d goroutines: %d segments were dropped, expected at most %d", n, f.Head.Dropped, want.dropped)
		}
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := must(t, runTracex(t, "", nil, "convert", "-o", trace, dir))
		said := r.stdout + r.stderr
		recorded, gos := told(t, said, regexp.MustCompile(`: recorded ([\d,]+) calls`)), told(t, said, regexp.MustCompile(`\(([\d,]+) go statements\)`))
		missing := told(t, said, regexp.MustCompile(`; ([\d,]+) calls between them are missing`))
		if all := int64(calls + n + 2); recorded-gos+missing != all {
			t.Errorf("%d goroutines: %d calls are recorded and %d are missing, expected %d", n, recorded-gos, missing, all)
		}
		text := must(t, runTracex(t, "", nil, "print", trace)).stdout
		for i := calls - want.kept; i < calls; i++ {
			if !strings.Contains(text, fmt.Sprintf("inner(%d): %d\n", i, -i)) {
				t.Fatalf("%d goroutines: the trace lacks call %d of %d", n, i, calls)
			}
		}
	}
}

// TestLimitDescriptors calls so many functions that the first part of a recording has mostly their descriptions: those
// that follow are kept, too.
func TestLimitDescriptors(t *testing.T) {
	t.Parallel()
	const functions = 1500
	var source strings.Builder
	source.WriteString("package main\n\nfunc main() {\n\tfor i := range 30 {\n")
	for i := range functions {
		fmt.Fprintf(&source, "\t\tf%d(i)\n", i)
	}
	source.WriteString("\t}\n}\n")
	for i := range functions {
		fmt.Fprintf(&source, "\nfunc f%d(argumentWithALongNameThatTakesSomeRoom int) int { return argumentWithALongNameThatTakesSomeRoom }\n", i)
	}
	_, recording := built(t, write(t, map[string]string{"go.mod": "module functions\n\ngo 1.25\n", "main.go": source.String()}))
	trace := filepath.Join(t.TempDir(), "trace.bin")
	r := must(t, runTracex(t, "", nil, "record", "--limit", strconv.Itoa(raw.LeastLimit), "-o", trace, "--", recording))
	if strings.Contains(r.stderr, "damaged") || strings.Contains(r.stderr, "not described") {
		t.Errorf("tracex says %q", r.stderr)
	}
	text := must(t, runTracex(t, "", nil, "print", trace)).stdout
	if want := fmt.Sprintf("f%d(29): 29\n", functions-1); !strings.Contains(text, want) {
		t.Errorf("the trace lacks %q", want)
	}
}

// TestLevels leaves out what is nested too deeply, and counts it.
func TestLevels(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	trace := filepath.Join(t.TempDir(), "trace.bin")
	r := must(t, runTracex(t, "", nil, "record", "--levels", "4", "-o", trace, "--", recording, "nested", "100"))
	if !strings.Contains(r.stderr, "tracex: 99 calls nested deeper than --levels left out\n") {
		t.Errorf("tracex says %q", r.stderr)
	}
	same(t, "the trace", must(t, runTracex(t, "", nil, "print", trace)).stdout,
		"# Thread 1\nmain.main()\n  nested(100)\n    down(100): 100\n      down(99): 99\n")
}

// wholeStep is a call that began while the program was recorded.
var wholeStep = regexp.MustCompile(`(?m)^    step\(\d+\)`)

// TestLast keeps the newest calls, with those that were open when the first of them began.
func TestLast(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	for _, size := range []string{"1MiB", "3MiB"} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := must(t, runTracex(t, "", nil, "record", "--last", size, "-o", trace, "--", recording, "calls", strconv.Itoa(limitedCalls)))
		if !strings.Contains(r.stderr, "older calls were dropped") {
			t.Errorf("%s: it said %q", size, r.stderr)
		}
		text := must(t, runTracex(t, "", nil, "print", trace)).stdout
		head, rest := text, ""
		if at := wholeStep.FindStringIndex(text); at != nil {
			head, rest = text[:at[0]], text[at[0]:]
		}
		first := 0
		if _, err := fmt.Sscanf(rest, "    step(%d)", &first); err != nil {
			t.Fatalf("%v: %.200s", err, text)
		}
		// The arguments of calls that were open are not known.
		n := strconv.Itoa(first - 1)
		open := regexp.MustCompile(`^# Thread 1\nmain\.main\(…\)\n  calls\(…\)\n(    step\(…\): -` + n + `\n(      inner\((` + n + `|…)\): -` + n + `\n)?)?$`)
		if !open.MatchString(head) {
			t.Errorf("%s: the trace begins with %s", size, head)
		}
		var want strings.Builder
		for i := first; i < limitedCalls; i++ {
			fmt.Fprintf(&want, "    step(%d): %d\n      inner(%d): %d\n", i, -i, i, -i)
		}
		same(t, size+": the newest calls", rest, want.String())
		if first < limitedCalls/10 && size == "1MiB" {
			t.Errorf("%s: there is all from the %d-th on", size, first)
		}
	}
}

// TestGoroutines has more goroutines than a program usually has.
func TestGoroutines(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	for _, c := range []struct {
		mode  string
		n     int
		calls int64 // of each
	}{{"atOnce", many(2000, 50_000), 3}, {"oneByOne", many(10_000, 1_000_000), 2}} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := must(t, runTracex(t, "", nil, "record", "-o", trace, "--", recording, c.mode, strconv.Itoa(c.n)))
		if want := fmt.Sprintf("tracex: recorded %s calls (%s go statements) of ", grouped(2+int64(c.n)*(c.calls+1)), grouped(int64(c.n))); !strings.HasPrefix(r.stderr, want) || !strings.Contains(r.stderr, ", "+grouped(int64(c.n)+1)+" goroutines in ") {
			t.Errorf("tracex says %q, expected %q and %d goroutines", r.stderr, want, c.n+1)
		}
		f := factsOf(t, trace)
		// A leaf for each go statement.
		if f.Calls != 2+int64(c.n)*(c.calls+1) || len(f.Threads) != c.n+1 {
			t.Errorf("the trace has %d calls and %d threads", f.Calls, len(f.Threads))
		}
		for _, th := range f.Threads {
			if th.Name != "main" && (th.Calls != c.calls || !strings.HasPrefix(th.Name, "goroutine ") || !strings.Contains(th.Name, " ← 1 main."+c.mode+" main.go:")) {
				t.Fatalf("there is the thread %+v", th)
			}
		}
	}
}

// grouped writes a number as tracex does: 1,000.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
