package eager

import (
	"bytes"
	"strings"
	"testing"

	"tracex/format/formattest"
)

func loadRecorded(t testing.TB, file string) *Forest {
	t.Helper()
	f, err := Load(bytes.NewReader(formattest.RecordedData(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPrintRecorded(t *testing.T) {
	for _, folded := range []bool{false, true} {
		for _, verbose := range []bool{false, true} {
			suffix := ".raw"
			if folded {
				suffix = ".folded"
			}
			if verbose {
				suffix += ".verbose"
			}
			suffix += ".txt"
			for _, file := range formattest.RecordedNames(t, suffix) {
				t.Run(file, func(t *testing.T) {
					f := loadRecorded(t, formattest.RecordedFor(t, strings.TrimSuffix(file, suffix)))
					// A trace from the network has no end.
					if (f.Problem != nil) != strings.HasPrefix(file, "net.") {
						t.Fatal(f.Problem)
					}
					var out bytes.Buffer
					if err := f.Print(&out, PrintOptions{Folded: folded, Verbose: verbose}); err != nil {
						t.Fatal(err)
					}
					formattest.SameText(t, out.Bytes(), formattest.Recorded(t, file))
				})
			}
		}
	}
}
