//go:build linux

package recordtest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tracex/lazy/notes"
)

// keptModule has tests that fail in each way, or not.
var keptModule = map[string]string{
	"go.mod": "module example.com/kept\n\ngo 1.25\n",
	"shop/shop.go": `package shop

import "errors"

type Order struct{ ID, Amount int }

func step(n int) int { return n + 1 }

func Burn(n int) (s int) {
	for i := range n {
		s += step(i)
	}
	return s
}

func Pay(o Order) error {
	if o.Amount < 0 {
		return errors.New("negative amount")
	}
	return nil
}

// Resumed marks where a parallel test goes on.
func Resumed(name string) {}
`,
	"shop/shop_test.go": `package shop

import (
	"sync"
	"testing"
)

func TestGood(t *testing.T) { Burn(1000) }

func TestTotal(t *testing.T) {
	if got := Burn(7); got != 27 {
		t.Errorf("got %d,\nwant 27", got)
	}
}

// The parallel ones run at the same time, and end one after the other.
var ended [4]chan bool

func init() {
	for i := range ended {
		ended[i] = make(chan bool)
	}
	close(ended[0])
}

func parallel(t *testing.T, n int, fails bool) {
	t.Helper()
	Burn(10 * n)
	t.Parallel()
	Resumed(t.Name())
	Burn(n)
	<-ended[n-1]
	if Burn(n + 1); fails {
		t.Error("parallel fails ", n)
	}
	close(ended[n])
}

func TestParallel1(t *testing.T) { parallel(t, 1, true) }
func TestParallel2(t *testing.T) { parallel(t, 2, false) }
func TestParallel3(t *testing.T) { parallel(t, 3, true) }

func TestSub(t *testing.T) {
	for _, n := range []string{"a", "b/c", "d e"} {
		t.Run(n, func(t *testing.T) {
			if n == "b/c" {
				t.Fatalf("case %s: %v", n, Pay(Order{1, -1}))
			}
			Pay(Order{1, 1})
		})
	}
}

func TestGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if Pay(Order{i, i - 1}) != nil {
				t.Errorf("worker %d", i)
			}
		}()
	}
	wg.Wait()
}

func TestCleanup(t *testing.T) {
	t.Cleanup(func() { Burn(2); t.Error("in cleanup") })
	Burn(10)
}

func TestSkip(t *testing.T) { Burn(1); t.Skip("no") }

func FuzzFine(f *testing.F) {
	f.Add(3)
	f.Fuzz(func(t *testing.T, n int) { Burn(n & 7) })
}

func BenchmarkBurn(b *testing.B) {
	for b.Loop() {
		Burn(3)
	}
}

func TestZ(t *testing.T) { Burn(5) }
`,
	"panics/panics_test.go": `package panics

import (
	"testing"

	"example.com/kept/shop"
)

func TestFine(t *testing.T) { shop.Burn(4) }

func TestPanics(t *testing.T) {
	shop.Burn(3)
	var m map[string]int
	m["x"] = shop.Burn(2)
}

func TestNever(t *testing.T) { t.Error("is not run") }
`,
	"exits/exits_test.go": `package exits

import (
	"fmt"
	"os"
	"testing"

	"example.com/kept/shop"
)

func TestMain(m *testing.M) {
	shop.Burn(5)
	fmt.Println("main begins")
	code := m.Run()
	shop.Burn(6)
	os.Exit(code)
}

func TestFine(t *testing.T)  { shop.Burn(4) }
func TestExits(t *testing.T) { shop.Burn(10); os.Exit(3) }
`,
	"hangs/hangs_test.go": `package hangs

import (
	"testing"

	"example.com/kept/shop"
)

func TestFine(t *testing.T)  { shop.Burn(4) }
func TestHangs(t *testing.T) { shop.Burn(9); select {} }
`,
	"late/late_test.go": `package late

import (
	"testing"

	"example.com/kept/shop"
)

// The last test fails in a function that is not recorded.
func TestFails(t *testing.T) { t.Cleanup(t.Fail); shop.Burn(4) }
`,
	"fine/fine_test.go": `package fine

import (
	"testing"

	"example.com/kept/shop"
)

func TestFine(t *testing.T) { shop.Burn(4) }
`,
}

// hangsFor is the time limit of the tests: that of a test that hangs.
const hangsFor = "10s"

// thread is what a test of a recording did: the texts of its events, without the numbers of objects.
type threadLines struct {
	name  string // without numbers of goroutines
	lines []string
}

var (
	numbers  = regexp.MustCompile(`(@|: goroutine )\d+`)
	ofThread = regexp.MustCompile(`^(?:.* › )?goroutine \d+ (\S.*?)(?: ← .*)?$`)
)

// threadsOf returns the threads of a trace.
func threadsOf(t *testing.T, trace string) (list []threadLines) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(must(t, runTracex(t, filepath.Dir(trace), nil, "print", "--json", trace)).stdout))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Kind, Name, Text string
			Depth            int
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Kind == "thread":
			name := e.Name
			if m := ofThread.FindStringSubmatch(name); m != nil {
				name = m[1]
			}
			list = append(list, threadLines{name: name})
		case e.Text != "" && len(list) > 0:
			last := &list[len(list)-1]
			last.lines = append(last.lines, fmt.Sprint(e.Depth, " ", numbers.ReplaceAllString(e.Text, "$1")))
		}
	}
	return list
}

// saidFailed returns the tests that go test alone says failed, or did not end, by the last element of their package.
func saidFailed(t *testing.T, dir string) map[string]bool {
	t.Helper()
	began, ended := make(map[string]bool), make(map[string]bool)
	failed := make(map[string]bool)
	c := start(t, dir, nil, "go", "test", "-json", "-timeout", hangsFor, "./...")
	out, _ := c.Output() // some fail
	for line := range bytes.Lines(out) {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal(line, &e) != nil || e.Test == "" {
			continue
		}
		name := path.Base(e.Package) + "." + e.Test
		switch e.Action {
		case "run":
			began[name] = true
		case "pass", "skip":
			ended[name] = true
		case "fail":
			ended[name], failed[name] = true, true
		}
	}
	for name := range began {
		if !ended[name] {
			failed[name] = true
		}
	}
	return failed
}

// TestKeepFailed: --keep failed leaves the traces of the tests that go test says failed, and nothing of others. They have
// what a recording of everything has of these tests.
func TestKeepFailed(t *testing.T) {
	t.Parallel()
	dir := write(t, keptModule)
	want := saidFailed(t, dir)
	plain := filepath.Join(dir, "plain.bin")
	runTracex(t, dir, nil, "record", "-o", plain, "--", "go", "test", "-timeout", hangsFor, "./...")
	whole := make(map[string][]threadLines)
	for _, one := range threadsOf(t, plain) {
		whole[one.name] = append(whole[one.name], one)
	}

	r := runTracex(t, dir, nil, "record", "--keep", "failed", "-o", "kept", "--", "go", "test", "-timeout", hangsFor, "./...")
	if r.code != 1 || !strings.Contains(r.stdout, "FAIL\texample.com/kept/panics") || !strings.Contains(r.stdout, "ok  \texample.com/kept/fine") {
		t.Fatalf("it ends with %d, having said\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	got := make(map[string]bool)
	tests := make(map[string]bool) // traces
	for _, trace := range glob(t, filepath.Join(dir, "kept", "*.bin")) {
		base := strings.TrimSuffix(filepath.Base(trace), ".bin")
		tests[base] = true
		book, err := notes.Open(trace, notes.Options{NoWrite: true})
		if err != nil {
			t.Fatal(err)
		}
		pkg, _, _ := strings.Cut(base, ".")
		for _, item := range book.Items() {
			f, ok := notes.FailureOf(item)
			if !ok {
				t.Fatalf("%s: the note %q", trace, item.Text)
			}
			got[pkg+"."+f.Test] = true
			if output := map[string]string{"shop.TestTotal": "shop_test.go:12: got 28,\n    want 27", "shop.TestCleanup": "shop_test.go:69: in cleanup"}[pkg+"."+f.Test]; output != "" && f.Output != output {
				t.Errorf("%s printed %q, expected %q", f.Test, f.Output, output)
			}
		}
		checkKept(t, base, threadsOf(t, trace), whole)
	}
	if !maps.Equal(got, want) {
		t.Errorf("kept are %v, go test says that %v failed", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	for name := range want {
		if top, _, below := strings.Cut(name, "/"); !below && !tests[top] && name != "shop.TestParallel3" {
			t.Errorf("there is no trace of %s", name)
		}
	}
	index := readText(t, filepath.Join(dir, "kept", "index.md"))
	for name := range want {
		_, test, _ := strings.Cut(name, ".")
		if !strings.Contains(index, "| "+test+" |") {
			t.Errorf("the index lacks %s:\n%s", test, index)
		}
	}

	// Once more, where all pass: the older ones go aside, and there are no new ones.
	r = runTracex(t, dir, nil, "record", "--keep", "failed", "-o", "kept", "--", "go", "test", "./fine")
	if want := "tracex: no test failed, so there is no trace\ntracex: the traces that were there before are in kept.old\n"; r.code != 0 || r.stderr != want {
		t.Errorf("it ends with %d and says %q, expected %q", r.code, r.stderr, want)
	}
	if _, err := os.Lstat(filepath.Join(dir, "kept")); err == nil {
		t.Error("there is a folder of traces")
	}
	if readText(t, filepath.Join(dir, "kept.old", "index.md")) != index {
		t.Error("the older traces are not aside")
	}
	if left := glob(t, filepath.Join(dir, "*.recording")); left != nil {
		t.Errorf("it leaves %s", left)
	}

	// A folder of something else stays.
	if err := os.Mkdir(filepath.Join(dir, "other"), 0o700); err != nil {
		t.Fatal(err)
	}
	r = runTracex(t, dir, nil, "record", "--keep", "all", "-o", "other", "--", "go", "test", "./fine")
	if r.code == 0 || !strings.Contains(r.stderr, "other already exists, and is no folder of traces of tests") {
		t.Errorf("over another folder it ends with %d and says %q", r.code, r.stderr)
	}
}

// checkKept checks that the threads of a kept trace are those of a recording of everything: whole, but for parallel tests,
// which begin where they went on. All of these are in one trace.
func checkKept(t *testing.T, base string, kept []threadLines, whole map[string][]threadLines) {
	t.Helper()
	own := false
	for _, one := range kept {
		own = own || one.name == base
		if strings.Contains(base, "Parallel") && !strings.Contains(one.name, "Parallel") {
			continue // of the test before them
		}
		if !strings.Contains(base, "Parallel") && one.name != base && !strings.HasPrefix(one.name, base+"/") && !strings.HasPrefix(one.name, base+".") {
			t.Errorf("%s has the thread %s", base, one.name)
			continue
		}
		same := func(w threadLines) bool {
			if slices.Equal(w.lines, one.lines) {
				return true
			}
			if !strings.Contains(base, "Parallel") {
				return false
			}
			cut := func(lines []string) []string {
				i := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "Resumed(") })
				return lines[max(i, 0):]
			}
			return slices.Equal(cut(w.lines), cut(one.lines)) && len(cut(one.lines)) > 2 && strings.Contains(one.lines[0], one.name+"(")
		}
		if !slices.ContainsFunc(whole[one.name], same) {
			t.Errorf("%s: %s has\n%s\nin the recording of everything\n%v", base, one.name, strings.Join(one.lines, "\n"), whole[one.name])
		}
	}
	if !own {
		t.Errorf("%s: no thread runs it: %v", base, kept)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

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
	served := 0
	for _, trace := range traces {
		text := must(t, runTracex(t, dir, nil, "print", trace)).stdout
		served += strings.Count(text, "serve(")
		i := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(trace), "background.TestN"), ".bin")
		// The others fill the room of the newest calls many times, but the test's own are there to the last.
		for _, part := range []string{`background\.TestN` + i + `\(`, `own\((…|-?\d+)\): ` + strings.Replace("-"+i, "-0", "0", 1) + "\n"} {
			if !regexp.MustCompile(part).MatchString(text) {
				t.Errorf("%s lacks %s:\n%.1000s", trace, part, text)
			}
		}
		if at := strings.Index(text, "unwound"); at >= 0 {
			t.Errorf("%s has …%s…", trace, text[max(at-300, 0):min(at+100, len(text))])
		}
	}
	if served < len(traces) {
		t.Errorf("the traces have %d calls of the goroutines in the background", served)
	}
}
