//go:build linux

package recordtest_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// shownFailure is how the text of an error is shown, of which 1 KiB is recorded.
func shownFailure(text string) string {
	const most = 1 << 10
	if len(text) > most {
		cut := strings.ToValidUTF8(text[:most], "")
		text = cut + "…+" + strconv.Itoa(len(text)-len(cut))
	}
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(text)
}

// TestFailures: errors are shown with the text that their method Error returns, however little is recorded
// of other values: as results, as arguments and as values of panics. Those of the program that are texts or numbers are
// shown as these.
func TestFailures(t *testing.T) {
	t.Parallel()
	plain, recording := built(t, filepath.Join("testdata", "failures"))
	must(t, run(t, "", nil, plain))
	for _, flags := range []string{"", "--depth=2", "--fields=1 --strings=5", "--strings=255"} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		args := append([]string{"record", "-o", trace}, strings.Fields(flags)...)
		// The ports in the texts are those of this run.
		said := must(t, runTracex(t, "", nil, append(args, "--", recording)...)).stdout
		lines := strings.Split(must(t, runTracex(t, "", nil, "print", trace)).stdout, "\n")
		// lineOf returns the first line that begins so, after one that begins with call.
		lineOf := func(call, begin string) string {
			called := false
			for _, line := range lines {
				line = strings.TrimLeft(line, " ")
				if called = called || strings.HasPrefix(line, call); called && strings.HasPrefix(line, begin) {
					return line
				}
			}
			return ""
		}
		n := 0
		for line := range strings.Lines(said) {
			number, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			text, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("the program says %q", line)
			}
			n++
			text = shownFailure(text)
			value := `("` + text + `")`
			for _, c := range []struct{ call, begin, end string }{
				{"get(" + number + ", ", "get(" + number + ", ", value},
				{"take(" + number + ", ", "take(" + number + ", ", value + `, "l"): "l"`},
				{"throw(" + number + ", ", "throw panic: ", text},
			} {
				if line := lineOf(c.call, c.begin); !strings.HasSuffix(line, c.end) {
					t.Errorf("with %q it is\n%s\nexpected\n…%s", flags, line, c.end)
				}
			}
		}
		if n < 30 {
			t.Errorf("the program has %d errors", n)
		}
		for i, want := range []string{`main.text("a text")`, "main.code(-7)", "main.small(7)"} {
			number := strconv.Itoa(-2 - i)
			if line := lineOf("get("+number+", ", "get("+number+", "); !strings.HasSuffix(line, ", "+want+"): "+want) {
				t.Errorf("with %q it is\n%s\nexpected %s", flags, line, want)
			}
			if line := lineOf("throw("+number+", ", "throw panic: "); line != "throw panic: "+want {
				t.Errorf("with %q it is\n%s\nexpected %s", flags, line, want)
			}
		}
		if line, want := lineOf("throw(-1, ", "throw panic: "), `throw panic: "`+strings.Repeat("0123456789", 102)+`0123…+76"`; line != want {
			t.Errorf("with %q it is\n%s\nexpected\n%s", flags, line, want)
		}
	}
}
