package format_test

import (
	"bytes"
	"reflect"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestDecodeHead compares DecodeHead with DecodePoint, on each trace point of a trace with all classes.
func TestDecodeHead(t *testing.T) {
	for _, name := range []string{"allkinds.dump.bin", "allkinds.v27.dump.bin"} {
		decodeHeads(t, formattest.Recorded(t, name))
	}
}

func decodeHeads(t *testing.T, data []byte) {
	s := format.NewBytesScanner(data)
	classes := make(map[format.Class]bool)
	for s.Next() {
		o := s.Object()
		if o.Kind != format.KindTracePoint {
			continue
		}
		var full, head format.Point
		n, err := s.Version().DecodePoint(o.Bytes, &full)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Version().DecodeHead(o.Bytes, &head)
		if err != nil || got != n {
			t.Fatalf("event %d: %d bytes, want %d: %v", full.Event, got, n, err)
		}
		want := format.Point{Class: full.Class, Location: full.Location, Thread: full.Thread, Event: full.Event, Diff: full.Diff, Ref: full.Ref}
		if full.Class == format.ClassIteration {
			want.Number = full.Number
		}
		if !reflect.DeepEqual(head, want) {
			t.Fatalf("%+v, want %+v", head, want)
		}
		classes[full.Class] = true
	}
	if s.Err() != nil || len(classes) != 12 {
		t.Fatalf("%d classes: %v", len(classes), s.Err())
	}
}

// TestThrew: Threw finds what the decoder finds, in the footers of all kinds of results.
func TestThrew(t *testing.T) {
	seeds := uint64(8)
	if formattest.Race {
		seeds = 2
	}
	for _, version := range []format.Version{format.V22, format.V27} {
		for seed := range seeds {
			data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 3000, Seed: seed, Options: formattest.Options{Version: version}})
			s := format.NewScanner(bytes.NewReader(data))
			threw, calls := 0, 0
			for s.Next() {
				o := s.Object()
				if o.Kind != format.KindFooter || o.Class != format.ClassCall {
					continue
				}
				var f format.Footer
				if _, err := version.DecodeFooter(o.Bytes, format.ClassCall, &f); err != nil {
					t.Fatal(err)
				}
				got, err := version.Threw(o.Bytes)
				if err != nil || got != f.Threw {
					t.Fatalf("version %v, offset %d: %v, %v for %+v", version, o.Offset, got, err, f)
				}
				if got {
					threw++
				}
				calls++
				for cut := range o.Bytes {
					if _, err := version.Threw(o.Bytes[:cut]); err == nil && cut+2 < len(o.Bytes) && !f.Threw {
						t.Fatalf("version %v: no error for %d of %d bytes", version, cut, len(o.Bytes))
					}
				}
			}
			if err := s.Err(); err != nil {
				t.Fatal(err)
			}
			if threw == 0 || threw == calls {
				t.Errorf("version %v, seed %d: %d of %d calls threw", version, seed, threw, calls)
			}
		}
	}
}

func encoded(t *testing.T, version format.Version, v *format.Value) []byte {
	t.Helper()
	b, err := version.AppendValue(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestValueCursor: a cursor reads the values that the decoder finds, in their order.
func TestValueCursor(t *testing.T) {
	for _, version := range []format.Version{format.V22, format.V27} {
		data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 3000, Seed: 1, Options: formattest.Options{Version: version}})
		seen := 0
		var c format.ValueCursor
		for s := format.NewBytesScanner(data); s.Next(); {
			o := s.Object()
			if o.Kind != format.KindTracePoint {
				continue
			}
			var p format.Point
			if _, err := version.DecodePoint(o.Bytes, &p); err != nil {
				t.Fatal(err)
			}
			want := []format.Value{p.Value}
			switch p.Class {
			case format.ClassCall:
				want = append([]format.Value{p.Target}, p.Args...)
			case format.ClassFieldRead, format.ClassFieldWrite, format.ClassArrayRead, format.ClassArrayWrite:
				want = []format.Value{p.Target, p.Value}
			case format.ClassLoop, format.ClassIteration, format.ClassSnapshot:
				want = nil
			}
			n := 0
			for c.Start(version, o.Bytes, p.Class); c.Next(); n++ {
				if n == len(want) || c.ClassID != want[n].ClassID || c.Kind == want[n].Kind && len(c.Text) > 0 && !bytes.HasSuffix(encoded(t, version, &want[n]), c.Text) {
					t.Fatalf("offset %d: value %d is %+v, want %+v", o.Offset, n, c.PartialValue, want)
				}
			}
			if n != len(want) || c.Failed != (p.Class == format.ClassSnapshot) {
				t.Fatalf("offset %d: %d values, failed %v, want %+v", o.Offset, n, c.Failed, want)
			}
			if (p.Class == format.ClassArrayRead || p.Class == format.ClassArrayWrite) && c.Index != p.Number {
				t.Fatalf("offset %d: index %d, want %d", o.Offset, c.Index, p.Number)
			}
			seen += n
		}
		if seen < 1000 {
			t.Errorf("version %v: only %d values", version, seen)
		}
	}
}
