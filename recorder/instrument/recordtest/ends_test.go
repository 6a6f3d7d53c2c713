//go:build linux

package recordtest_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestEnds: however a program ends, it ends as without a recorder, and what it did until then is in
// the trace.
func TestEnds(t *testing.T) {
	t.Parallel()
	plain, recording := workers(t)
	for _, c := range []struct {
		args  string
		trace string // below main, if it is not too long
		loose bool   // what it writes differs from run to run
	}{
		{"exit 3", `exit(3): <unfinished method>
  inner(2): -2
`, false},
		{"panic 1", `panics(1): threw panic: fmt.wrapError: not recovered: file does not exist
  panics(0): threw panic: fmt.wrapError: not recovered: file does not exist
    throw panic: fmt.wrapError: not recovered: file does not exist
    inner(3): -3
  inner(3): -3
`, false},
		{"goexit 0", `lastExit(0): threw runtime.Goexit
  inner(4): -4
`, false},
		{"elsewhere 0", `elsewhere(0): <unfinished method>
  go func(): goroutine 2
# Thread (goroutine 2 main.elsewhere.func1 ← 1 main.elsewhere main.go)
main.elsewhere.func1(): threw panic: fmt.wrapError: not recovered: file does not exist
  panics(0): threw panic: fmt.wrapError: not recovered: file does not exist
    throw panic: fmt.wrapError: not recovered: file does not exist
    inner(3): -3
`, false},
		{"fatal 0", "fatal(0): <unfinished method>\n  fatal.func1(): <unfinished method>\n", false},
		{"stack 0", "", true},
		{"signal 9", "signal(9): <unfinished method>\n  inner(5): -5\n", false},
		{"signal 15", "signal(15): <unfinished method>\n  inner(5): -5\n", false},
		{"deadlock 0", "deadlock(0): <unfinished method>\n  inner(6): -6\n", false},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := strings.Fields(c.args)
			plainly := run(t, "", nil, append([]string{plain}, args...)...)
			trace := filepath.Join(t.TempDir(), "trace.bin")
			got := runTracex(t, "", nil, append([]string{"record", "-o", trace, "--", recording}, args...)...)
			told := cutReport(&got)
			got.stderr, plainly.stderr = traceback(got.stderr), traceback(plainly.stderr)
			if c.loose {
				got.stderr, _, _ = strings.Cut(got.stderr, "\n")
				plainly.stderr, _, _ = strings.Cut(plainly.stderr, "\n")
			}
			same(t, "standard error", got.stderr, plainly.stderr)
			got.stderr = plainly.stderr
			if got != plainly {
				t.Errorf("it ends with %+v, expected %+v", got, plainly)
			}
			if !strings.HasPrefix(told, "tracex: recorded ") {
				t.Errorf("tracex says %q", told)
			}
			if c.trace == "" {
				if text := printed(t, trace, nil, "--depth", "3"); !strings.Contains(text, "main.main(): <unfinished method>") {
					t.Errorf("the trace is %s", text)
				}
				return
			}
			_, below, _ := strings.Cut(printed(t, trace, nil), "main.main()")
			_, below, _ = strings.Cut(below, "\n")
			var want strings.Builder
			for line := range strings.Lines(c.trace) {
				if i := strings.Index(c.trace, "# Thread"); i < 0 || strings.Index(c.trace, line) < i {
					want.WriteString("  ")
				}
				want.WriteString(line)
			}
			same(t, "the trace", lineNumbers.ReplaceAllString(below, ".go"), want.String())
		})
	}
}

var (
	lineNumbers = regexp.MustCompile(`\.go:\d+`)

	frameCalls = regexp.MustCompile(`(?m)^([\w./]+(?:\.\(\*\w+\))?[\w.]*)\(.*\)$`)
	numbers16  = regexp.MustCompile(` ?\+?0x[0-9a-f]+\??`)
	elided     = regexp.MustCompile(`\.\.\.\d+ frames elided\.\.\.`)
	created    = regexp.MustCompile(`goroutine \d+`)
)

// traceback returns what a program wrote to its standard error without addresses.
func traceback(text string) string {
	text = numbers16.ReplaceAllString(frameCalls.ReplaceAllString(text, "$1(…)"), "")
	return created.ReplaceAllString(elided.ReplaceAllString(text, "...frames elided..."), "goroutine N")
}

// TestKill kills a program at some moment. Each call that the program had reported is in the trace, with
// everything in it. Of the others, at most the next ones are.
func TestKill(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	random := rand.New(rand.NewPCG(1, 2))
	stride, first := formattest.Stride()
	for i := range many(4, 200) {
		if goroutines, after := 1+random.IntN(4), 1+random.IntN(1+random.IntN(3000)); i%stride == first {
			killed(t, recording, goroutines, after)
		}
	}
}

// killed kills the program when its goroutines have reported so many calls.
func killed(t *testing.T, recording string, goroutines, after int) {
	t.Helper()
	dir := t.TempDir()
	c := exec.Command(recording, "count", strconv.Itoa(goroutines))
	c.Env = append(c.Environ(), "TRACEX_RECORD="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	told := map[string]int{}
	lines := bufio.NewReader(out)
	for n := 0; ; n++ {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		var who, call int
		if k, _ := fmt.Sscanf(line, "%d %d", &who, &call); k == 2 {
			told[strconv.Itoa(who)] = call
		}
		if n == after {
			_ = c.Process.Kill()
		}
	}
	_ = c.Wait()
	trace := filepath.Join(t.TempDir(), "trace.bin")
	must(t, runTracex(t, "", nil, "convert", "-o", trace, dir))
	text := must(t, runTracex(t, "", nil, "print", trace)).stdout
	seen := 0
	for _, thread := range strings.Split(text, "# Thread")[1:] {
		_, rest, _ := strings.Cut(thread, "\n")
		who, ok := strings.CutPrefix(rest, "main.counter(")
		if !ok {
			continue
		}
		seen++
		who, rest, _ = strings.Cut(who, "): <unfinished method>\n")
		n := told[who]
		var want strings.Builder
		for i := range n {
			fmt.Fprintf(&want, "  step(%d): %d\n    inner(%d): %d\n", i+1, -i-1, i+1, -i-1)
		}
		next, ok := strings.CutPrefix(rest, want.String())
		if !ok {
			same(t, "goroutine "+who, rest, want.String())
			continue
		}
		// How far the next call may be.
		i := n + 1
		switch next {
		case "", fmt.Sprintf("  step(%d): <unfinished method>\n", i),
			fmt.Sprintf("  step(%d): <unfinished method>\n    inner(%d): <unfinished method>\n", i, i),
			fmt.Sprintf("  step(%d): <unfinished method>\n    inner(%d): %d\n", i, i, -i),
			fmt.Sprintf("  step(%d): %d\n    inner(%d): %d\n", i, -i, i, -i):
		default:
			t.Errorf("goroutine %s told of %d calls; then there is %s", who, n, next)
		}
	}
	if seen < len(told) || seen > goroutines {
		t.Errorf("%d of %d goroutines are in the trace, %d told of calls: %s", seen, goroutines, len(told), text)
	}
}
