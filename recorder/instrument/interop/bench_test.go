package interop_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// timesVariable names a file. If it is set, go test runs tests through this program, which runs its
// arguments as a command and appends the command's times to the file.
const timesVariable = "TRACEX_TEST_TIMES"

// timed runs a command, appends its processor time in ns, and when it ended in ns since 1970, to a
// file, and returns its exit code.
func timed(list string, command []string) int {
	os.Unsetenv(timesVariable)
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	f, failed := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if failed == nil && c.ProcessState != nil {
		_, failed = fmt.Fprintln(f, int64(c.ProcessState.UserTime()+c.ProcessState.SystemTime()), time.Now().UnixNano())
		failed = errors.Join(failed, f.Close())
	}
	if failed != nil {
		fmt.Fprintln(os.Stderr, failed)
		return 2
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return c.ProcessState.ExitCode()
}

// way is a way in which tests of a program run.
type way struct {
	name   string
	record []string // nil: as they are
}

var ways = []way{
	{"plain", nil},
	{"recorded", []string{"record"}},
	{"without-getters", []string{"record", "--trivial=false"}},
}

// took has the times of a run of tests.
type took struct {
	tests, command time.Duration // processor time of the tests alone, and of all
	rest           time.Duration // from the end of the tests to that of the command
	calls          int64
}

// BenchmarkPrograms measures the tests of other programs, as they are and recorded, in turns.
func BenchmarkPrograms(b *testing.B) {
	needed(b)
	for _, p := range []struct {
		module string
		flags  []string
		rounds int
	}{
		{"github.com/google/btree@v1.1.3", nil, 3},
		{"github.com/itchyny/gojq@v0.12.17", nil, 3},
		{"go.etcd.io/bbolt@v1.5.0", []string{"-short"}, 3},
		{"github.com/junegunn/fzf@v0.65.2", nil, 7},
		{"github.com/mikefarah/yq/v4@v4.47.1", nil, 7},
		{"github.com/spf13/cobra@v1.10.2", nil, 7},
	} {
		name, _, _ := strings.Cut(p.module, "@")
		b.Run(filepath.Base(strings.TrimSuffix(name, "/v4")), func(b *testing.B) {
			dir := fetch(b, p.module)
			seen := map[string][]took{}
			for round := range p.rounds + 1 {
				for _, w := range ways {
					if t := w.test(b, dir, p.flags); round > 0 { // the first one compiles
						seen[w.name] = append(seen[w.name], t)
					}
				}
			}
			plain := middle(seen["plain"])
			for _, w := range ways {
				m := middle(seen[w.name])
				b.Run(w.name, func(b *testing.B) {
					for b.Loop() {
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(m.tests.Seconds(), "tests-cpu-s")
					if w.record != nil {
						other := (plain.command - plain.tests).Seconds()
						b.ReportMetric((m.tests.Seconds()+other)/plain.command.Seconds(), "times-cpu")
						b.ReportMetric(m.rest.Seconds(), "rest-s")
						b.ReportMetric(float64(m.calls), "calls")
						b.ReportMetric(float64(m.tests-plain.tests)/float64(m.calls), "ns/call")
					}
				})
			}
		})
	}
}

// test runs the tests of a program once.
func (w *way) test(b *testing.B, dir string, flags []string) (t took) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	scratch := b.TempDir()
	defer os.RemoveAll(scratch) // traces are large
	list, trace := filepath.Join(scratch, "times"), filepath.Join(scratch, "trace.bin")
	var command []string
	if w.record != nil {
		command = append(append([]string{program(b)}, w.record...), "-o", trace, "--limit", "100GiB", "--")
	}
	command = append(append(append(command, "go", "test", "-count=1", "-exec", self), flags...), "./...")
	c := exec.Command(command[0], command[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), timesVariable+"="+list, "GOFLAGS=", "GOWORK=off")
	out, _ := c.CombinedOutput() // some tests fail on some machines
	ended := time.Now()
	text, err := os.ReadFile(list)
	if err != nil {
		b.Fatalf("no test ran: %s", out)
	}
	var last int64
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		ns, _ := strconv.ParseInt(f[0], 10, 64)
		at, _ := strconv.ParseInt(f[1], 10, 64)
		t.tests, last = t.tests+time.Duration(ns), max(last, at)
	}
	t.command = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	t.rest = ended.Sub(time.Unix(0, last))
	if w.record != nil {
		m := callsTold.FindSubmatch(out)
		if m == nil {
			b.Fatalf("nothing was recorded: %s", out)
		}
		if bytes.Contains(out, []byte("ended early")) {
			b.Fatalf("not all was recorded: %s", out)
		}
		t.calls, _ = strconv.ParseInt(strings.ReplaceAll(string(m[1]), ",", ""), 10, 64)
	}
	return t
}

// callsTold are the calls that tracex says it has recorded.
var callsTold = regexp.MustCompile(`tracex: recorded ([0-9,]+) calls`)

// middle returns the medians of each figure.
func middle(all []took) took {
	return took{
		tests:   median(all, func(t took) time.Duration { return t.tests }),
		command: median(all, func(t took) time.Duration { return t.command }),
		rest:    median(all, func(t took) time.Duration { return t.rest }),
		calls:   median(all, func(t took) int64 { return t.calls }),
	}
}

func median[A any, T cmp.Ordered](all []A, of func(A) T) T {
	var list []T
	for _, t := range all {
		list = append(list, of(t))
	}
	slices.Sort(list)
	return list[len(list)/2]
}
