//go:build linux

package recordtest_test

import (
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
