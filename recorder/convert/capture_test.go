package convert

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

// TestCaptures converts traces of Perfetto's own service, and compares the
// slices with those that its trace_processor finds in them: before they are
// written, and as they are read again.
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
			for _, memory := range []int64{0, 1 << 12} {
				w, err := convertBytes(t, trace, Options{Memory: memory})
				if err != nil {
					t.Fatal(err)
				}
				want := expectedSlices(t, captured(t, table))
				compareSlices(t, w.before, want)
				compareSlices(t, slicesIn(t, w), want)
				for _, l := range w.result.Left {
					t.Log(l)
				}
				for _, l := range w.result.Threads {
					t.Logf("%+v", l)
				}
			}
		})
	}
}
