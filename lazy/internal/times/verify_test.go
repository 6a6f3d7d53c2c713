package times

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
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
			list := formattest.TimeCells(t, times)
			all, done := len(list), int64(0)
			if n, err := Verify(ctx, path, "", func(at, _ int64) { done = at }); err != nil || n != int64(all) || done == 0 {
				t.Fatalf("%d cells, want %d, %d bytes of data: %v", n, all, done, err)
			}
			for _, encode := range encodings {
				if err := os.WriteFile(path+".tim", encode(list...), 0o644); err != nil {
					t.Fatal(err)
				}
				if n, err := Verify(ctx, path, "", nil); err != nil || n != int64(all) {
					t.Fatalf("%d cells, want %d: %v", n, all, err)
				}
				for _, at := range []int{0, 1, 2, all / 3, all / 2, all - 1} {
					bad := slices.Clone(list)
					bad[at].ID ^= 0x40
					unfitAt(t, path, encode, bad, at)
				}
				unfitAt(t, path, encode, list[:all-1], all-1)
				unfitAt(t, path, func(cells ...format.TimeCell) []byte { return append(encode(cells...), 1) }, list, all)
			}
		})
	}
}

// encodings make files of times of both versions.
var encodings = []func(...format.TimeCell) []byte{formattest.TimesOf, formattest.FixedTimesOf}

// unfitAt verifies replaced times, which must fail at a cell.
func unfitAt(t *testing.T, path string, encode func(...format.TimeCell) []byte, cells []format.TimeCell, at int) {
	t.Helper()
	name := path + ".other"
	b := encode(cells...)
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
	s := format.NewTimesScanner(bytes.NewReader(b))
	for range at + 1 {
		s.Next()
	}
	offset := s.Offset()
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
	list := formattest.TimeCells(t, times)
	var calls, refs []int // their cells
	for i := range len(list) - 1 {
		switch k := format.DecodeCell(index[format.HeaderSize+i*format.CellSize:]).Kind; {
		case k == format.KindTracePoint:
			calls = append(calls, i)
		case k.Reference():
			refs = append(refs, i)
		}
	}
	root := list[calls[len(calls)-1]]
	for name, c := range map[string]struct {
		at              int
		start, duration int64
		found           int // cell of the fault
	}{
		"negative":         {calls[1], 100, -5, calls[1]},
		"none":             {calls[1], 0, -1, calls[1]},
		"before all":       {calls[1], -100, 5, calls[1]},
		"outside":          {calls[1], root.Start - 1, 5, calls[len(calls)-1]},
		"longer":           {calls[2], root.Start, root.Duration + 1, calls[len(calls)-1]},
		"of a description": {refs[0], 1, 1, refs[0]},
		"early end":        {len(list) - 1, root.Start, 0, len(list) - 1},
	} {
		t.Run(name, func(t *testing.T) {
			bad := slices.Clone(list)
			bad[c.at].Start, bad[c.at].Duration = c.start, c.duration
			for _, encode := range encodings {
				unfitAt(t, path, encode, bad, c.found)
			}
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
