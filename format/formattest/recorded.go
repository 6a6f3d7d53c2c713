// Package formattest provides traces for tests and benchmarks: those that the reference
// recorded, and generated ones of any size, shape and seed.
package formattest

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tracex/format"
)

// recordedDir returns the directory of the recorded traces, relative to this source file, so
// that tests of any package may call it.
func recordedDir() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "testdata", "lincheck")
}

// Recorded returns a file of testdata/lincheck by its name without ".gz".
func Recorded(t testing.TB, name string) []byte {
	t.Helper()
	return read(t, recordedDir(), name)
}

// read returns a file of a folder by its name without ".gz".
func read(t testing.TB, dir, name string) []byte {
	t.Helper()
	path := filepath.Join(dir, name)
	if b, err := os.ReadFile(path); err == nil {
		return b
	}
	packed, err := os.ReadFile(path + ".gz")
	if err != nil {
		t.Fatalf("no recorded file %s: %v", name, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	size := binary.LittleEndian.Uint32(packed[len(packed)-4:]) // that is how the format ends
	b := bytes.NewBuffer(make([]byte, 0, int(size)+bytes.MinRead))
	if _, err := b.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// RecordedNames returns the names, without ".gz", of the recorded files that end in suffix. If
// there are none the test fails.
func RecordedNames(t testing.TB, suffix string) []string {
	t.Helper()
	entries, err := os.ReadDir(recordedDir())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".gz"); strings.HasSuffix(name, suffix) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatalf("no recorded file ends in %q", suffix)
	}
	return names
}

// Unpack writes recorded files to a temporary directory of the test and returns the path of the
// first: Unpack(t, "gson.stream.bin", "gson.stream.bin.idx").
func Unpack(t testing.TB, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), Recorded(t, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, names[0])
}

// Small returns the path of a trace. With the race detector it skips the test if the trace has more than half a
// MiB: what goroutines do is the same in a small one, which is cut into as many parts.
func Small(t testing.TB, path string) string {
	t.Helper()
	if info, err := os.Stat(path); err != nil {
		t.Fatal(err)
	} else if Race && info.Size() > 512<<10 {
		t.Skip("a large trace takes long with the race detector")
	}
	return path
}

// Demo writes the trace of the command demo to a temporary directory of the test and returns the path of its
// data.
func Demo(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"shop.bin", "shop.bin.idx", "shop.bin.tim"} {
		b := read(t, filepath.Join(recordedDir(), "..", "demo"), name)
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "shop.bin")
}

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
