package formattest

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
)

// RecordedData returns the data of a recorded trace, packed or not.
func RecordedData(t testing.TB, file string) []byte {
	t.Helper()
	b := Recorded(t, file)
	if !strings.HasSuffix(file, ".packedtrace") {
		return b
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("trace.trace")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// SameText fails the test at the first line that differs.
func SameText(t *testing.T, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.SplitAfter(string(got), "\n"), strings.SplitAfter(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d\n got %q\nwant %q\n(%d lines, want %d)", i+1, g[i], w[i], len(g), len(w))
		}
	}
	t.Fatalf("%d lines, want %d", len(g), len(w))
}

// RecordedFor returns which recorded trace an expected text is of.
func RecordedFor(t *testing.T, name string) string {
	all := RecordedNames(t, "")
	for _, ext := range []string{".bin", ".packedtrace", ".bin.packedtrace"} {
		for _, n := range all {
			if n == name+ext {
				return n
			}
		}
	}
	t.Fatalf("no trace for %s", name)
	return ""
}
