package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/recorder/convert/cache"
	"tracex/recorder/convert/perfetto"
)

// TestCacheUnwritable: without a place for a cache a file is converted all the same.
func TestCacheUnwritable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.gz")
	if err := os.WriteFile(path, gzipOf(formattest.Recorded(t, "gson.stream.bin")), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	a := &app{stderr: stderr}
	for _, c := range []struct {
		cache string
		kept  bool
		says  string
	}{
		{filepath.Join(dir, "cache"), true, ""},
		{"off", false, ""},
		{filepath.Join(file, "cache"), false, "tracex: converted traces are not kept: "},
	} {
		t.Setenv(cache.Variable, c.cache)
		in, err := a.openWhole(t.Context(), path, true)
		if err != nil {
			t.Errorf("%s: %v", c.cache, err)
			continue
		}
		if kept := in.made.Cached(); kept != c.kept || kept == (in.dir != "") {
			t.Errorf("%s: it is kept: %v, in %s", c.cache, kept, in.path)
		}
		in.close()
		if !exists(in.path) == c.kept {
			t.Errorf("%s: it is there afterwards: %v", c.cache, !c.kept)
		}
		if said := string(readFile(t, stderr.Name())); !strings.HasPrefix(said, c.says) || c.says == "" && said != "" {
			t.Errorf("%s: it says %q", c.cache, said)
		}
	}
}

// TestHintInTemp: the advice about a file that is itself in the directory for temporary files is its own.
func TestHintInTemp(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // on Windows
	t.Setenv(cache.Variable, "off")
	path := filepath.Join(os.TempDir(), "x.xt")
	if err := os.WriteFile(path, []byte("TRACE START [2024-01-02 03:04:05]\n    0.0001     390000   -> {main}() /x.php:0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := new(app).openWhole(t.Context(), path, true)
	if hint := hintOf(err); !errors.Is(err, format.ErrNotTrace) || !strings.HasPrefix(hint, "record it with") {
		t.Errorf("%v, hint %q", err, hint)
	}
}

// gzipOf compresses bytes.
func gzipOf(b []byte) []byte {
	var to bytes.Buffer
	w := gzip.NewWriter(&to)
	if _, err := w.Write(b); err != nil {
		panic(err) // a Buffer takes everything
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return to.Bytes()
}

func TestLeftLine(t *testing.T) {
	for want, l := range map[string]perfetto.LeftOut{
		"left out: 1 damaged packet, at offset 7":                {What: "damaged packet", Count: 1, First: 7},
		"left out: 1,200 damaged packets, the first at offset 7": {What: "damaged packets", Count: 1200, First: 7},
		"left out: 2 sequence states that took too much memory":  {What: "sequence states that took too much memory", Count: 2, First: -1},
	} {
		if got := leftLine(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
