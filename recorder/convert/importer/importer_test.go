package importer

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
		var kept about
		kept.setDamage(errors.Join(want, want))
		b, err := json.Marshal(kept)
		if err != nil {
			t.Fatal(err)
		}
		var made Made
		if err := json.Unmarshal(b, &made.about); err != nil {
			t.Fatal(err)
		}
		all := made.Damage("x")
		if len(all) != 2 {
			t.Fatalf("%v: there are %v", want, all)
		}
		if got := all[1]; got.Error() != want.Error() || format.Hint(got) != want.Hint || !errors.Is(got, format.ErrTruncated) && !errors.Is(got, format.ErrCorrupt) {
			t.Errorf("%v (%s) is kept as %v (%s)", want, want.Hint, got, format.Hint(got))
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
		want       Kind
	}{
		{"nothing", "", KindUnknown},
		{"data", string(format.AppendDataHeader(nil, format.V27)), KindTrace},
		{"data, cut short", string(format.AppendDataHeader(nil, format.V27)[:9]), KindTrace},
		{"data of version 99", string(format.AppendDataHeader(nil, 99)), KindTrace},
		{"a ZIP file", "PK\x03\x04", KindTrace},
		{"raw", string(rawHead), KindRaw},
		{"empty packets", "\x0a\x00\x0a\x00", KindPerfetto},
		{"a packet", "\x0a\x05\x40\x07\x50\x01\x58", KindPerfetto},
		{"an empty line", "\n", KindUnknown},
		{"a text after an empty line", "\n{\"a\": 1}", KindUnknown},
		{"a profile", "\x0a\x04\x08\x01\x10\x02", KindUnknown},
	} {
		if got, s := recognize([]byte(c.head)); got != c.want || s != nil {
			t.Errorf("%s is %d (%v), want %d", c.what, got, s, c.want)
		}
	}
}

// TestRefuse: the errors for what convert does not take.
func TestRefuse(t *testing.T) {
	for kind, want := range map[Kind]error{KindTrace: perfetto.ErrTrace, KindRaw: format.ErrNotTrace, KindUnknown: format.ErrNotTrace, KindPerfetto: nil} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), nil, path, "")
		if err != nil {
			t.Fatal(err)
		}
		s.Kind = kind
		if err := s.Refuse(); !errors.Is(err, want) {
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
		s, err := Open(t.Context(), nil, path, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Refuse(); !errors.Is(err, want) || len(s.Head()) == 0 || format.Hint(err) != "" {
			t.Errorf("of %d bytes: %v (%s), after %.100q", size, err, format.Hint(err), s.Head())
		}
		s.Close()
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
