package perfetto

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
)

// captured returns a file of testdata.
func captured(t testing.TB, path string) []byte {
	t.Helper()
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCaptures converts traces of Perfetto's own service, and compares the slices
// that are read back with those that its trace_processor finds.
func TestCaptures(t *testing.T) {
	tables, err := filepath.Glob("testdata/*.slices.csv.gz")
	if err != nil || len(tables) < 12 {
		t.Fatalf("%d tables of slices, %v", len(tables), err)
	}
	for _, table := range tables {
		stem := strings.TrimSuffix(table, ".slices.csv.gz")
		t.Run(filepath.Base(stem), func(t *testing.T) {
			t.Parallel()
			trace := captured(t, stem+".pftrace.gz")
			for _, o := range []Options{{}, {Memory: 1 << 12, FormatVersion: format.V22}, {Memory: 1 << 12, FormatVersion: format.V27}} {
				w, err := convertBytes(t, trace, o)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := versionIn(t, w.data), cmp.Or(o.FormatVersion, format.Newest); got != want {
					t.Errorf("version %d, want %d", got, want)
				}
				compareSlices(t, slicesIn(t, w), expectedSlices(t, captured(t, table)))
				for _, l := range w.result.LeftOut {
					t.Log(l)
				}
				for _, l := range w.result.Threads {
					t.Logf("%+v", l)
				}
			}
		})
	}
}
