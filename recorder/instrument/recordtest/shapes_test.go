//go:build linux

package recordtest_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// heapTypes are types whose objects the program shapes keeps, so that each has one address.
var heapTypes = []string{"Node", "server"}

// The program shapes has a recursion that is 20,000 deep. Texts leave most of it out.
const (
	shapesDepth   = "9"
	shapesDeepest = 20002
)

// shapesDir has a program that calls functions of every form.
const shapesDir = "testdata/shapes"

// TestShapes: the program does what it does without a recorder, and the trace is the expected
// one.
func TestShapes(t *testing.T) {
	t.Parallel()
	plain, recording := built(t, shapesDir)
	want := run(t, "", nil, plain, "argument")
	if got := run(t, "", nil, recording, "argument"); got != want {
		t.Errorf("while nothing is recorded it ends with %+v, expected %+v", got, want)
	}
	recordShapes(t, shapesDir, nil, want, recording, "argument")
}

// recordShapes records a command that runs the program shapes.
func recordShapes(t *testing.T, dir string, env []string, want result, command ...string) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace.bin")
	got := runTracex(t, dir, env, append([]string{"record", "-o", trace, "--"}, command...)...)
	told := cutReport(&got)
	if got != want {
		t.Errorf("while it is recorded it ends with %+v, expected %+v", got, want)
	}
	if !strings.HasPrefix(told, "tracex: recorded ") || strings.Count(told, "\n") != 1 {
		t.Errorf("tracex says %q", told)
	}
	text := printed(t, trace, heapTypes, "--values", "--depth", shapesDepth)
	// Since Go 1.27 a literal in the body of a range over a function has another name.
	golden(t, "shapes.txt", strings.ReplaceAll(text, "deferInside-range1.1", "deferInside.func1"))
	f := factsOf(t, trace)
	if f.Depth != shapesDeepest {
		t.Errorf("the deepest call is on level %d, expected %d", f.Depth, shapesDeepest)
	}
}

// cutReport cuts what tracex says at the end off a result, and returns it.
func cutReport(r *result) (told string) {
	at := strings.LastIndex("\n"+r.stderr, "\ntracex: ")
	for at > 0 { // all of its lines
		before := strings.LastIndex("\n"+r.stderr[:at-1], "\n")
		if line := r.stderr[before:at]; !strings.HasPrefix(line, "tracex: ") && !strings.HasPrefix(line, "hint: ") {
			break
		}
		at = before
	}
	if at < 0 {
		return ""
	}
	told = r.stderr[at:]
	r.stderr = r.stderr[:at]
	return told
}
