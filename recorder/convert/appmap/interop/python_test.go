// Package interop records a Python program with AppMap's recorder, and compares the sums of the calls that are
// converted with those that a few lines of Python find in the file. It runs if TRACEX_INTEROP is set, and needs
// Python 3 with venv, and the package index.
package interop

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/recorder/convert/appmap"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
)

// release of the recorder that is installed.
const release = "appmap==3.0.1"

func TestSums(t *testing.T) {
	if os.Getenv("TRACEX_INTEROP") == "" {
		t.Skip("installs AppMap's recorder for Python; set TRACEX_INTEROP=1 to run it")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		t.Skipf("there is no Python 3 with venv: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "bin", "pip"), "install", "-q", release).CombinedOutput(); err != nil {
		t.Skipf("the recorder cannot be installed: %v\n%s", err, out)
	}
	file := filepath.Join(dir, "program.appmap.json")
	c := exec.CommandContext(t.Context(), filepath.Join(dir, "bin", "appmap-python"), "--no-record", "process", filepath.Join(dir, "bin", "python"), "record.py", file)
	c.Dir = "testdata"
	c.Env = append(os.Environ(), "APPMAP=true", "APPMAP_DISPLAY_PARAMS=true", "PYTHONDONTWRITEBYTECODE=1", "APPMAP_DISABLE_LOG_FILE=true")
	var log bytes.Buffer
	c.Stderr = &log
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	trace, _, err := readback.Convert(t.Context(), &appmap.Source, sources.Input{Reader: in, Path: file, Size: -1}, calltrace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(out)), "\n")
	if got := sums(trace); len(want) < 7 || !slices.Equal(got, want) {
		t.Errorf("converted\n%s\nrecorded\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// sums has a line for each method: its calls, total and own time, and how many calls threw.
func sums(trace *readback.Trace) (lines []string) {
	type sum struct{ calls, total, own, threw int64 }
	all := map[string]*sum{}
	for _, thread := range trace.Threads {
		thread.Walk(func(p *readback.Point, _ int) {
			if p.Variable {
				return
			}
			s := all[p.Name]
			if s == nil {
				s = &sum{}
				all[p.Name] = s
			}
			s.calls++
			s.total += p.Dur
			s.own += p.Dur
			for _, c := range p.Children {
				s.own -= c.Dur
			}
			if p.Threw != "" {
				s.threw++
			}
		})
	}
	for name, s := range all {
		lines = append(lines, fmt.Sprintf("%s %d %d %d %d", name, s.calls, s.total, s.own, s.threw))
	}
	slices.Sort(lines)
	return lines
}
