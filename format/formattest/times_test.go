package formattest_test

import (
	"bytes"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestTimes: there is a time for each index cell, in the same order; only containers and blocks
// have durations, and no cell is before the beginning of the recording.
func TestTimes(t *testing.T) {
	for _, dump := range []bool{false, true} {
		var times bytes.Buffer
		spec := formattest.Spec{Shape: formattest.Random, N: 2000}
		spec.BlockSize, spec.Dump, spec.Times = 4096, dump, &times
		_, index := formattest.Bytes(t, spec)
		anchor, err := format.DecodeTimesHeader(times.Bytes())
		if err != nil || !anchor.Equal(formattest.Anchor) {
			t.Fatalf("anchor %v: %v", anchor, err)
		}
		took := 0
		for at := int64(format.HeaderSize); at < int64(len(index)-8); at += format.CellSize {
			c := format.DecodeCell(index[at:])
			x := format.DecodeTimeCell(times.Bytes()[format.TimeCellOffset(at):])
			switch {
			case x.ID != c.ID:
				t.Fatalf("a time of %d beside %v %d", x.ID, c.Kind, c.ID)
			case c.Kind.Reference() && x.Known(), c.Kind == format.KindTracePoint && !x.Known(), x.Start < 0:
				t.Fatalf("%v %d: %+v", c.Kind, c.ID, x)
			case x.Duration > 0:
				took++
			}
		}
		if size := format.TimeCellOffset(int64(len(index)) - 8); size != int64(times.Len()) || took == 0 {
			t.Fatalf("%d bytes of times, want %d; %d took some time", times.Len(), size, took)
		}
	}
}
