package formattest_test

import (
	"bytes"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// decoded is an object as values, for encoding it again.
type decoded struct {
	kind   format.Kind
	id     int32 // of a reference object
	ref    formattest.Reference
	point  format.Point
	footer format.Footer
}

// decode decodes an object with the decoders of package format.
func decode(t *testing.T, version format.Version, o format.Object) decoded {
	t.Helper()
	d := decoded{kind: o.Kind}
	var n int
	var err error
	switch {
	case o.Kind == format.KindTracePoint:
		n, err = version.DecodePoint(o.Bytes, &d.point)
	case o.Kind == format.KindFooter:
		n, err = version.DecodeFooter(o.Bytes, o.Class, &d.footer)
	case o.Kind.Reference():
		// A new context each time: a shared one would keep only the first of two objects
		// with the same id.
		ctx := format.NewContext(version)
		d.id, n, err = ctx.Add(o.Bytes)
		d.ref = formattest.ReferenceOf(ctx, o.Kind, d.id)
	default:
		return d
	}
	if err != nil {
		t.Fatalf("%v at %d: %v", o.Kind, o.Offset, err)
	}
	if n != len(o.Bytes) {
		t.Fatalf("%v at %d: decoded %d bytes of %d", o.Kind, o.Offset, n, len(o.Bytes))
	}
	return d
}

// rewrite writes the objects of a recorded trace with a Writer. flush tells whether the Writer
// has to end its blocks where the recorded ones end.
func rewrite(t *testing.T, recorded []byte, opt formattest.Options, flush func(size int64) bool) (data, index []byte) {
	t.Helper()
	var d, x bytes.Buffer
	v, err := format.CheckDataHeader(recorded)
	if err != nil {
		t.Fatal(err)
	}
	opt.Version = v
	w := formattest.NewWriter(&d, &x, opt)
	s := format.NewBytesScanner(recorded)
	var content int64
	for s.Next() {
		o := s.Object()
		v := decode(t, s.Version(), o)
		switch th := w.Thread(o.Thread); {
		case o.Kind == format.KindTracePoint:
			th.Point(&v.point)
		case o.Kind == format.KindFooter:
			th.Footer(&v.footer)
		case o.Kind.Reference():
			th.Reference(v.kind, v.id, v.ref)
		case o.Kind == format.KindBlockStart:
			content = o.Logical
		case o.Kind == format.KindBlockEnd && flush(o.Logical-content):
			th.Flush()
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return d.Bytes(), x.Bytes()
}

func same(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	t.Errorf("%s: %d bytes, want %d; they differ at %d: %x, want %x", what, len(got), len(want), i,
		got[i:min(len(got), i+16)], want[i:min(len(want), i+16)])
}

func TestWriterRepeatsStreams(t *testing.T) {
	for _, name := range formattest.RecordedNames(t, ".stream.bin") {
		if strings.HasPrefix(name, "crash.") {
			continue // has no end to write
		}
		t.Run(name, func(t *testing.T) {
			want := formattest.Recorded(t, name)
			data, index := rewrite(t, want, formattest.Options{Manual: true}, func(int64) bool { return true })
			same(t, "data", data, want)
			same(t, "index", index, formattest.Recorded(t, name+".idx"))
		})
	}
}

// The Writer ends a full block exactly where the reference ended it. Other blocks end where
// a thread ended.
func TestWriterBlockBorders(t *testing.T) {
	full := 0
	for _, name := range []string{"blocks.stream.bin", "flat.stream.bin"} {
		want := formattest.Recorded(t, name)
		data, index := rewrite(t, want, formattest.Options{SplitAfterHeader: true}, func(size int64) bool {
			if size > formattest.DefaultBlockSize-1024 {
				full++
				return false
			}
			return true
		})
		same(t, name, data, want)
		same(t, name+".idx", index, formattest.Recorded(t, name+".idx"))
	}
	if full == 0 {
		t.Error("no recorded block is full: nothing was tried")
	}
}

func TestWriterRepeatsDumps(t *testing.T) {
	for _, name := range formattest.RecordedNames(t, ".dump.bin") {
		t.Run(name, func(t *testing.T) {
			want := formattest.Recorded(t, name)
			data, index := rewrite(t, want, formattest.Options{Dump: true}, func(int64) bool { return false })
			same(t, "data", data, want)
			same(t, "index", index, formattest.Recorded(t, name+".idx"))
		})
	}
}

// TestTimes: there is a time for each index cell, in the same order; only containers and blocks
// have durations, and no cell is before the beginning of the recording.
func TestTimes(t *testing.T) {
	for _, dump := range []bool{false, true} {
		var times bytes.Buffer
		spec := formattest.Spec{Shape: formattest.Random, N: 2000}
		spec.BlockSize, spec.Dump, spec.Times = 4096, dump, &times
		_, index := formattest.Bytes(t, spec)
		anchor, _, err := format.DecodeTimesHeader(times.Bytes())
		if err != nil || !anchor.Equal(formattest.Anchor) {
			t.Fatalf("anchor %v: %v", anchor, err)
		}
		cells, took, n := formattest.TimeCells(t, times.Bytes()), 0, 0
		for at := int64(format.HeaderSize); at < int64(len(index)-8); at += format.CellSize {
			c := format.DecodeCell(index[at:])
			x := cells[n]
			n++
			switch {
			case x.ID != c.ID:
				t.Fatalf("a time of %d beside %v %d", x.ID, c.Kind, c.ID)
			case c.Kind.Reference() && x.Known(), c.Kind == format.KindTracePoint && !x.Known(), x.Start < 0:
				t.Fatalf("%v %d: %+v", c.Kind, c.ID, x)
			case x.Duration > 0:
				took++
			}
		}
		if n != len(cells) || took == 0 {
			t.Fatalf("%d time cells, want %d; %d took some time", len(cells), n, took)
		}
	}
}
