package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/instrument/raw"
)

// TestDamage: what is kept about a damaged input says the same as the error.
func TestDamage(t *testing.T) {
	for _, want := range []*format.Error{
		{File: "x", Offset: 12, Err: format.ErrTruncated, Found: "the end", Hint: "look"},
		{File: "x", Offset: 0, Err: format.ErrCorrupt, Expected: "a key", Found: "7"},
		{File: "x", Offset: -1, Err: errors.New("a cause of its own"), Found: "7"},
	} {
		var about aboutConverted
		about.setDamage(errors.Join(want, want))
		b, err := json.Marshal(about)
		if err != nil {
			t.Fatal(err)
		}
		in := input{name: "x", made: new(convertedTrace)}
		if err := json.Unmarshal(b, &in.made.about); err != nil {
			t.Fatal(err)
		}
		all := joined(in.damage())
		if len(all) != 2 {
			t.Fatalf("%v: there are %v", want, all)
		}
		if got := all[1]; got.Error() != want.Error() || hintOf(got) != want.Hint || exitCode(got) != exitDamaged {
			t.Errorf("%v (%s) is kept as %v (%s), exit code %d", want, want.Hint, got, hintOf(got), exitCode(got))
		}
	}
}

// TestRecognize: kinds that no Source has, by their first bytes.
func TestRecognize(t *testing.T) {
	rawHead := make([]byte, 16)
	for i := range 8 {
		rawHead[i] = byte(uint64(raw.Magic) >> (8 * i))
	}
	for _, c := range []struct {
		what, head string
		want       inputKind
	}{
		{"nothing", "", kindUnknown},
		{"data", string(format.AppendDataHeader(nil, format.V27)), kindTrace},
		{"data, cut short", string(format.AppendDataHeader(nil, format.V27)[:9]), kindTrace},
		{"data of version 99", string(format.AppendDataHeader(nil, 99)), kindTrace},
		{"a ZIP file", "PK\x03\x04", kindTrace},
		{"raw", string(rawHead), kindRaw},
		{"empty packets", "\x0a\x00\x0a\x00", kindPerfetto},
		{"a packet", "\x0a\x05\x40\x07\x50\x01\x58", kindPerfetto},
		{"an empty line", "\n", kindUnknown},
		{"a text after an empty line", "\n{\"a\": 1}", kindUnknown},
		{"a profile", "\x0a\x04\x08\x01\x10\x02", kindUnknown},
	} {
		if got, s := recognize([]byte(c.head)); got != c.want || s != nil {
			t.Errorf("%s is %d (%v), want %d", c.what, got, s, c.want)
		}
	}
}

// TestRefuse: the errors for what convert does not take.
func TestRefuse(t *testing.T) {
	for kind, want := range map[inputKind]error{kindTrace: perfetto.ErrTrace, kindRaw: format.ErrNotTrace, kindUnknown: format.ErrNotTrace, kindPerfetto: nil} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := (&app{}).openSource(t.Context(), path, "")
		if err != nil {
			t.Fatal(err)
		}
		s.kind = kind
		if err := s.refuse(); !errors.Is(err, want) {
			t.Errorf("kind %d: %v, want %v", kind, err, want)
		}
		s.Close()
	}
}

// TestRefuseCut: compressed data that end before they tell what they are, are cut short.
func TestRefuseCut(t *testing.T) {
	short, long := packedStored(t, `{"otherData":{"a":"b"},"traceEvents":[]}`), packedStored(t, `{"otherData":"`+strings.Repeat("b", 200_000)+`","traceEvents":[]}`)
	for _, c := range []struct {
		packed []byte
		want   error
	}{{short, nil}, {short[:len(short)-30], format.ErrTruncated}, {long, nil}, {long[:150_000], format.ErrTruncated}} {
		path, size, want := filepath.Join(t.TempDir(), "x.gz"), len(c.packed), c.want
		if err := os.WriteFile(path, c.packed, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := (&app{}).openSource(t.Context(), path, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.refuse(); !errors.Is(err, want) || len(s.Head()) == 0 || hintOf(err) != "" {
			t.Errorf("of %d bytes: %v (%s), after %.100q", size, err, hintOf(err), s.Head())
		}
		s.Close()
	}
}

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
		t.Setenv(cacheVariable, c.cache)
		in, err := a.openWhole(t.Context(), path, true)
		if err != nil {
			t.Errorf("%s: %v", c.cache, err)
			continue
		}
		if kept := in.made.cached(); kept != c.kept || kept == (in.dir != "") {
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
	t.Setenv(cacheVariable, "off")
	path := filepath.Join(os.TempDir(), "x.xt")
	if err := os.WriteFile(path, []byte("TRACE START [2024-01-02 03:04:05]\n    0.0001     390000   -> {main}() /x.php:0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := new(app).openWhole(t.Context(), path, true)
	if hint := hintOf(err); !errors.Is(err, format.ErrNotTrace) || !strings.HasPrefix(hint, "record it with") {
		t.Errorf("%v, hint %q", err, hint)
	}
}

// packedStored puts a text into gzip without compressing it, so that a part of it can be read from a part.
func packedStored(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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
