package times

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// wholeSpecs are traces of all kinds that have times and an end.
func wholeSpecs() []formattest.Spec {
	var list []formattest.Spec
	for seed := range uint64(6) {
		s := formattest.Spec{Shape: formattest.Random, N: 1200, Seed: seed, Wild: seed%2 == 1, Timed: true}
		s.BlockSize = 1024 << (seed % 4)
		s.Dump = seed%3 == 2
		list = append(list, s)
	}
	for _, shape := range []formattest.Shape{formattest.Calls, formattest.Wide, formattest.WideCalls, formattest.Threads} {
		s := formattest.Spec{Shape: shape, N: 300, Timed: true}
		s.BlockSize = 4096
		s.Dump = shape == formattest.Calls
		list = append(list, s)
	}
	long := formattest.Spec{Shape: formattest.Calls, N: 5000, Threads: 2, Timed: true}
	long.BlockSize = 16 << 10
	return append(list, long)
}

// TestVerify: the generator's times are correct, and each damaged cell is
// found at its offset.
func TestVerify(t *testing.T) {
	ctx := context.Background()
	for _, spec := range wholeSpecs() {
		t.Run(spec.Name(), func(t *testing.T) {
			path := formattest.File(t, spec)
			times, err := os.ReadFile(path + ".tim")
			if err != nil {
				t.Fatal(err)
			}
			all := int64(len(times)-format.TimesHeaderSize) / format.TimeCellSize
			done := int64(0)
			cells, err := Verify(ctx, path, "", func(at, _ int64) { done = at })
			if err != nil || cells != all || done == 0 {
				t.Fatalf("%d cells, want %d, %d bytes of data: %v", cells, all, done, err)
			}
			for _, at := range []int64{0, 1, 2, all / 3, all / 2, all - 1} {
				bad := bytes.Clone(times)
				off := format.TimesHeaderSize + at*format.TimeCellSize
				bad[off+1] ^= 0x40
				unfitAt(t, path, bad, off)
			}
			unfitAt(t, path, times[:len(times)-format.TimeCellSize], int64(len(times)-format.TimeCellSize))
			unfitAt(t, path, append(bytes.Clone(times), 1), int64(len(times)))
		})
	}
}

// unfitAt verifies replaced times, which must fail at an offset.
func unfitAt(t *testing.T, path string, times []byte, offset int64) {
	t.Helper()
	name := path + ".other"
	if err := os.WriteFile(name, times, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Verify(context.Background(), path, name, nil)
	var fault *format.Error
	if !errors.Is(err, ErrUnfit) || !errors.As(err, &fault) || fault.Offset != offset || fault.File != name {
		t.Fatalf("at offset %d: %v", offset, err)
	}
}

// TestVerifySense: times of the right objects, but with impossible values.
func TestVerifySense(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.WideCalls, N: 5, Timed: true}
	path := formattest.File(t, spec)
	times, err := os.ReadFile(path + ".tim")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(path + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	var calls, refs []int64 // offsets of times
	for at := int64(format.HeaderSize); at < int64(len(index)-format.IndexTail); at += format.CellSize {
		switch k := format.DecodeCell(index[at:]).Kind; {
		case k == format.KindTracePoint:
			calls = append(calls, format.TimeCellOffset(at))
		case k.Reference():
			refs = append(refs, format.TimeCellOffset(at))
		}
	}
	root := format.DecodeTimeCell(times[calls[len(calls)-1]:])
	be := binary.BigEndian
	for name, c := range map[string]struct {
		at              int64
		start, duration int64
		found           int64 // offset of the fault
	}{
		"negative":         {calls[1], 100, -5, calls[1]},
		"none":             {calls[1], 0, -1, calls[1]},
		"before all":       {calls[1], -100, 5, calls[1]},
		"outside":          {calls[1], root.Start - 1, 5, calls[len(calls)-1]},
		"longer":           {calls[2], root.Start, root.Duration + 1, calls[len(calls)-1]},
		"of a description": {refs[0], 1, 1, refs[0]},
		"early end":        {int64(len(times)) - format.TimeCellSize, root.Start, 0, int64(len(times)) - format.TimeCellSize},
	} {
		t.Run(name, func(t *testing.T) {
			bad := bytes.Clone(times)
			be.PutUint64(bad[c.at+4:], uint64(c.start))
			be.PutUint64(bad[c.at+12:], uint64(c.duration))
			unfitAt(t, path, bad, c.found)
		})
	}
	if err := os.Remove(path + ".tim"); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(context.Background(), path, "", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without times: %v", err)
	}
	// Data that ends early is reported as such.
	if err := os.WriteFile(path+".tim", times, 0o644); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, st.Size()-3); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(context.Background(), path, "", nil); !errors.Is(err, format.ErrTruncated) || !strings.HasPrefix(err.Error(), path+":") {
		t.Errorf("data cut short: %v", err)
	}
}
