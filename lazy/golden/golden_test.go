package golden

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

func open(t *testing.T, path string) *lazy.LazyTraceReader {
	t.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func made(t *testing.T, path string, o Options) string {
	t.Helper()
	b, err := Make(t.Context(), open(t, path), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestMake: the file of the demo, whole, in part and with values.
func TestMake(t *testing.T) {
	demo := formattest.Demo(t)
	const packers = "\nthreads packer *\n  Packer.pack() ×5\n    Packer.label()\n"
	for _, x := range []struct {
		o                Options
		begins, has, not string
	}{
		{Options{}, first + "\n\nthread counter\n  Shop.open()\n    Catalogue.load()\n      Catalogue.parse() ×7\n    Shop.order()\n", packers, "4711"},
		{Options{Only: "class=Till", Values: true}, first + "\n# only: class=Till\n# values: yes\n\nthread counter\n  Till.price(3): 1785\n    Till.discount(2, 450): 0\n",
			"\n  Till.pay(\"1910\", 5060): threw main.cardRefused\n", "packer"},
		{Options{Only: "Packer.pack", Depth: 1}, first + "\n# only: Packer.pack\n# depth: 1\n\nthreads packer *\n  Packer.pack() ×5\n", "", "below"},
		{Options{Depth: 1}, first + "\n# depth: 1\n\nthread counter\n  Shop.open() … calls below: 51, ", "", "order"},
	} {
		got := made(t, demo, x.o)
		if !strings.HasPrefix(got, x.begins) || !strings.Contains(got, x.has) || strings.Contains(got, x.not) {
			t.Errorf("%+v:\n%s", x.o, got)
		}
		x.o.Limit, x.o.kept = DefaultLimit, true
		if o, err := OptionsOf([]byte(got)); err != nil || o != x.o {
			t.Errorf("%+v became %+v, %v", x.o, o, err)
		}
	}
	if got := made(t, demo, Options{}); strings.Count(got, "\n") > 62 || !strings.HasSuffix(got, packers) {
		t.Errorf("%d lines for 62 calls:\n%s", strings.Count(got, "\n"), got)
	}
}

// TestMakeTwice: a trace in another version of the format, and again, has the same file.
func TestMakeTwice(t *testing.T) {
	for _, name := range []string{"threads", "kotlin", "shapes"} {
		old := formattest.Unpack(t, name+".v27.stream.bin", name+".v27.stream.bin.idx")
		for _, o := range []Options{{}, {Values: true}, {Depth: 3}} {
			text := made(t, old, o)
			for range 3 {
				if again := made(t, old, o); again != text {
					t.Fatalf("%s %+v: %s", name, o, Compare(name, []byte(text), []byte(again)).Text)
				}
			}
		}
	}
}

// TestRow: rows fold what occurs again, and unfolding them gives what was added.
func TestRow(t *testing.T) {
	for _, x := range []struct{ add, want string }{
		{"", ""},
		{"aaab", "a3 b"},
		{"abababc", "(a b)3 c"},
		{"aabaabaab", "(a2 b)3"},
		{"xabcabcabcy", "x (a b c)3 y"},
		{"abcdefghiabcdefghi", "a b c d e f g h i a b c d e f g h i"},
		{"abababa", "(a b)3 a"},
	} {
		of := newShapes()
		r := row{of: of}
		for _, c := range x.add {
			r.add(of.of(string(c), nil))
		}
		r.settle()
		var text func(list []run, folded bool) string
		text = func(list []run, folded bool) string {
			var words []string
			for _, k := range list {
				word := of.list[k.id].label
				if in := of.group(k.id); in != nil {
					word = "(" + text(in, true) + ")"
				}
				if k.n > 1 {
					word += fmt.Sprint(k.n)
				}
				words = append(words, word)
			}
			return strings.Join(words, " ")
		}
		if want := of.linesIn(r.runs); r.lines != want {
			t.Errorf("%s: %d lines, want %d", x.add, r.lines, want)
		}
		if got := text(r.runs, true); got != x.want {
			t.Errorf("%s became %s, want %s", x.add, got, x.want)
		}
	}
}

// TestRowTooLong: a row is too long while it grows, unless it is folded.
func TestRowTooLong(t *testing.T) {
	for _, x := range []struct {
		kinds int
		want  bool
	}{{8, false}, {10_000, true}} {
		r := row{of: newShapes()}
		long := false
		for i := range 10_000 {
			r.add(r.of.of(fmt.Sprint(i%x.kinds), nil))
			long = long || r.tooLong(10)
		}
		if long != x.want {
			t.Errorf("of %d kinds: %t", x.kinds, long)
		}
	}
}

// program writes a trace of a pool's threads, each with a call of each of its methods, in this order.
func program(t *testing.T, throws string, threads ...string) string {
	w := formattest.NewBuilder(t)
	methods := make(map[rune]int32)
	for i, of := range threads {
		w.Thread(int32(i))
		w.Name(fmt.Sprintf("worker-%d", 10*i+1))
		for _, name := range of {
			if _, ok := methods[name]; !ok {
				methods[name] = w.Method("shop.Job", string(name), format.Type{Kind: format.TypeInt})
			}
			w.Point(&format.Point{Class: format.ClassCall, Ref: methods[name], Location: -1, Diff: format.DiffNone, Target: format.Null()})
			f := format.Footer{Result: formattest.IntValue(1)}
			if string(name) == throws {
				f = format.Footer{Threw: true, Exception: "java.io.IOException", Result: format.Value{Kind: format.ValueUnfinished}}
			}
			w.Footer(format.ClassCall, &f)
		}
	}
	return w.File()
}

// TestPools: it does not count which thread of a pool took a job, nor when.
func TestPools(t *testing.T) {
	want := made(t, program(t, "", "aab", "ca"), Options{})
	if section := "\nthreads worker-*\n  Job.a() ×3\n  Job.b()\n  Job.c()\n"; !strings.HasSuffix(want, section) {
		t.Errorf("it is\n%s", want)
	}
	for _, threads := range [][]string{{"aabca"}, {"c", "", "aa", "ba"}, {"acaba"}} {
		if got := made(t, program(t, "", threads...), Options{}); got != want {
			t.Errorf("%q:\n%s", threads, got)
		}
	}
	for _, x := range []string{"aabc", "aabcd", "aabcaa"} {
		if made(t, program(t, "", x), Options{}) == want {
			t.Errorf("%s makes no difference", x)
		}
	}
	if made(t, program(t, "b", "aab", "ca"), Options{}) == want {
		t.Error("an exception makes no difference")
	}
}

// TestLarge: more than people would read is refused.
func TestLarge(t *testing.T) {
	r := open(t, formattest.Unpack(t, "gson.stream.bin", "gson.stream.bin.idx"))
	var large *LargeError
	if _, err := Make(t.Context(), r, Options{Limit: 50}, nil); !errors.As(err, &large) || large.Lines != 50 {
		t.Errorf("%v", err)
	}
	if b, err := Make(t.Context(), r, Options{Limit: 50, Depth: 1}, nil); err != nil || strings.Count(string(b), "\n") > 50 {
		t.Errorf("%v\n%s", err, b)
	}
	if _, err := Make(t.Context(), r, Options{Only: "class="}, nil); err == nil {
		t.Error("a wrong filter is taken")
	}
}

// TestOptionsOf: what the first lines tell is what they were made of, and a long file may become longer.
func TestOptionsOf(t *testing.T) {
	o := Options{Only: `value="a  b"`, Depth: 2}
	text := o.head() + strings.Repeat("x\n", 2*DefaultLimit)
	got, err := OptionsOf([]byte(text))
	if err != nil || got.Only != o.Only || got.Depth != 2 || got.Limit != 2*strings.Count(text, "\n") {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Make(t.Context(), open(t, formattest.Demo(t)), Options{Only: "class=Till\nclass=Shop"}, nil); !errors.Is(err, ErrFilter) {
		t.Errorf("a filter of two lines: %v", err)
	}
}

// TestGone: a class that a file is about may be gone; of one that a user names, that is an error.
func TestGone(t *testing.T) {
	demo := formattest.Demo(t)
	old := strings.Replace(made(t, demo, Options{Only: "class=Till"}), "class=Till", "class=Gone", 1)
	o, err := OptionsOf([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	text := made(t, demo, o)
	if d := Compare("old", []byte(old), []byte(text)); d == nil || d.Added != 0 || d.Removed != strings.Count(old, "\n")-2 {
		t.Errorf("%+v", d)
	}
	var fault *filter.Error
	if _, err := Make(t.Context(), open(t, demo), Options{Only: "class=Gone"}, nil); !errors.As(err, &fault) {
		t.Errorf("class=Gone: %v", err)
	}
}

// TestEdits: edits lead from one text to the other, and are as few as the longest common subsequence allows.
func TestEdits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		var a, b [][]byte
		for _, list := range []*[][]byte{&a, &b} {
			for range rng.IntN(12) {
				*list = append(*list, []byte{"abc"[rng.IntN(3)]})
			}
		}
		var old, new [][]byte
		differ, last := 0, byte(' ')
		for _, e := range edits(a, b) {
			if last == '+' && e.mark == '-' {
				t.Fatalf("%s to %s: a line is added before one that is removed in its place", a, b)
			}
			last = e.mark
			if e.mark != '+' {
				old = append(old, e.line)
			}
			if e.mark != '-' {
				new = append(new, e.line)
			}
			if e.mark != ' ' {
				differ++
			}
		}
		common := make([][]int, len(a)+1)
		for i := range common {
			common[i] = make([]int, len(b)+1)
		}
		for i := range a {
			for j := range b {
				common[i+1][j+1] = max(common[i][j+1], common[i+1][j])
				if bytes.Equal(a[i], b[j]) {
					common[i+1][j+1] = common[i][j] + 1
				}
			}
		}
		join := func(l [][]byte) string { return string(bytes.Join(l, []byte(" "))) }
		if want := len(a) + len(b) - 2*common[len(a)][len(b)]; join(old) != join(a) || join(new) != join(b) || differ != want {
			t.Fatalf("%s to %s: %s and %s with %d edits, want %d", join(a), join(b), join(old), join(new), differ, want)
		}
	}
	var a, b [][]byte
	for i := range 1000 {
		a, b = append(a, fmt.Append(nil, "a", i)), append(b, fmt.Append(nil, "b", i))
	}
	if n := len(edits(a, b)); n != 2000 {
		t.Errorf("%d edits of texts that have nothing in common", n)
	}
}

// TestUnified: what differs comes with three lines around it, as diff -u writes it.
func TestUnified(t *testing.T) {
	lines := func(list ...int) (text []byte) {
		for _, n := range list {
			text = fmt.Appendf(text, "%d\n", n)
		}
		return text
	}
	d := Compare("old", lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17), lines(1, 2, 3, 4, 55, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18))
	want := `--- old
+++ new recording
@@ -2,7 +2,7 @@
 2
 3
 4
-5
+55
 6
 7
 8
@@ -10,8 +10,8 @@
 10
 11
 12
-13
 14
 15
 16
 17
+18
`
	if string(d.Text) != want || d.Removed != 2 || d.Added != 2 {
		t.Errorf("%d, %d\n%s", d.Removed, d.Added, d.Text)
	}
	if d := Compare("old", lines(1), lines()); string(d.Text) != "--- old\n+++ new recording\n@@ -1,1 +1,0 @@\n-1\n" {
		t.Errorf("%s", d.Text)
	}
	if d := Compare("old", lines(1, 2), lines(1, 2)); d != nil {
		t.Errorf("of equal texts: %s", d.Text)
	}
}

// fake is a T that keeps what it is told.
type fake struct {
	ctx    context.Context
	failed string
	said   string
}

type fatal struct{}

func (f *fake) Helper()                         {}
func (f *fake) Context() context.Context        { return f.ctx }
func (f *fake) Errorf(format string, a ...any)  { f.failed += fmt.Sprintf(format, a...) }
func (f *fake) Logf(format string, args ...any) { f.said += fmt.Sprintf(format, args...) }
func (f *fake) Fatalf(format string, a ...any) {
	f.Errorf(format, a...)
	panic(fatal{})
}

// check runs Check as a test does.
func check(t *testing.T, name, path string, o ...Options) (f *fake) {
	f = &fake{ctx: t.Context()}
	defer func() {
		if p := recover(); p != nil && p != any(fatal{}) {
			panic(p)
		}
	}()
	Check(f, name, path, o...)
	return f
}

// TestCheck: a golden trace is written, holds, and tells what is different.
func TestCheck(t *testing.T) {
	old, new := program(t, "", "abcdefgh"), program(t, "e", "abcdefgh")
	t.Chdir(t.TempDir())
	t.Setenv(Variable, "")
	if f := check(t, "jobs", old); !strings.Contains(f.failed, "there is no golden trace") || !strings.Contains(f.failed, "TRACEX_GOLDEN=update") {
		t.Errorf("without a file: %q", f.failed)
	}
	t.Setenv(Variable, "update")
	if f := check(t, "jobs", old, Options{Values: true}); f.failed != "" || !strings.Contains(f.said, "jobs.golden was written") {
		t.Errorf("%q %q", f.failed, f.said)
	}
	t.Setenv(Variable, "")
	if f := check(t, "jobs", old); f.failed != "" {
		t.Errorf("the same: %q", f.failed)
	}
	f := check(t, "jobs", new)
	for _, want := range []string{"1 lines of the golden trace are gone, 1 are new", "\n-  Job.e(): 1\n+  Job.e(): threw java.io.IOException\n", "\n   Job.b(): 1\n", "\n   Job.h(): 1\n", "TRACEX_GOLDEN=update"} {
		if !strings.Contains(f.failed, want) {
			t.Errorf("%q is not in %s", want, f.failed)
		}
	}
	if strings.Contains(f.failed, "Job.a()") {
		t.Errorf("more than the lines around: %s", f.failed)
	}
	path := filepath.Join(Dir, "jobs.golden")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(b), "\n", "\r\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	if f := check(t, "jobs", old); f.failed != "" {
		t.Errorf("with line ends of Windows: %q", f.failed)
	}
	if err := os.WriteFile(path, []byte("something else\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if f := check(t, "jobs", old); !strings.Contains(f.failed, "no golden trace of this version") {
		t.Errorf("another file: %q", f.failed)
	}
	if err := os.Truncate(old, 200); err != nil {
		t.Fatal(err)
	}
	if f := check(t, "jobs", old, Options{}); f.failed == "" {
		t.Error("a trace that is cut passes")
	}
	for _, name := range []string{"", "..", "a/b"} {
		if f := check(t, name, old); !strings.Contains(f.failed, "name of a golden trace") {
			t.Errorf("the name %q: %q", name, f.failed)
		}
	}
}
