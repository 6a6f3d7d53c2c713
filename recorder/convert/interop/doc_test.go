// Package interop has only tests: other recorders record real programs, and what tracex makes of their
// files is compared with what is in them by a plain reading, or by those tools themselves. The tests are
// selected by TRACEX_INTEROP=1. Each needs its recorder: Python with VizTracer, which is installed from
// PyPI to a temporary folder if it is missing, clang, Node.js, and the Go command.
package interop

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
)

// interopVariable is the environment variable that selects the tests.
const interopVariable = "TRACEX_INTEROP"

// need skips the test unless it is selected and a program is there. It returns the program's path.
func need(t testing.TB, program string) string {
	t.Helper()
	if os.Getenv(interopVariable) == "" {
		t.Skipf("set %s=1 to record with other recorders (needs %s)", interopVariable, program)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed: %v", program, err)
	}
	return path
}

// run runs a program in a folder, and returns what it prints.
func run(t testing.TB, dir, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return out
}

// write writes a file to a folder, and returns its path.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// convert converts a file, which the source must recognize, and reads the trace back. The file may be compressed.
func convert(t testing.TB, s *sources.Source, path string) (*readback.Trace, *calltrace.Summary) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := sources.NewContent(f)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	if !s.Is(content.Head()) {
		t.Fatalf("%s is not recognized as %s: it begins with %.200q", filepath.Base(path), s.What, content.Head())
	}
	got, sum, err := readback.ConvertReader(context.Background(), s, io.Reader(content), calltrace.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range sum.LeftOut {
		t.Logf("left out: %d %s", left.Count, left.What)
	}
	return got, sum
}
