package importer

import (
	"slices"
	"testing"
	"time"

	"tracex/recorder/convert/calltrace"
)

func TestAlign(t *testing.T) {
	wall := time.Unix(1_700_000_000, 0)
	at := func(first int64, anchor time.Time) calltrace.Clock {
		return calltrace.Clock{First: first, Anchor: anchor, Some: true}
	}
	names := []string{"a", "b", "c"}
	for _, c := range []struct {
		what   string
		clocks []calltrace.Clock
		begin  time.Time
		moves  []int64
		told   string
	}{
		{"by wall time", []calltrace.Clock{at(500, wall), at(-100, wall.Add(200)), at(0, wall.Add(time.Second))},
			wall.Add(100), []int64{-100, 100, 999_999_900}, ""},
		{"one without events", []calltrace.Clock{at(5, wall), {}}, wall.Add(5), []int64{-5, 0}, ""},
		{"one without wall time", []calltrace.Clock{at(5, wall), at(7, time.Time{}), at(9, time.Time{})},
			time.Time{}, []int64{-5, -7, -9}, "b has no wall clock: all begin at the same time"},
		{"no wall time", []calltrace.Clock{at(5, time.Time{}), at(7, time.Time{})},
			time.Time{}, []int64{-5, -7}, "a has no wall clock: all begin at the same time"},
		{"too far apart", []calltrace.Clock{at(5, wall), at(7, time.Time{}.Add(1))},
			time.Time{}, []int64{-5, -7}, "the wall clocks are too far apart: all begin at the same time"},
	} {
		a := align(c.clocks, names)
		if !a.begin.Equal(c.begin) || !slices.Equal(a.moves, c.moves) || a.why != c.told {
			t.Errorf("%s: %v %v %q; want %v %v %q", c.what, a.begin, a.moves, a.why, c.begin, c.moves, c.told)
		}
	}
}
