package interop

import (
	"strings"
	"testing"

	"tracex/format/formattest"
)

// recordedTraces returns the names of the recorded traces with files of their
// own, without the crashed one, which the real lazy reader refuses.
func recordedTraces(t testing.TB) []string {
	var names []string
	for _, name := range formattest.RecordedNames(t, ".bin") {
		if !strings.HasPrefix(name, "crash.") {
			names = append(names, name)
		}
	}
	return names
}

// The driver prints what Lincheck printed when the traces were recorded.
func TestReferencePrintsRecorded(t *testing.T) { eachReference(t, testPrintsRecorded) }

func testPrintsRecorded(t *testing.T, r *reference) {
	for _, name := range recordedTraces(t) {
		t.Run(name, func(t *testing.T) {
			data := formattest.Unpack(t, name, name+".idx")
			compareRecorded(t, r, data, strings.TrimSuffix(name, ".bin"))
		})
	}
	for _, name := range formattest.RecordedNames(t, ".packedtrace") {
		t.Run(name, func(t *testing.T) {
			stem := strings.TrimSuffix(strings.TrimSuffix(name, ".packedtrace"), ".bin")
			compareRecorded(t, r, formattest.Unpack(t, name), stem)
		})
	}
}

func compareRecorded(t *testing.T, r *reference, data, stem string) {
	for _, verbose := range []bool{false, true} {
		suffix := ".txt"
		if verbose {
			suffix = ".verbose.txt"
		}
		if stem == "flat.stream" && verbose {
			continue // no such text is kept
		}
		want := string(formattest.Recorded(t, stem+".raw"+suffix))
		if stem == "roots.dump" {
			want = firstRoots(want)
		}
		sameText(t, r.eager(t, data, verbose), want)
		sameText(t, r.lazily(t, data, verbose), want)
		if stem != "roots.dump" { // no folded text of it is kept
			want = string(formattest.Recorded(t, stem+".folded"+suffix))
			sameText(t, r.printed(t, "print-lazy", data, verbose, "folded"), want)
		}
	}
}

// firstRoots leaves of a text what the real printer shows: the first top-level
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
