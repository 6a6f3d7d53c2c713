package tracetest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tracex/format"
)

// Crashed are the suffixes of the files of a recording whose program has ended without
// finishing it. The times may be missing.
var Crashed = []string{"", format.IndexSuffix, format.TimesSuffix, format.LiveSuffix}

// Snapshot copies the files of a running recording: what another process would find if the
// program ended now. It returns the path of the copied data file.
func Snapshot(tb testing.TB, path string) string {
	tb.Helper()
	to := filepath.Join(tb.TempDir(), "trace.bin")
	for _, suffix := range Crashed {
		b, err := os.ReadFile(path + suffix)
		if errors.Is(err, fs.ErrNotExist) && suffix == format.TimesSuffix {
			continue
		}
		if err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, b, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return to
}
