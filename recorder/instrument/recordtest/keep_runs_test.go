//go:build linux

package recordtest_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tracex/lazy/notes"
)

// TestKeepBounded: tests that make many calls take little disk space. A failing one has its newest calls, and one below
// another that fails has all of its calls.
func TestKeepBounded(t *testing.T) {
	t.Parallel()
	calls := many(2_000_000, 30_000_000)
	dir := write(t, map[string]string{
		"go.mod": "module example.com/many\n\ngo 1.25\n",
		"many_test.go": fmt.Sprintf(`package many

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

const calls = %d

func step(n int) int { return n + 1 }

func burn(n int) (s int) {
	for i := range n {
		s += step(i)
	}
	return s
}

func before(name string) {}
func after(name string) {}

func TestPasses(t *testing.T) { burn(calls) }
func TestPassesToo(t *testing.T) { burn(calls) }
func TestFails(t *testing.T) { before(t.Name()); burn(calls); after(t.Name()); t.Error("it fails") }
func TestFailsBelow(t *testing.T) {
	for _, name := range []string{"a", "b", "c"} {
		t.Run(name, func(t *testing.T) {
			burn(calls)
			before(t.Name())
			burn(100)
			after(t.Name())
			if name == "b" {
				t.Error("b fails")
			}
		})
	}
}

// TestZ measures what the recording takes.
func TestZ(t *testing.T) {
	blocks := int64(0)
	filepath.WalkDir(filepath.Dir(os.Getenv("RECORDING")), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".tracexraw" {
			blocks += size(path)
		}
		return nil
	})
	os.WriteFile(os.Getenv("MEASURED"), []byte(itoa(blocks)), 0o600)
}
`, calls),
		"size_test.go": `package many

import (
	"strconv"
	"syscall"
)

func size(path string) int64 {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return 0
	}
	return st.Blocks * 512
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
`,
	})
	measured := filepath.Join(dir, "measured")
	// One ring of 8 MiB has the newest calls; the subtest that fails is whole.
	r := runTracex(t, dir, []string{"MEASURED=" + measured, "RECORDING=" + filepath.Join(dir, "kept.recording", "x")}, "record", "--keep", "failed", "--last", "8MiB", "-o", "kept", "--", "go", "test", ".")
	if r.code != 1 {
		t.Fatalf("%+v", r)
	}
	var size int64
	if _, err := fmt.Sscan(readText(t, measured), &size); err != nil {
		t.Fatal(err)
	}
	// Two kept ones, that of the test that measures, and tables of functions.
	if most := int64(3*10<<20 + 16<<20); size > most || size < 10<<20 {
		t.Errorf("the recordings take %d bytes, expected at most %d", size, most)
	}
	if text := must(t, runTracex(t, dir, nil, "calls", filepath.Join(dir, "kept", "many.TestFails.bin"), "after")).stdout; !strings.Contains(text, `"TestFails"`) {
		t.Errorf("the end of TestFails is missing:\n%s", text)
	}
	for _, call := range []string{"before", "after"} {
		if text := must(t, runTracex(t, dir, nil, "calls", filepath.Join(dir, "kept", "many.TestFailsBelow.bin"), call)).stdout; !strings.Contains(text, `"TestFailsBelow/b"`) {
			t.Errorf("%s of TestFailsBelow/b is missing:\n%s", call, text)
		}
	}
	var found []string
	filepath.WalkDir(filepath.Join(dir, "kept"), func(path string, d fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".bin" {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	if want := []string{"many.TestFails.bin", "many.TestFailsBelow.bin"}; !slices.Equal(found, want) {
		t.Errorf("there are %v, expected %v", found, want)
	}
}

// TestKeepCount: of a test that is run several times, and fails sometimes, the runs that failed have a trace, each with
// what it printed.
func TestKeepCount(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"go.mod": "module example.com/count\n\ngo 1.25\n",
		"count_test.go": `package count

import (
	"os"
	"os/exec"
	"testing"
)

var runs int

func run(n int) int { return n }

func TestSometimes(t *testing.T) {
	runs++
	run(runs)
	if runs == 2 || runs == 4 {
		t.Errorf("run %d", runs)
	}
}

// TestStarts starts this program again, where it ends within a test.
func TestStarts(t *testing.T) {
	if os.Getenv("STARTED") != "" {
		run(-1)
		os.Exit(0)
	}
	c := exec.Command(os.Args[0], "-test.run=TestStarts")
	c.Env = append(os.Environ(), "STARTED=1")
	if err := c.Run(); err != nil {
		t.Error(err)
	}
}
`})
	for _, form := range [][]string{{"."}, {"-v", "."}, {"-json", "."}} {
		r := runTracex(t, dir, nil, append([]string{"record", "--keep", "all", "-o", "kept/", "--", "go", "test", "-count=5"}, form...)...)
		if r.code != 1 {
			t.Fatalf("%+v", r)
		}
		failed := make(map[string]string)
		for _, trace := range glob(t, filepath.Join(dir, "kept", "*.bin")) {
			book, err := notes.Open(trace, notes.Options{NoWrite: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range book.Items() {
				if f, ok := notes.FailureOf(item); ok {
					text := must(t, runTracex(t, dir, nil, "print", trace)).stdout
					failed[f.Output] = regexp.MustCompile(`run\((-?\d)\)`).FindString(text)
				}
			}
		}
		// The package failed, so it is not known that the programs which ended within TestStarts were to do so.
		delete(failed, "")
		if want := map[string]string{"count_test.go:17: run 2": "run(2)", "count_test.go:17: run 4": "run(4)"}; !maps.Equal(failed, want) {
			t.Errorf("%v: failed are %v, expected %v", form, failed, want)
		}
		index := readText(t, filepath.Join(dir, "kept", "index.md"))
		if passed := strings.Count(index, "| TestSometimes | example.com/count | passed |"); passed != 3 || strings.Count(index, "run 2 |") != 1 || strings.Count(index, "run 4 |") != 1 {
			t.Errorf("%v: the index has %d that passed:\n%s", form, passed, index)
		}
	}
	r := runTracex(t, dir, nil, "record", "--keep", "failed", "-o", "none", "--", "go", "test", "-run=TestStarts", ".")
	if r.code != 0 || !strings.Contains(r.stderr, "no test failed, so there is no trace") {
		t.Errorf("a program that ends within a test of another: %+v", r)
	}
}

// TestKeepBackground: goroutines that run while tests begin and end lose no end of a call, and no call but those at the
// switch: nothing in a kept trace ended in an unknown way.
func TestKeepBackground(t *testing.T) {
	t.Parallel()
	var tests strings.Builder
	const all, every = 30, 5
	for i := range all {
		fmt.Fprintf(&tests, "func TestN%d(t *testing.T) { own(%d); own(%d)", i, i, -i)
		if i%every == 0 {
			tests.WriteString(`; t.Error("it fails")`)
		}
		tests.WriteString(" }\n")
	}
	dir := write(t, map[string]string{
		"go.mod": "module example.com/background\n\ngo 1.25\n",
		"background_test.go": `package background

import (
	"runtime"
	"testing"
)

func own(n int) int {
	for range 5 {
		runtime.Gosched()
	}
	return n
}

func leaf(n int) int { return n }

func deep(n int) (s int) {
	if n == 0 {
		return leaf(n)
	}
	for range 2 {
		s += deep(n - 1)
	}
	return s
}

func serve(n int) int { return deep(3) }

func init() {
	for range 3 {
		go func() {
			for n := 0; ; n++ {
				serve(n)
			}
		}()
	}
}

` + tests.String(),
	})
	r := runTracex(t, dir, nil, "record", "--keep", "failed", "--last", "2MiB", "-o", "kept", "--", "go", "test", ".")
	traces := glob(t, filepath.Join(dir, "kept", "*.bin"))
	if r.code != 1 || len(traces) != all/every {
		t.Fatalf("%d traces, expected %d: %+v", len(traces), all/every, r)
	}
	served, lacking := 0, 0
	for _, trace := range traces {
		text := must(t, runTracex(t, dir, nil, "print", trace)).stdout
		served += strings.Count(text, "serve(")
		i := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(trace), "background.TestN"), ".bin")
		// The others fill the room of the newest calls many times, but the test's own are there to the last: unless its goroutine
		// was set aside for long between its last call and its end.
		lacks := ""
		for _, part := range []string{`background\.TestN` + i + `\(`, `own\((…|-?\d+)\): ` + strings.Replace("-"+i, "-0", "0", 1) + "\n"} {
			if !regexp.MustCompile(part).MatchString(text) {
				lacks = part
			}
		}
		if lacks != "" {
			t.Logf("%s lacks %s:\n%.1000s", trace, lacks, text)
			lacking++
		}
		if at := strings.Index(text, "unwound"); at >= 0 {
			t.Errorf("%s has …%s…", trace, text[max(at-300, 0):min(at+100, len(text))])
		}
	}
	if lacking > len(traces)/2 {
		t.Errorf("%d of %d traces lack calls of their tests", lacking, len(traces))
	}
	if served < len(traces) {
		t.Errorf("the traces have %d calls of the goroutines in the background", served)
	}
}
