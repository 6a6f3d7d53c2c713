package format_test

import (
	"reflect"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestPeek compares Peek with DecodePoint, on each trace point of a trace with all classes.
func TestPeek(t *testing.T) {
	for _, name := range []string{"allkinds.dump.bin", "allkinds.v27.dump.bin"} {
		peek(t, formattest.Recorded(t, name))
	}
}

func peek(t *testing.T, data []byte) {
	s := format.NewBytesScanner(data)
	classes := make(map[format.Class]bool)
	for s.Next() {
		o := s.Object()
		if o.Kind != format.KindTracePoint {
			continue
		}
		var full, peeked format.Point
		n, err := s.Version().DecodePoint(o.Bytes, &full)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Version().Peek(o.Bytes, &peeked)
		if err != nil || got != n {
			t.Fatalf("event %d: %d bytes, want %d: %v", full.Event, got, n, err)
		}
		want := format.Point{Class: full.Class, Location: full.Location, Thread: full.Thread, Event: full.Event, Diff: full.Diff, Ref: full.Ref}
		if full.Class == format.ClassIteration {
			want.Number = full.Number
		}
		if !reflect.DeepEqual(peeked, want) {
			t.Fatalf("peeked %+v, want %+v", peeked, want)
		}
		classes[full.Class] = true
	}
	if s.Err() != nil || len(classes) != 12 {
		t.Fatalf("%d classes: %v", len(classes), s.Err())
	}
}
