package lazy

import (
	"testing"

	"tracex/format/formattest"
)

// TestStreamRanges: the physical ranges of a range are its bytes, in order, each within a block.
func TestStreamRanges(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 2000, Seed: 3, Threads: 4, Options: formattest.Options{BlockSize: 5000}})
	r := ready(t, path, Options{})
	s := r.r.Known.Load().Streams.At(1)
	if s.Blocks() < 3 {
		t.Fatalf("%d blocks: the test shows nothing", s.Blocks())
	}
	for _, c := range [...][2]int64{{0, s.Size}, {5, s.Size - 5}, {s.Block(1).Logical, s.Block(2).Logical}, {7, 7}, {s.Size, s.Size}} {
		at, ranges := c[0], 0
		err := s.Ranges(c[0], c[1], func(from, to int64) error {
			if want := s.Physical(at); from != want || s.Physical(at+to-from-1) != to-1 {
				t.Errorf("%d: a range from %d to %d, want one from %d", c, from, to, want)
			}
			at += to - from
			ranges++
			return nil
		})
		if err != nil || at != c[1] {
			t.Errorf("%d: %d ranges up to %d, error %v", c, ranges, at, err)
		}
	}
}
