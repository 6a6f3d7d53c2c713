package formattest

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"tracex/format"
)

// RecordedData returns the data of a recorded trace, packed or not.
func RecordedData(t testing.TB, file string) []byte {
	t.Helper()
	b := Recorded(t, file)
	if !strings.HasSuffix(file, format.PackedSuffix) {
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

// RecordedFor returns the recorded trace that an expected text belongs to.
func RecordedFor(t *testing.T, name string) string {
	all := RecordedNames(t, "")
	for _, ext := range []string{".bin", format.PackedSuffix, ".bin" + format.PackedSuffix} {
		for _, n := range all {
			if n == name+ext {
				return n
			}
		}
	}
	t.Fatalf("no trace for %s", name)
	return ""
}

// CountLines counts the lines written to it.
type CountLines int

func (c *CountLines) Write(b []byte) (int, error) {
	*c += CountLines(bytes.Count(b, []byte{'\n'}))
	return len(b), nil
}

// FullWriter fails with ErrFull after Left writes.
type FullWriter struct{ Left int }

// ErrFull is the error of a FullWriter.
var ErrFull = errors.New("no space left")

func (w *FullWriter) Write(b []byte) (int, error) {
	if w.Left--; w.Left < 0 {
		return 0, ErrFull
	}
	return len(b), nil
}
