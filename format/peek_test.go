package format_test

import (
	"reflect"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestPeek compares what Peek reads with what DecodePoint reads, on each trace
// point of a trace with all classes.
func TestPeek(t *testing.T) {
	s := format.NewBytesScanner(formattest.Recorded(t, "allkinds.dump.bin"))
	classes := make(map[format.Class]bool)
	for s.Next() {
		o := s.Object()
		if o.Kind != format.KindTracePoint {
			continue
		}
		var full, peeked format.Point
		n, err := format.DecodePoint(o.Bytes, &full)
		if err != nil {
			t.Fatal(err)
		}
		got, err := format.Peek(o.Bytes, &peeked)
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
