//go:build linux

package recordtest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
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

// The parallel ones run at the same time, with -parallel 3, and end one after the other.
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
	c := start(t, dir, nil, "go", "test", "-json", "-parallel", "3", "-timeout", hangsFor, "./...")
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
	runTracex(t, dir, nil, "record", "-o", plain, "--", "go", "test", "-parallel", "3", "-timeout", hangsFor, "./...")
	whole := make(map[string][]threadLines)
	for _, one := range threadsOf(t, plain) {
		whole[one.name] = append(whole[one.name], one)
	}

	r := runTracex(t, dir, nil, "record", "--keep", "failed", "-o", "kept", "--", "go", "test", "-parallel", "3", "-timeout", hangsFor, "./...")
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
