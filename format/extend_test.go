package format_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestExtend scans traces that grow a few bytes at a time, each time at a different address in
// memory. It sees the same as one scan of everything, and while the trace is incomplete the
// only error is that it ends.
func TestExtend(t *testing.T) {
	for _, name := range []string{"roots.dump.bin", "shapes.stream.bin", "threads.stream.bin", "deep.stream.bin"} {
		data := formattest.Recorded(t, name)
		want, wantErr := visit(format.NewBytesScanner(data))
		rng := rand.New(rand.NewPCG(1, 2))
		for _, most := range []int{1 + len(data)/200, 1 + len(data)/20} {
			s := format.NewBytesScanner(nil)
			var got []string
			for n := format.HeaderSize / 2; n < len(data); n = min(n+1+rng.IntN(most), len(data)) {
				s.Extend(bytes.Clone(data[:n]))
				objects, err := visit(s)
				got = append(got, objects...)
				if !errors.Is(err, format.ErrTruncated) {
					t.Fatalf("%s: %d bytes of it: %v", name, n, err)
				}
			}
			s.Extend(data)
			objects, err := visit(s)
			got = append(got, objects...)
			if !slices.Equal(got, want) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Errorf("%s in steps of up to %d: %d objects and %v, want %d and %v", name, most, len(got), err, len(want), wantErr)
			}
		}
	}
}

// TestExtendKeepsOtherErrors: invalid bytes stay an error after more bytes follow. A Scanner
// between two objects continues there, even if the file has lost the bytes after that.
func TestExtendKeepsOtherErrors(t *testing.T) {
	good := build(start(0), []byte{byte(format.KindBlockEnd)})
	s := format.NewBytesScanner(append(bytes.Clone(good), 0xee))
	if _, err := visit(s); !errors.Is(err, format.ErrCorrupt) {
		t.Fatal(err)
	}
	s.Extend(append(bytes.Clone(good), byte(format.KindEOF)))
	if s.Next() || !errors.Is(s.Err(), format.ErrCorrupt) {
		t.Errorf("after damage: %v", s.Err())
	}

	s = format.NewBytesScanner(append(bytes.Clone(good), 0xee))
	s.Next()
	s.Next()
	s.Extend(append(bytes.Clone(good), byte(format.KindEOF)))
	if objects, err := visit(s); len(objects) != 1 || err != nil {
		t.Errorf("between two objects: %q, %v", objects, err)
	}
}
