package format_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// rebuild makes the index of a streaming file from only its data, by the rules in the package
// comment and in [format.Cell]. It is written for this test: simple, and in memory.
func rebuild(t testing.TB, data []byte) []byte {
	t.Helper()
	type container struct {
		event int32
		start int64
	}
	open := make(map[int32][]container)
	var out []byte
	var block format.Cell
	var cells []byte
	var logical int64 // bytes of the thread before this block
	s := format.NewBytesScanner(data)
	for s.Next() {
		if out == nil {
			out = format.AppendIndexHeader(nil, s.Version())
		}
		o := s.Object()
		base := block.Start + 5
		switch {
		case o.Kind == format.KindBlockStart:
			block = format.Cell{Kind: o.Kind, ID: o.Thread, Start: o.Offset}
			cells, logical = nil, o.Logical
		case o.Kind == format.KindBlockEnd:
			block.End = o.Offset
			out = append(block.Append(out), cells...)
		case o.Kind == format.KindTracePoint && o.Class.Container():
			var p format.Point
			if _, err := s.Version().DecodePoint(o.Bytes, &p); err != nil {
				t.Fatal(err)
			}
			open[o.Thread] = append(open[o.Thread], container{p.Event, o.Logical + int64(len(o.Bytes))})
		case o.Kind == format.KindFooter:
			stack := open[o.Thread]
			c := stack[len(stack)-1]
			open[o.Thread] = stack[:len(stack)-1]
			cells = format.Cell{Kind: format.KindTracePoint, ID: c.event, Start: c.start, End: o.Logical}.Append(cells)
		case o.Kind.Reference():
			id, _, err := format.NewContext(s.Version()).Add(o.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			cells = format.Cell{Kind: o.Kind, ID: id, Start: o.Offset, End: format.ReferenceEnd(base, logical)}.Append(cells)
		}
	}
	if s.Err() == nil {
		out = format.AppendIndexTail(out, -1)
	}
	return out
}

// The rules are enough to rebuild the index from the data, byte for byte.
func TestIndexRebuiltEqualsRecorded(t *testing.T) {
	for _, name := range formattest.RecordedNames(t, ".stream.bin") {
		got, want := rebuild(t, formattest.Recorded(t, name)), formattest.Recorded(t, name+".idx")
		if strings.HasPrefix(name, "crash.") {
			// Data and index may have lost different parts.
			n := min(len(got), len(want))
			got, want = got[:n], want[:n]
		}
		if len(want) < 800 || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d, or they differ", name, len(got), len(want))
		}
	}
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Calls, N: 3000, Threads: 3, Options: formattest.Options{BlockSize: 2000}},
		{Shape: formattest.Random, N: 3000, Options: formattest.Options{BlockSize: 500}},
		{Shape: formattest.Deep, N: 500, Options: formattest.Options{BlockSize: 1000, SplitAfterHeader: true}},
		{Shape: formattest.Threads, N: 40},
		{Shape: formattest.Random, N: 3000, Options: formattest.Options{BlockSize: 500, Version: format.V27}},
	} {
		data, index := formattest.Bytes(t, spec)
		if !bytes.Equal(rebuild(t, data), index) {
			t.Errorf("%s: another index", spec.Name())
		}
	}
}

func TestCellRoundTrip(t *testing.T) {
	for _, c := range []format.Cell{
		{}, {Kind: format.KindEOF, ID: -1, Start: -1, End: -1},
		{Kind: format.KindTracePoint, ID: math.MaxInt32, Start: math.MaxInt64, End: math.MinInt64},
		{Kind: 255, ID: math.MinInt32, Start: 0x0102030405060708, End: 0x1112131415161718},
	} {
		b := c.Append(nil)
		if len(b) != format.CellSize || format.DecodeCell(b) != c {
			t.Errorf("%+v: %x is %+v", c, b, format.DecodeCell(b))
		}
	}
	got := format.Cell{Kind: 8, ID: 0x01020304, Start: 0x05, End: -2}.Append(nil)
	if want := "\x08\x01\x02\x03\x04\x00\x00\x00\x00\x00\x00\x00\x05\xff\xff\xff\xff\xff\xff\xff\xfe"; string(got) != want {
		t.Errorf("%x, want %x", got, want)
	}
}

func TestIndexTail(t *testing.T) {
	for _, name := range formattest.RecordedNames(t, ".bin.idx") {
		index := formattest.Recorded(t, name)
		size := int64(len(index))
		tail := index[max(0, size-format.IndexTail):]
		n, err := format.CheckIndexTail(tail, size)
		if strings.HasPrefix(name, "crash.") {
			if !errors.Is(err, format.ErrTruncated) || !strings.Contains(format.Hint(err), "recorder was stopped") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if want := (size - format.HeaderSize - format.IndexTail) / format.CellSize; err != nil || n != want {
			t.Errorf("%s: %d cells, %v, want %d", name, n, err, want)
		}
		for i := range tail {
			damaged := bytes.Clone(tail)
			damaged[i] ^= 0x10
			// Start and end of the EOF cell carry no information.
			free := i >= 5 && i < format.CellSize
			if _, err := format.CheckIndexTail(damaged, size); (err == nil) != free {
				t.Errorf("%s: byte %d of the tail changed: %v", name, i, err)
			}
		}
		if _, err := format.CheckIndexTail(tail, size+1); !errors.Is(err, format.ErrCorrupt) || !strings.Contains(err.Error(), "1 byte too many") {
			t.Errorf("%s: a byte too many: %v", name, err)
		}
	}
	for size := range int64(format.HeaderSize + format.IndexTail) {
		if _, err := format.CheckIndexTail(make([]byte, min(size, format.IndexTail)), size); !errors.Is(err, format.ErrTruncated) {
			t.Errorf("an index of %d bytes: %v", size, err)
		}
	}
	whole := format.AppendIndexTail(format.AppendIndexHeader(nil, format.V22), -1)
	if n, err := format.CheckIndexTail(whole, int64(len(whole))); n != 0 || err != nil {
		t.Errorf("an index without cells: %d, %v", n, err)
	}
}
