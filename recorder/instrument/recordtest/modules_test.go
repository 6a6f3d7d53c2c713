//go:build linux

package recordtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// times are those in the output of go test.
var times = regexp.MustCompile(`\d+\.\d+s| +[\d.]+ ns/op`)

// recordLike runs a command plain and recorded, checks that both end in the same way, and returns
// the text of the trace.
func recordLike(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	want := run(t, dir, env, command...)
	trace := filepath.Join(t.TempDir(), "trace.bin")
	got := runTracex(t, dir, env, append([]string{"record", "-o", trace, "--"}, command...)...)
	told := cutReport(&got)
	for _, r := range []*result{&got, &want} {
		r.stdout = times.ReplaceAllString(strings.ReplaceAll(r.stdout, "(cached)", "0.00s"), "0.00s")
	}
	if got != want {
		t.Errorf("recorded it ends with %+v, expected %+v", got, want)
	}
	if _, err := os.Stat(trace); err != nil {
		t.Errorf("tracex says %s", told)
		return ""
	}
	return printed(t, trace, nil)
}

// TestModules records programs that go builds in other ways than as a package of a module.
func TestModules(t *testing.T) {
	long(t)
	const (
		lib  = "package lib\n\nfunc Twice(n int) int { return 2 * n }\n"
		main = "package main\n\nimport \"example.com/lib\"\n\nfunc main() { println(lib.Twice(4)) }\n"
		mod  = "module example.com/main\n\ngo 1.25\n"
		libs = "module example.com/lib\n\ngo 1.25\n"
		uses = "\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ./lib\n"
		both = "# Thread 1\nmain.main()\n  lib.Twice(4): 8\n"
		only = "# Thread 1\nmain.main()\n"
	)
	for _, c := range []struct {
		name    string
		files   map[string]string
		env     []string
		prepare []string
		command string
		trace   string
	}{
		{
			name: "package", files: map[string]string{"go.mod": mod, "main.go": strings.ReplaceAll(main, "example.com/lib", "example.com/main/lib"), "lib/lib.go": lib},
			command: "go run .", trace: both,
		},
		{
			// Not part of the main module.
			name: "replaced", files: map[string]string{"go.mod": mod + uses, "main.go": main, "lib/lib.go": lib, "lib/go.mod": libs},
			command: "go run .", trace: only,
		},
		{
			name: "vendored", files: map[string]string{"go.mod": mod + uses, "main.go": main, "lib/lib.go": lib, "lib/go.mod": libs},
			prepare: []string{"go", "mod", "vendor"}, command: "go run -mod=vendor .", trace: only,
		},
		{
			name:  "workspace",
			files: map[string]string{"go.work": "go 1.25\n\nuse ./main\nuse ./lib\n", "main/go.mod": mod, "main/main.go": main, "lib/lib.go": lib, "lib/go.mod": libs},
			env:   []string{"GOWORK="}, command: "go run ./main", trace: both,
		},
		{
			name: "overlay", files: map[string]string{
				"go.mod": mod, "main.go": "package main\n\nfunc main() { println(1) }\n",
				"other.txt": "package main\n\nfunc main() { other() }\n\nfunc other() { println(2) }\n", "overlay.json": `{"Replace": {"main.go": "other.txt"}}`,
			}, command: "go run -overlay=overlay.json .", trace: only + "  other()\n",
		},
		{
			name: "file", files: map[string]string{"main.go": "package main\n\nfunc main() { println(twice(2)) }\n\nfunc twice(n int) int { return 2 * n }\n"},
			command: "go run main.go", trace: only + "  twice(2): 4\n",
		},
		{
			name: "old loops", files: map[string]string{
				"go.mod":  "module example.com/main\n\ngo 1.16\n",
				"main.go": "package main\n\ntype P struct{ n [400]int }\n\nfunc main() {\n\tvar fs []func() int\n\tfor i := 0; i < 3; i++ {\n\t\tfs = append(fs, func() int { return i })\n\t}\n\tfor _, f := range fs {\n\t\tprintln(f())\n\t}\n\tlarge(P{}, nil)\n}\n\nfunc large(p P, q interface{}) {}\n",
			}, command: "go run .", trace: only + "  main.func1(): 3\n  main.func1(): 3\n  main.func1(): 3\n  large(P{n:[400]int{0, 0, 0, 0, 0, 0, 0, 0, …+392}}, null)\n",
		},
		{
			name: "own flags", files: map[string]string{"go.mod": mod, "main.go": "package main\n\nfunc main() { f() }\n\nfunc f() {}\n"},
			env: []string{"GOFLAGS=-gcflags=-l"}, command: "go run -gcflags=all=-N -tags=x .", trace: only + "  f()\n",
		},
		{
			name: "embedded", files: map[string]string{
				"go.mod": mod, "text": "embedded\n", "main.go": "package main\n\nimport _ \"embed\"\n\n//go:embed text\nvar text string\n\nfunc main() { print(text) }\n",
			}, command: "go run .", trace: only,
		},
		{
			name: "subcommand", files: map[string]string{"x/go.mod": mod, "x/main.go": "package main\n\nfunc main() {}\n"},
			command: "go -C x run .", trace: only,
		},
		{
			name: "C", files: map[string]string{"go.mod": mod, "main.go": cgoMain, "callback.c": cgoC}, env: []string{"CGO_ENABLED=1"}, command: "go run .",
			trace: `# Thread (main)
main.main()
  fromC(20): 21
  main.func1(_Ctype_struct_pair{a:1, b:2}): 3
# Thread (goroutine 2)
main.fromC(30): 31
`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, c.files)
			if c.prepare != nil {
				must(t, run(t, dir, c.env, c.prepare...))
			}
			same(t, "the trace", recordLike(t, dir, c.env, strings.Fields(c.command)...), strings.Replace(c.trace, "# Thread 1", "# Thread", 1))
		})
	}
}

const cgoMain = `package main

/*
#include <stdint.h>
struct pair { int a, b; };
int callBack(int n);
int callBackFromThread(int n);
*/
import "C"

func main() {
	println(C.callBack(20))
	println(C.callBackFromThread(30))
	println(func(p C.struct_pair) int { return int(p.a + p.b) }(C.struct_pair{1, 2}))
}

//export fromC
func fromC(n C.int) C.int { return n + 1 }
`

const cgoC = `#include <pthread.h>
#include "_cgo_export.h"

int callBack(int n) { return fromC(n); }

static void *run(void *n) {
	*(int *)n = fromC(*(int *)n);
	return 0;
}

int callBackFromThread(int n) {
	pthread_t t;
	pthread_create(&t, 0, run, &n);
	pthread_join(t, 0);
	return n;
}
`

// TestMajorVersion: a package whose path ends in a major version has the name that it has without.
func TestMajorVersion(t *testing.T) {
	long(t)
	dir := write(t, map[string]string{
		"go.mod": "module example.com/lib/v2\n\ngo 1.25\n", "lib.go": "package lib\n\nfunc Twice(n int) int { return 2 * once(n) }\n\nfunc once(n int) int { return n }\n",
		"x/main.go": "package main\n\nimport \"example.com/lib/v2\"\n\nfunc main() { println(lib.Twice(4)) }\n",
	})
	const twice = "lib.Twice(4): 8\n"
	for _, c := range []struct{ only, want string }{
		{"...", "main.main()\n  " + twice + "    once(4): 4\n"}, {"example.com/lib/v2/...", "main.main()\n  " + twice + "    once(4): 4\n"}, {"lib.Twice", twice}, {"v2.Twice", twice}, {"example.com/lib/v2.Twice", twice}, {"lib.*", twice + "  once(4): 4\n"},
	} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, "record", "-o", trace, "--only", c.only, "--", "go", "run", "./x"))
		same(t, "the trace of "+c.only, printed(t, trace, nil), "# Thread\n"+c.want)
	}
}

// TestCompileError: the compiler's errors are those of the original program.
func TestCompileError(t *testing.T) {
	long(t)
	for _, body := range []string{
		"func main() { x := 1 }", "func main() { undefined() }", "func f() (int, string) { return 1 }\n\nfunc main() {}", "func main() {", "import \"fmt\"\n\nfunc main() {}",
		"func f(a int, a int) {}\n\nfunc main() {}", "func (T) m() {}\n\nfunc main() {}", "func f() int { }\n\nfunc main() {}", "func main() { goto x }",
	} {
		dir := write(t, map[string]string{"go.mod": "module example.com/wrong\n\ngo 1.25\n", "main.go": "package main\n\n" + body + "\n"})
		want := run(t, dir, nil, "go", "run", ".")
		got := runTracex(t, dir, nil, "record", "--", "go", "run", ".")
		if told := cutReport(&got); got != want || told != "tracex: no trace written: no instrumented program ran\n" {
			t.Errorf("%s: it ends with %+v and %q, expected %+v", body, got, told, want)
		}
		// A trace that is there stays, and it is said.
		if err := os.WriteFile(filepath.Join(dir, "trace.bin"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		got = runTracex(t, dir, nil, "record", "--force", "--", "go", "run", ".")
		if told := cutReport(&got); got != want || !strings.Contains(told, "; trace.bin is still the recording of 20") {
			t.Errorf("%s: with a trace it ends with %+v and %q", body, got, told)
		}
	}
}

// TestTests records tests of all kinds.
func TestTests(t *testing.T) {
	long(t)
	dir := write(t, map[string]string{
		"go.mod":       "module example.com/tested\n\ngo 1.25\n",
		"add.go":       "package tested\n\nfunc Add(a, b int) int { return a + b }\n",
		"main_test.go": "package tested\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tprepare()\n\tos.Exit(m.Run())\n}\n\nfunc prepare() {}\n",
		"add_test.go": `package tested

import "testing"

func TestAdd(t *testing.T) {
	helper(t, Add(1, 2), 3)
	t.Run("sub", func(t *testing.T) { helper(t, Add(3, 4), 7) })
	t.Run("parallel", func(t *testing.T) {
		t.Parallel()
		helper(t, Add(5, 5), 10)
	})
}

func TestSkipped(t *testing.T) { t.Skip("skipped") }

func helper(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%d is not %d", got, want)
	}
}

func FuzzAdd(f *testing.F) {
	f.Add(7, 8)
	f.Fuzz(func(t *testing.T, a, b int) { helper(t, Add(a, b), b+a) })
}

func BenchmarkAdd(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Add(i, 1)
	}
}
`,
		"external_test.go": "package tested_test\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/tested\"\n)\n\nfunc ExampleAdd() {\n\tfmt.Println(tested.Add(9, 10))\n\t// Output: 19\n}\n",
	})
	text := recordLike(t, dir, nil, "go", "test", "-v", "-p=1", "-parallel=1", "-bench=.", "-benchtime=2x", "-count=1", ".")
	golden(t, "tests.txt", text)
	recordLike(t, dir, nil, "go", "test", "-race", "-count=1", "./...")
	recordLike(t, dir, nil, "go", "test", "-cover", "-count=1", "./...")
	recordLike(t, dir, nil, "go", "test", "-count=1", "-run", "TestAdd/sub", "./...")

	// Threads have the names of tests also if package testing itself is recorded.
	trace := filepath.Join(t.TempDir(), "trace.bin")
	must(t, runTracex(t, dir, nil, "record", "-o", trace, "-p", "testing", "-p", "work", "--", "go", "test", "-run", "TestAdd", "."))
	found := false
	for _, one := range factsOf(t, trace).Threads {
		found = found || strings.Contains(one.Name, " tested.TestAdd/sub ")
	}
	if !found {
		t.Errorf("no thread is a test: %+v", factsOf(t, trace).Threads)
	}
}
