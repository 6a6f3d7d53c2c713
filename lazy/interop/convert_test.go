package interop

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/tracefile"
	"tracex/recorder/convert/perfetto"
)

// The real reader loads conversions of Perfetto traces, accepts the index, and prints
// the same text as we do.
func TestReferenceReadsConverted(t *testing.T) { eachReference(t, testReadsConverted) }

func testReadsConverted(t *testing.T, r *reference) {
	captures, err := filepath.Glob("../../recorder/convert/perfetto/testdata/*.pftrace.gz")
	if err != nil || len(captures) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, path := range captures {
		name := strings.TrimSuffix(filepath.Base(path), ".pftrace.gz")
		for label, block := range map[string]int{"": 0, "/small blocks": 100} {
			t.Run(name+label, func(t *testing.T) {
				sameAsReference(t, r, converted(t, path, perfetto.Options{BlockSize: block, FormatVersion: r.release.version}))
			})
		}
	}
}

// converted converts a compressed trace and returns the name of the data file.
func converted(t *testing.T, path string, o perfetto.Options) string {
	t.Helper()
	packed, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	in, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	c := perfetto.New(o)
	defer c.Close()
	if err := c.Read(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "trace.bin")
	var files [3]*os.File
	for i, suffix := range []string{"", ".idx", ".tim"} {
		if files[i], err = os.Create(data + suffix); err != nil {
			t.Fatal(err)
		}
		defer files[i].Close()
	}
	if _, err := c.Write(t.Context(), tracefile.Files{Data: files[0], Index: files[1], Times: files[2]}); err != nil {
		t.Fatal(err)
	}
	return data
}
