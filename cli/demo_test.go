//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// recordedBy is the source text at the location where an event other than a call is
// recorded, by its kind.
var recordedBy = map[string]string{
	"loop": ".Loop(", "loop iteration": ".Iteration(", "variable write": ".WriteVariable(", "catch": ".Catch(",
}

// TestDemoLocations: each event of demo's trace has the code location in the recorded program
// where it happened; a call, where it was called.
func TestDemoLocations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.bin")
	cmd, stderr, _ := command(t, "demo", "--save", path)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	cmd, stderr, _ = command(t, "print", "--json", "--raw", path)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	source := strings.Split(string(readFile(t, filepath.Join("..", "testdata", "programs", "shop", "main.go"))), "\n")
	function := regexp.MustCompile(`^func (?:\(\w+ \*?(\w+)\) )?(\w+)\(`)
	kinds := make(map[string]int)
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var e struct {
			Kind, Text, Method string
			Event              *int32
			Place              struct {
				File, Class, Method string
				Line                int
			}
		}
		if err := dec.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e.Event == nil || e.Kind == "throw" { // the recorder does not know where a panic began
			continue
		}
		kinds[e.Kind]++
		at := e.Place
		if at.File != "main.go" || at.Line < 1 || at.Line > len(source) {
			t.Errorf("%s: %s is at %s:%d", e.Kind, e.Text, at.File, at.Line)
			continue
		}
		want, line := recordedBy[e.Kind], source[at.Line-1]
		if e.Kind == "call" {
			want = "." + e.Method + "("
		}
		if want == "" || !strings.Contains(line, want) {
			t.Errorf("%s: %s is at line %d, which has no %q: %s", e.Kind, e.Text, at.Line, want, line)
		}
		in := at.Line - 1
		for in > 0 && !function.MatchString(source[in]) {
			in--
		}
		m := function.FindStringSubmatch(source[in])
		if m == nil || !strings.HasPrefix(at.Method+".", m[2]+".") || strings.TrimPrefix(at.Class, "main") != strings.TrimSuffix("."+m[1], ".") {
			t.Errorf("%s: line %d is in %q, not in %s.%s", e.Text, at.Line, m, at.Class, at.Method)
		}
	}
	if len(kinds) != 1+len(recordedBy) {
		t.Errorf("the events are %v", kinds)
	}
}

// TestInfoWithoutTimes: info says that the times of a Go program's trace are not beside it.
func TestInfoWithoutTimes(t *testing.T) {
	path := formattest.Demo(t)
	if err := os.Remove(path + format.TimesSuffix); err != nil {
		t.Fatal(err)
	}
	cmd, _, _ := command(t, "info", path)
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "shop.bin.tim is not there; copy it beside the trace, unless it was recorded with --no-times\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
