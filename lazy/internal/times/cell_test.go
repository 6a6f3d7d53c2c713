package times

import (
	"errors"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/mapped"
)

// TestPickOrder: which of two cells a time is taken from, before it is known
// whether those of blocks come first, and whether that determines the order.
func TestPickOrder(t *testing.T) {
	cell := func(id int32, start, duration int64) format.TimeCell {
		return format.TimeCell{ID: id, Start: start, Duration: duration}
	}
	none := cell(0, 0, format.NoDuration)
	for name, c := range map[string]struct {
		far, near format.TimeCell
		what      Kind
		want      format.TimeCell // of ID 5
		order     Order
	}{
		"of a stream":                       {cell(4, 1, 1), cell(5, 2, 2), Event, cell(5, 2, 2), OrderStream},
		"of a dump":                         {cell(5, 2, 2), cell(4, 1, 1), Event, cell(5, 2, 2), OrderDump},
		"a reference object before it":      {cell(5, 0, -1), cell(5, 2, 2), Event, cell(5, 2, 2), OrderUnknown},
		"a reference object behind it":      {cell(5, 2, 2), cell(5, 0, -1), Event, cell(5, 2, 2), OrderUnknown},
		"its block before it":               {cell(5, 1, 9), cell(5, 2, 2), Event, cell(5, 2, 2), OrderUnknown},
		"its block behind it":               {cell(5, 2, 2), cell(5, 1, 9), Event, cell(5, 2, 2), OrderUnknown},
		"a block before its last call":      {cell(5, 2, 2), cell(5, 1, 9), Block, cell(5, 1, 9), OrderUnknown},
		"a block behind a reference object": {cell(5, 1, 9), cell(5, 0, -1), Block, cell(5, 1, 9), OrderUnknown},
		"neither":                           {cell(4, 1, 1), cell(6, 1, 1), Event, none, OrderUnknown},
	} {
		times := format.AppendTimesHeader(nil, formattest.Anchor)
		times = c.near.Append(c.far.Append(times))
		s, err := New(mapped.InMemory("memory.tim", times))
		if err != nil {
			t.Fatal(err)
		}
		got, ok, err := s.Pick(5, format.HeaderSize+format.CellSize, format.HeaderSize, c.what)
		if ok != (c.want != none) || ok && got != c.want || Order(s.order.Load()) != c.order {
			t.Errorf("%s: %+v, %v, order %d; want %+v, order %d", name, got, ok, s.order.Load(), c.want, c.order)
		}
		if (err == nil) != ok || err != nil && !errors.Is(err, ErrUnfit) {
			t.Errorf("%s: cell %v, error %v", name, ok, err)
		}
	}
}
