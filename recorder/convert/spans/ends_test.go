package spans

import (
	"math/rand"
	"slices"
	"testing"

	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/spool"
)

// endless is simple, of a span whose end is not known.
func endless(id, parent SpanID, begin int64) Span {
	s := simple(id, parent, begin, begin)
	s.Duration, s.Unfinished = -1, true
	return s
}

// TestLasting: a span without an end lasts as long as what is inside it.
func TestLasting(t *testing.T) {
	for name, c := range map[string]struct {
		spans      []Span
		want, left string
	}{
		"nothing inside":                 {[]Span{simple(1, 0, 0, 9), endless(2, 1, 3), simple(3, 1, 5, 6)}, "# 1 1\n1() @0s +9ns\n  2(): unfinished @3ns +0s\n  3() @5ns +1ns\n", ""},
		"children, that are added first": {[]Span{simple(3, 1, 5, 8), simple(2, 1, 1, 4), endless(1, 0, 0)}, "# 1 1\n1(): unfinished @0s +8ns\n  2() @1ns +3ns\n  3() @5ns +3ns\n", ""},
		"a chain": {[]Span{endless(1, 0, 0), endless(2, 1, 1), endless(3, 2, 2), simple(4, 3, 3, 7), simple(5, 1, 7, 8)}, `# 1 1
1(): unfinished @0s +8ns
  2(): unfinished @1ns +6ns
    3(): unfinished @2ns +5ns
      4() @3ns +4ns
  5() @7ns +1ns
`, ""},
		"none ends": {[]Span{endless(1, 0, 0), endless(2, 1, 1), endless(3, 2, 2)}, "# 1 1\n1(): unfinished @0s +2ns\n  2(): unfinished @1ns +1ns\n    3(): unfinished @2ns +0s\n", ""},
		// It is not inside its parent, as what is inside it is not.
		"beyond its parent": {[]Span{simple(1, 0, 0, 5), endless(2, 1, 2), simple(3, 2, 3, 9)}, "# 1 1\n1() @0s +5ns\n# 1 1 #2\n2(parent ➜ \"1\"): unfinished @2ns +7ns\n  3() @3ns +6ns\n", ""},
		// A span that outlasts its parent, or began before it, is not inside it.
		"what is not inside": {[]Span{simple(9, 1, 0, 30), endless(1, 0, 1), simple(2, 1, 2, 5), simple(3, 2, 3, 20)}, `# 1 1
9(parent ➜ "0000000000000001") @0s +30ns
# 1 1 #2
1(): unfinished @1ns +4ns
  2() @2ns +3ns
# 1 1 #3
3(parent ➜ "2") @3ns +17ns
`, ""},
		"a circle of parents":                     {[]Span{endless(1, 3, 0), endless(2, 1, 0), endless(3, 2, 0), simple(4, 2, 1, 6)}, "# 1 1\n1(parent ➜ \"0000000000000003\"): unfinished @0s +6ns\n  2(): unfinished @0s +6ns\n    3(): unfinished @0s +6ns\n# 1 1 #2\n4(parent ➜ \"2\") @1ns +5ns\n", ""},
		"a client without an end and its server":  {[]Span{endless(1, 0, 0), simple(1, 0, 2, 6), simple(2, 1, 3, 4)}, "# 1 1\n1(): unfinished @0s +6ns\n  1() @2ns +4ns\n    2() @3ns +1ns\n", ""},
		"a server without an end and its client":  {[]Span{simple(1, 0, 0, 9), endless(1, 0, 2), simple(2, 1, 3, 4)}, "# 1 1\n1() @0s +9ns\n  1(): unfinished @2ns +2ns\n    2() @3ns +1ns\n", ""},
		"recorded again when it ended":            {[]Span{endless(1, 0, 0), simple(2, 1, 1, 2), simple(1, 0, 0, 9)}, "# 1 1\n1() @0s +9ns\n  2() @1ns +1ns\n", "1 span that is there twice from -1\n"},
		"twice without an end":                    {[]Span{endless(1, 0, 0), simple(2, 1, 1, 2), endless(1, 0, 0)}, "# 1 1\n1(): unfinished @0s +2ns\n  2() @1ns +1ns\n", "1 span that is there twice from -1\n"},
		"no ids":                                  {[]Span{endless(0, 0, 0), endless(0, 0, 1), simple(2, 0, 2, 3)}, "# 0 1\n0(): unfinished @0s +0s\n0(): unfinished @1ns +0s\n2() @2ns +1ns\n", ""},
		"an event after the last span inside it":  {[]Span{{Trace: TraceID{15: 1}, ID: 1, Name: "1", Start: year, Duration: -1, Events: []Event{{Time: year + 8, Name: "e"}}}, simple(2, 1, 2, 5)}, "# 1 1\n1() @0s +8ns\n  2() @2ns +3ns\n  event.e() @8ns +0s\n", ""},
		"an event before the last span inside it": {[]Span{{Trace: TraceID{15: 1}, ID: 1, Name: "1", Start: year, Duration: -1, Events: []Event{{Time: year + 1, Name: "e"}}}, simple(2, 1, 2, 5)}, "# 1 1\n1() @0s +5ns\n  event.e() @1ns +0s\n  2() @2ns +3ns\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, left := storyOf(t, c.spans...); got != c.want || left != c.left {
				t.Errorf("got\n%swant\n%sleft %q, want %q", got, c.want, left, c.left)
			}
		})
	}
}

// TestRandomLasting: spans without an end are where they would be if their ends were those that a plain search finds.
func TestRandomLasting(t *testing.T) {
	for seed := range int64(20) {
		r := rand.New(rand.NewSource(seed))
		list := random(r)
		ended := slices.Clone(list)
		for i := range list {
			if r.Intn(2) == 0 {
				list[i].Duration, ended[i].Duration = -1, 0
			}
		}
		for changed := true; changed; {
			changed = false
			for i := range ended {
				for _, o := range ended {
					p := &ended[i]
					if end := o.Start + o.Duration - p.Start; list[i].Duration < 0 && o.Trace == p.Trace && o.Parent == p.ID && o.Start >= p.Start && end > p.Duration {
						p.Duration, changed = end, true
					}
				}
			}
		}
		fill := func(list []Span, limit int64) *readback.Trace {
			list = slices.Clone(list)
			trace, sum := written(t, func(c *Collector) {
				c.spool = spool.New(t.TempDir(), limit)
				c.stream = c.spool.Stream()
				for i := range list {
					if err := c.Add(&list[i]); err != nil {
						t.Fatal(err)
					}
				}
			})
			if len(sum.LeftOut) > 0 {
				t.Errorf("left %v", sum.LeftOut)
			}
			return trace
		}
		want := readback.Story(fill(ended, 1<<20))
		for _, limit := range []int64{1 << 20, 0} {
			if got := readback.Story(fill(list, limit)); got != want {
				t.Errorf("seed %d: got\n%swant\n%s", seed, got, want)
			}
		}
	}
}

// TestManyLasting: beyond a number of spans without an end, one ends with its last event, and is counted.
func TestManyLasting(t *testing.T) {
	_, sum := written(t, func(c *Collector) {
		for i := range mostSame + 2 {
			s := endless(1, 0, int64(i))
			if err := c.Add(&s); err != nil {
				t.Fatal(err)
			}
		}
	})
	if left := readback.Left(sum); left != "2 spans without an end, after many others; they end with their last events from -1\n" {
		t.Error(left)
	}
}
