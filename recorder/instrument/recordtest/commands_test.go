//go:build linux

package recordtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommands builds a program, and records it where another program starts it.
func TestCommands(t *testing.T) {
	t.Parallel()
	needsShell(t)
	dir := write(t, map[string]string{
		"go.mod":  "module example.com/started\n\ngo 1.25\n",
		"main.go": "package main\n\nfunc main() { answer() }\n\nfunc answer() int { return 42 }\n// " + t.TempDir() + "\n", // new in each run of the test
	})
	r := must(t, runTracex(t, dir, nil, "build", "-v", "-o", "started", "."))
	if want := "tracex: example.com/started: 2 of 2 functions instrumented\n"; r.stderr != want {
		t.Errorf("tracex says %q, expected %q", r.stderr, want)
	}
	r = must(t, runTracex(t, dir, nil, "build", "-v", "-o", "started", "."))
	if want := "tracex: no instrumented package was compiled: "; !strings.HasPrefix(r.stderr, want) {
		t.Errorf("then it says %q, expected %q", r.stderr, want)
	}
	trace := filepath.Join(t.TempDir(), "trace.bin")
	r = runTracex(t, dir, nil, "record", "--skip", "main.no", "-o", trace, "--", "sh", "-c", "./started; exit 3")
	if want := "tracex: recorded 2 calls of 2 functions, 1 goroutine in "; r.code != 3 || !strings.HasPrefix(r.stderr, want) {
		t.Errorf("it ends with %+v, expected %q", r, want)
	}
	if text := must(t, runTracex(t, dir, nil, "print", trace)).stdout; !strings.HasSuffix(text, "main.main()\n  answer(): 42\n") {
		t.Errorf("%s", text)
	}
}

// toolFiles are a module with a tool and a line for go generate.
var toolFiles = map[string]string{
	"go.mod":            "module example.com/tools\n\ngo 1.25\n\ntool example.com/tools/cmd/hello\n",
	"cmd/hello/main.go": "package main\n\nimport \"os\"\n\nfunc greet(names []string) int { println(names[0]); return len(names) }\n\nfunc main() { os.Exit(greet(os.Args[1:])) }\n",
	"gen/main.go":       "package main\n\nimport \"os\"\n\nfunc text(pkg string) string { return \"package \" + pkg }\n\nfunc main() { os.WriteFile(\"made.go\", []byte(text(os.Getenv(\"GOPACKAGE\"))), 0o666) }\n",
	"part/part.go":      "package part\n\n//go:generate go run ../gen\n",
}

// TestTool: a tool of go.mod is recorded, with its output and exit code, also when it was built before.
func TestTool(t *testing.T) {
	t.Parallel()
	dir := write(t, toolFiles)
	trace := filepath.Join(t.TempDir(), "trace.bin")
	want := run(t, dir, nil, "go", "tool", "hello", "a", "b", "c")
	for range 2 {
		got := runTracex(t, dir, nil, "record", "-o", trace, "--", "go", "tool", "hello", "a", "b", "c")
		if told := cutReport(&got); got != want || got.code != 3 || !strings.HasPrefix(told, "tracex: recorded 2 calls of 2 functions") {
			t.Errorf("it ends with %+v and %q, expected %+v", got, told, want)
		}
		if text := printed(t, trace, nil); !strings.Contains(text, "\n  greet([]string@): 3\n") {
			t.Error(text)
		}
	}
	// What is wrong with a name, go says.
	want = run(t, dir, nil, "go", "tool", "nosuch")
	if got := runTracex(t, dir, nil, "record", "-o", trace, "--", "go", "tool", "nosuch"); got.code != want.code || !strings.HasPrefix(got.stderr, want.stderr) {
		t.Errorf("%+v, expected %+v", got, want)
	}
	if got := runTracex(t, dir, nil, "record", "-o", trace, "--", "go", "tool", "pprof"); got.code == 0 || !strings.Contains(got.stderr, "go tool pprof is part of Go") || !strings.Contains(got.stderr, "hint: go run cmd/pprof") {
		t.Errorf("%+v", got)
	}
	if got := must(t, runTracex(t, dir, nil, "record", "--list", "--", "go", "tool", "hello")); !strings.Contains(got.stdout, "cmd/hello.greet  main.go:5\n") {
		t.Errorf("%+v", got)
	}
}

// TestGenerate: what go generate runs by go run is recorded, also when it was built before.
func TestGenerate(t *testing.T) {
	t.Parallel()
	dir := write(t, toolFiles)
	trace := filepath.Join(t.TempDir(), "trace.bin")
	for _, command := range [][]string{{"go", "generate", "./..."}, {"go", "generate", "-C", "part"}} {
		made := filepath.Join(dir, "part", "made.go")
		must(t, runTracex(t, dir, nil, append([]string{"record", "-o", trace, "--"}, command...)...))
		if text := printed(t, trace, nil); !strings.Contains(text, `text("part"): "package part"`) {
			t.Errorf("%q: %s", command, text)
		}
		if text, err := os.ReadFile(made); err != nil || string(text) != "package part" {
			t.Errorf("%q made %s, %v", command, text, err)
		}
		if err := os.Remove(made); err != nil {
			t.Error(err)
		}
	}
	// Where nothing is recorded, the hint says what is.
	if err := os.WriteFile(filepath.Join(dir, "part", "part.go"), []byte("package part\n\n//go:generate go version\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := runTracex(t, dir, nil, "record", "-o", trace, "--", "go", "generate", "./..."); !strings.Contains(r.stderr, "hint: ") || !strings.Contains(r.stderr, "tracex record -- go tool NAME") {
		t.Errorf("%+v", r)
	}
}
