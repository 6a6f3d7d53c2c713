package format_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
)

func gzipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// withVersion returns a data header with the given version.
func withVersion(v uint64) []byte {
	return binary.BigEndian.AppendUint64(format.AppendDataHeader(nil, format.V22)[:8], v)
}

// Each kind of file that is no trace has its own message.
func TestWrongFiles(t *testing.T) {
	data := formattest.Recorded(t, "roots.dump.bin")
	index := formattest.Recorded(t, "roots.dump.bin.idx")
	for _, c := range []struct {
		name string
		head []byte
		is   error
		text string
		hint string
	}{
		{"empty", nil, format.ErrNotTrace, "not a trace: the file is empty", "before it wrote anything"},
		{"index", index, format.ErrNotTrace, "offset 0: not a trace: expected the trace magic 706e547124ee5f70, found the magic of a trace index", "without .idx"},
		{"text", []byte("<html>\n<body>"), format.ErrNotTrace, `found text ("<html>"…)`, "format=binary"},
		{"short text", []byte("hi"), format.ErrNotTrace, `found text ("hi"…)`, "format=binary"},
		{"text that is cut", append(bytes.Repeat([]byte("é"), 100), 0xc3), format.ErrNotTrace, "found text", "format=binary"},
		{"ZIP", makeZip(t, 0, "a", "b"), format.ErrZIP, "found a ZIP file", ""},
		{"empty ZIP", makeZip(t, 0), format.ErrZIP, "found a ZIP file", ""},
		{"gzip", gzipped(t, data), format.ErrNotTrace, "found gzip-compressed data", "gzip -dc"},
		{"zstd", []byte("\x28\xb5\x2f\xfd\x04\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a"), format.ErrNotTrace, "found zstd-compressed data", "zstd -d"},
		{"xz", []byte("\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00"), format.ErrNotTrace, "found xz-compressed data", "xz -dc"},
		{"times", format.AppendTimesHeader(nil, time.Time{}), format.ErrNotTrace, "found the magic of a trace's times", "without .tim"},
		{"Perfetto", []byte("\x0a\x5e\x32\x55\x10\x06\x0a\x09"), format.ErrPackets, "found bytes 0a5e325510060a09, perhaps packets of Perfetto", ""},
		{"a line end and zeros", []byte("\x0a\x00\x00\x00\x00\x00\x00\x00"), format.ErrNotTrace, "found bytes 0a00000000000000", ""},
		{"ELF", []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00"), format.ErrNotTrace, "found bytes 7f454c4602010100", ""},
		{"zeros", make([]byte, 100), format.ErrNotTrace, "found bytes 0000000000000000", ""},
		{"half a magic", data[:5], format.ErrTruncated, "offset 5: cut short: expected a header of 16 bytes, found the end of the file after 5", ""},
		{"no version", data[:12], format.ErrTruncated, "found the end of the file after 12", ""},
		{"version 14", withVersion(14), format.ErrVersion, "offset 8: unsupported version: expected version 27, 22 or 19, found version 14, which Lincheck 3.4 writes", "with Lincheck 3.7 (version 27) or Lincheck 3.6 (version 22)"},
		{"version 23", withVersion(23), format.ErrVersion, "found version 23, which no release writes", "version 22"},
		{"version 28", withVersion(28), format.ErrVersion, "found version 28, which is newer", "a newer tracex"},
		{"version 278", withVersion(256 + 22), format.ErrVersion, "found version 278, which is newer", "a newer tracex"},
		{"version -1", withVersion(1<<64 - 1), format.ErrVersion, "found version -1, which no release writes", "version 22"},
	} {
		_, scanErr := visit(format.NewScanner(bytes.NewReader(c.head)))
		_, checkErr := format.CheckDataHeader(c.head[:min(len(c.head), 512)])
		for way, err := range map[string]error{"check": checkErr, "scan": scanErr} {
			if !errors.Is(err, c.is) || strings.Contains(c.text, "not a trace") && !errors.Is(err, format.ErrNotTrace) || !strings.Contains(fmt.Sprint(err), c.text) {
				t.Errorf("%s, %s: %v, want %s", c.name, way, err, c.text)
			}
			if !strings.Contains(format.Hint(err), c.hint) {
				t.Errorf("%s, %s: hint %q, want %q", c.name, way, format.Hint(err), c.hint)
			}
		}
	}
	if _, err := format.CheckDataHeader(data); err != nil {
		t.Error(err)
	}
	if _, err := format.CheckIndexHeader(index); err != nil {
		t.Error(err)
	}
	if _, err := format.CheckIndexHeader(data); !errors.Is(err, format.ErrNotTrace) ||
		!strings.Contains(err.Error(), "expected the index magic 8f91ab8edb11a08f, found the magic of trace data") || !strings.Contains(format.Hint(err), ".idx") {
		t.Errorf("%v; %s", err, format.Hint(err))
	}
}

func TestErrorOffsets(t *testing.T) {
	inner := &format.Error{Offset: 7, Err: format.ErrCorrupt, Expected: "a", Found: "b", Hint: "do c"}
	err := format.At(fmt.Errorf("reading: %w", inner), "x.bin", 100)
	if got := err.Error(); got != "x.bin: offset 107: damaged: expected a, found b" || format.Hint(err) != "do c" || !errors.Is(err, format.ErrCorrupt) {
		t.Errorf("%s; %s", got, format.Hint(err))
	}
	if inner.Offset != 7 || inner.File != "" {
		t.Error("At changed its argument")
	}
	if again := format.At(err, "y.bin", 1000); again != err {
		t.Errorf("an error that names its file became %v", again)
	}
	nowhere := format.At(&format.Error{Offset: -1, Err: format.ErrNotTrace, Found: "z"}, "x", 5)
	if nowhere.Error() != "x: not a trace: z" || format.Hint(io.EOF) != "" || format.At(io.EOF, "x", 1) != io.EOF || format.At(nil, "x", 1) != nil {
		t.Error(nowhere)
	}
}

// Errors of decoders have the offset within the input.
func TestDecoderOffsets(t *testing.T) {
	for _, c := range []struct {
		name string
		v    appender
		at   int
		b    byte
		text string
	}{
		{"boolean", &format.FieldDescriptor{Name: "f", Type: format.Type{Kind: format.TypeInt}}, 13, 2, "offset 13: damaged: expected a boolean, 0 or 1, found 2"},
		{"type", &format.VariableDescriptor{Name: "v", Type: format.Type{Kind: format.TypeInt}}, 8, 11, "offset 8: damaged: expected the kind of a type, 0 to 10, found 11"},
		{"string", &format.ClassDescriptor{Name: "abc"}, 9, 0x80, "offset 9: damaged: expected modified UTF-8, found byte 80"},
		{"location", &format.CodeLocation{}, 1, 3, "offset 1: damaged: expected the kind of a code location, 0 to 2, found 3"},
		{"local", &format.CodeLocation{Locals: []int32{1}, LocalKinds: []format.ActiveKind{0}}, 41, 3, "offset 38: damaged: expected the kind of an active local, 0 to 2, found 3"},
		{"step", &format.AccessPath{Steps: []format.AccessStep{{}}}, 9, 5, "offset 9: damaged: expected the kind of an access location, 0 to 4, found 5"},
		{"path count", &format.AccessPath{}, 5, 0x80, "offset 5: damaged: expected the number of access locations, found -2147483648"},
		{"value", &format.Point{Class: format.ClassThrow, Value: format.Null()}, 18, 0xef, "offset 15: damaged: expected a kind of value, -16 or more, found -17"},
		{"status", &format.Point{Class: format.ClassLoop, Subtree: make([]format.DiffStatus, 3)}, 18, 9, "offset 18: damaged: expected a diff status, -1 to 4, found 9"},
		{"claim", &format.Point{Class: format.ClassThrow}, 23, 0x40, "offset 27: cut short: expected 2147483647 bytes of captured fields, found 0"},
		{"kind", &format.Point{}, 0, 9, "offset 0: damaged: expected TRACEPOINT, found TRACEPOINT_FOOTER"},
	} {
		b := object(t, c.v)
		b[c.at] = c.b
		var err error
		if _, isPoint := c.v.(*format.Point); isPoint {
			_, err = format.V22.DecodePoint(b, new(format.Point))
		} else {
			_, _, err = format.NewContext(format.V22).Add(b)
		}
		if fmt.Sprint(err) != c.text {
			t.Errorf("%s: %v, want %s", c.name, err, c.text)
		}
	}
}
