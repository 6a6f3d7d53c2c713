package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// harmless are remarks of the real reader that are not about faults of a file:
// it shows one top-level point per thread, and warns if there is not exactly one.
var harmless = regexp.MustCompile(`(?m)^\[WARN\] (TraceRecorder: Thread #\d+ contains multiple top-level calls|` +
	`Thread \d+ has more than one root tracepoints: \d+|Thread \d+ does not contain any tracepoints)\n`)

// complaint returns the real reader's objection to a file, "" if none.
// The reader throws if a cell contradicts the data. If it cannot read the index, it
// only reports that on its error stream, and reads the whole data instead.
func (a answer) complaint() string {
	if a.Failed != "" {
		return a.Failed
	}
	return harmless.ReplaceAllString(a.Log, "")
}

// accept fails the test unless the real reader accepted all of a file.
func accept(t testing.TB, a answer) {
	t.Helper()
	if c := a.complaint(); c != "" {
		t.Fatalf("Lincheck's reader complains: %s", c)
	}
}

// detail returns the driver's word for a text with or without code
// locations.
func detail(verbose bool) string {
	if verbose {
		return "verbose"
	}
	return "short"
}

// printed makes the real reader print and returns the text. more are arguments after
// those that all print commands have.
func (r *reference) printed(t testing.TB, command, data string, verbose bool, more ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "printed.txt")
	accept(t, r.ask(t, append([]string{command, data, out, detail(verbose)}, more...)...))
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// eager returns the text of the eager loader, with points as recorded.
func (r *reference) eager(t testing.TB, data string, verbose bool) string {
	t.Helper()
	return byThread(r.printed(t, "print-eager", data, verbose))
}

// lazily returns the same text from the lazy reader, which reads each container by
// its index cell.
func (r *reference) lazily(t testing.TB, data string, verbose bool) string {
	t.Helper()
	return r.printed(t, "print-lazy", data, verbose, "raw")
}

var threadLine = regexp.MustCompile(`(?m)^# Thread (\d+)( \(|$)`)

// byThread sorts the trees of a text by thread: the eager loader prints them in order
// of their first blocks.
func byThread(text string) string {
	trees := make(map[int]string)
	last := 0
	at := threadLine.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		var id int
		fmt.Sscan(text[m[2]:m[3]], &id)
		trees[id] = text[m[0]:end]
		last = max(last, id)
	}
	var out strings.Builder
	for id := range last + 1 {
		out.WriteString(trees[id])
	}
	return out.String()
}

// sameText compares two texts and shows the first line that differs.
func sameText(t testing.TB, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d is\n%.500q, want\n%.500q", i+1, g[i], w[i])
		}
	}
	t.Fatalf("%d lines, want %d", len(g), len(w))
}
