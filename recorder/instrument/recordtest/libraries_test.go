//go:build linux

package recordtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSharedLibrary records a library that a program in C calls.
func TestSharedLibrary(t *testing.T) {
	long(t)
	dir := write(t, map[string]string{
		"go.mod":        "module example.com/shared\n\ngo 1.25\n",
		"lib.go":        "package main\n\nimport \"C\"\n\n//export Twice\nfunc Twice(n C.int) C.int {\n\tc := make(chan C.int)\n\tgo inner(n, c)\n\treturn <-c\n}\n\nfunc inner(n C.int, c chan C.int) { c <- 2 * n }\n\nfunc main() {}\n",
		"main.c/main.c": "#include <stdio.h>\n#include \"../lib.h\"\n\nint main() { printf(\"%d %d\\n\", Twice(4), Twice(Twice(5))); return 0; }\n",
	})
	must(t, runTracex(t, dir, []string{"CGO_ENABLED=1"}, "build", "-o", "lib.so", "--", "-buildmode=c-shared", "."))
	must(t, run(t, dir, nil, "gcc", "-o", "program", "main.c/main.c", "./lib.so"))
	raws := t.TempDir()
	if r := must(t, run(t, dir, []string{"TRACEX_RECORD=" + raws}, "./program")); r.stdout != "8 20\n" || r.stderr != "" {
		t.Errorf("it writes %q and %q", r.stdout, r.stderr)
	}
	trace := filepath.Join(t.TempDir(), "trace.bin")
	must(t, runTracex(t, "", nil, "convert", "-o", trace, raws))
	text := must(t, runTracex(t, "", nil, "print", trace)).stdout
	for _, line := range []string{"main.Twice(4): 8\n", "main.Twice(5): 10\n", "main.Twice(10): 20\n", "main.inner(10, chan"} {
		if strings.Count(text, line) != 1 {
			t.Errorf("%q is not once in %s", line, text)
		}
	}
}

// TestRebuild: nothing is rebuilt without need.
func TestRebuild(t *testing.T) {
	long(t)
	dir := write(t, map[string]string{
		"go.mod":     "module example.com/rebuild\n\ngo 1.25\n",
		"main.go":    "package main\n\nimport \"example.com/rebuild/lib\"\n\nfunc main() { lib.F() }\n",
		"lib/lib.go": "package lib\n\n// F does nothing.\nfunc F() { g() }\n\nfunc g() {}\n// " + t.TempDir() + "\n", // new in each run of the test
	})
	compiled := func(flags ...string) string {
		t.Helper()
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := must(t, runTracex(t, dir, nil, append(append([]string{"record", "-o", trace}, flags...), "--", "go", "run", "-v", ".")...))
		cutReport(&r)
		return r.stderr
	}
	const lib, main = "example.com/rebuild/lib\n", "example.com/rebuild\n"
	if got := compiled(); !strings.Contains(got, lib) {
		t.Errorf("at first it compiles %q", got)
	}
	if got := compiled(); got != "" {
		t.Errorf("without a change it compiles %q", got)
	}
	if got := compiled("--depth", "2", "--skip", "lib.g", "--levels", "9", "--no-times", "--limit", "1GiB"); got != "" {
		t.Errorf("with other options it compiles %q", got)
	}
	path := filepath.Join(dir, "lib", "lib.go")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, "// A comment.\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := compiled(); got != lib {
		t.Errorf("with a comment at the end it compiles %q", got)
	}
	// A plain build has nothing of the instrumentation.
	if r := must(t, run(t, dir, nil, "go", "build", "-o", "plain", ".")); r.stderr != "" {
		t.Errorf("a plain build says %q", r.stderr)
	}
	program, err := os.ReadFile(filepath.Join(dir, "plain"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(program), "tracexrt") {
		t.Error("a plain build has the recorder")
	}
}

// TestProcesses records a program that starts others.
func TestProcesses(t *testing.T) {
	t.Parallel()
	_, recording := workers(t)
	trace := filepath.Join(t.TempDir(), "trace.bin")
	r := must(t, runTracex(t, "", nil, "record", "-o", trace, "--", recording, "fork", "3"))
	// main, fork, and what each of the others does with one call, two and three.
	if want := "tracex: recorded 26 calls (3 go statements) of 6 functions, 7 goroutines, 4 processes in "; !strings.HasPrefix(r.stderr, want) {
		t.Errorf("tracex says %q, expected %q", r.stderr, want)
	}
	text := must(t, runTracex(t, "", nil, "print", trace)).stdout
	for _, line := range []string{"calls(1)\n", "calls(2)\n", "calls(3)\n", "step(2): -2\n", "fork(3)\n"} {
		if strings.Count(text, line) != 1 {
			t.Errorf("%q is not once in %s", line, text)
		}
	}
}
