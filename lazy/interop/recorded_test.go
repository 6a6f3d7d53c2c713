package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// recorded returns the names of the recorded files of the release's version with
// a suffix.
func (l *release) recorded(t testing.TB, suffix string) []string {
	t.Helper()
	var names []string
	for _, name := range formattest.RecordedNames(t, suffix) {
		if versionInName(name) == l.version {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatalf("no recorded file of %s ends in %q", l, suffix)
	}
	return names
}

// versionInName returns the version in a name such as jackson.v27.stream.bin;
// names of version 22 have none: gson.stream.bin.
func versionInName(name string) format.Version {
	for word := range strings.SplitSeq(name, ".") {
		var v format.Version
		if n, _ := fmt.Sscanf(word, "v%d", &v); n == 1 {
			return v
		}
	}
	return format.V22
}

// recordedAs returns the name of the release's recorded file for a program and a
// strategy: for threads and stream, threads.v27.stream.bin.
func (l *release) recordedAs(t testing.TB, program, strategy, suffix string) string {
	t.Helper()
	for _, name := range l.recorded(t, suffix) {
		if words := strings.Split(name, "."); words[0] == program && slices.Contains(words, strategy) {
			return name
		}
	}
	t.Fatalf("no recorded %s.%s of %s ends in %q", program, strategy, l, suffix)
	return ""
}

// recordedTraces returns the names of the recorded traces with separate files,
// except those without an end, which the real lazy reader refuses or
// complains about.
func (l *release) recordedTraces(t testing.TB) []string {
	return slices.DeleteFunc(l.recorded(t, ".bin"), endless)
}

// endless reports whether a recorded trace is of a killed program, or was captured
// from a network.
func endless(name string) bool {
	return strings.HasPrefix(name, "crash.") || strings.HasPrefix(name, "net.")
}

// The driver prints the text that Lincheck printed when the traces were recorded.
func TestReferencePrintsRecorded(t *testing.T) { eachReference(t, testPrintsRecorded) }

func testPrintsRecorded(t *testing.T, r *reference) {
	for _, name := range r.release.recorded(t, ".bin") {
		t.Run(name, func(t *testing.T) {
			stem := strings.TrimSuffix(name, ".bin")
			if endless(name) {
				compareEndless(t, r, stem)
			} else {
				compareRecorded(t, r, formattest.Unpack(t, name, name+".idx"), stem)
			}
		})
	}
	for _, name := range r.release.recorded(t, ".packedtrace") {
		t.Run(name, func(t *testing.T) {
			stem := strings.TrimSuffix(strings.TrimSuffix(name, ".packedtrace"), ".bin")
			compareRecorded(t, r, formattest.Unpack(t, name), stem)
		})
	}
}

// compareRecorded compares with all stored texts of a trace.
func compareRecorded(t *testing.T, r *reference, data, stem string) {
	t.Helper()
	kept := formattest.RecordedNames(t, ".txt")
	compared := 0
	for _, shown := range []string{"raw", "folded"} {
		for suffix, verbose := range map[string]bool{".txt": false, ".verbose.txt": true} {
			name := stem + "." + shown + suffix
			if !slices.Contains(kept, name) {
				continue
			}
			compared++
			want := string(formattest.Recorded(t, name))
			if manyRoots(stem) {
				sameText(t, r.printed(t, "print-tree", data, verbose, shown), withPoints(want))
				want = firstRoots(want)
			}
			sameText(t, r.printed(t, "print-lazy", data, verbose, shown), want)
			if shown == "raw" && !strayThreads(stem) {
				sameText(t, r.eager(t, data, verbose), want)
			}
		}
	}
	if compared < 2 {
		t.Errorf("%d texts of %s are kept", compared, stem)
	}
}

// compareEndless compares the eager loader's text of a trace without an end.
func compareEndless(t *testing.T, r *reference, stem string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "printed.txt")
	a := r.ask(t, "print-eager", formattest.Unpack(t, stem+".bin"), out, "short")
	if a.Failed != "" || !strings.Contains(a.Log, "no EOF record") {
		t.Fatalf("Lincheck's reader says %q, %q", a.Failed, a.Log)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(stem, "crash.") {
		sameText(t, string(text), string(formattest.Recorded(t, stem+".eager.txt")))
	} else {
		sameText(t, string(text), firstRoots(string(formattest.Recorded(t, stem+".raw.txt"))))
	}
}

// manyRoots reports whether threads of a recorded trace have more than one
// top-level point: its texts have all of them, and no line breaks within values.
func manyRoots(stem string) bool {
	return strings.HasPrefix(stem, "roots.") || strings.HasPrefix(stem, "live.")
}

// strayThreads reports whether points of a recorded trace, which was made by hand,
// name another thread than their block does. The lazy reader and ours use the thread of
// the block, the eager loader that of the point.
func strayThreads(name string) bool { return strings.HasPrefix(name, "roots.v27.") }

// withPoints returns a text without the threads that have no points.
func withPoints(text string) string {
	lines := strings.SplitAfter(text, "\n")
	var out strings.Builder
	for i, line := range lines {
		if !strings.HasPrefix(line, "# Thread ") || i+1 < len(lines) && lines[i+1] != "" && !strings.HasPrefix(lines[i+1], "# Thread ") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// firstRoots returns the part of a text that the real printer shows: the first top-level
// point of each thread, and no thread without one. The text must have no line
// breaks within values.
func firstRoots(text string) string {
	var out []string
	header, shown := "", false
	for _, line := range strings.SplitAfter(text, "\n") {
		switch {
		case strings.HasPrefix(line, "# Thread "):
			header, shown = line, false
		case line == "":
		case !strings.HasPrefix(line, " ") && header != "":
			out = append(out, header, line)
			header, shown = "", true
		case shown && strings.HasPrefix(line, " "):
			out = append(out, line)
		default:
			shown = false
		}
	}
	return strings.Join(out, "")
}
