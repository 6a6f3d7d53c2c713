package instrumented

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestMatch: which goroutines statements are matched with. A statement is its time, a goroutine
// its number and when it began.
func TestMatch(t *testing.T) {
	for name, c := range map[string]struct {
		statements []uint64
		goroutines []child
		last       bool
		want       string // numbers; 0: none yet
		rest       int    // goroutines that are still remembered
	}{
		"one":                         {[]uint64{10}, []child{{7, 12, 0}}, false, "7", 0},
		"not yet":                     {[]uint64{10}, nil, false, "0", 0},
		"never":                       {[]uint64{10}, nil, true, "0", 0},
		"one of before":               {[]uint64{10}, []child{{5, 9, 0}, {7, 12, 0}}, false, "7", 0},
		"a burst, the last one first": {[]uint64{10, 11, 12}, []child{{9, 20, 0}, {7, 21, 0}, {8, 22, 0}}, false, "7 8 9", 0},
		"one after the other":         {[]uint64{10, 20, 30}, []child{{50, 12, 0}, {22, 23, 0}, {51, 34, 0}}, false, "50 22 51", 0},
		"two processors":              {[]uint64{10, 11, 12}, []child{{17, 20, 0}, {33, 21, 0}, {18, 22, 0}}, false, "≈17 ≈18 ≈33", 0},
		"numbers used up":             {[]uint64{10, 11, 12}, []child{{31, 20, 0}, {32, 21, 0}, {33, 22, 0}}, false, "31 32 33", 0},
		"the first of three":          {[]uint64{10, 11, 30}, []child{{7, 12, 0}, {8, 13, 0}}, false, "7 8 0", 0},
		"one of two is missing":       {[]uint64{10, 11}, []child{{8, 13, 0}}, false, "0 0", 1},
		"one of two never":            {[]uint64{10, 11}, []child{{8, 13, 0}}, true, "≈8 0", 0},
		"more than statements":        {[]uint64{10}, []child{{7, 12, 0}, {8, 13, 0}}, false, "7", 1},
		"no times":                    {[]uint64{0, 0}, []child{{8, 0, 0}, {7, 0, 0}}, false, "7 8", 0},
	} {
		s := &site{children: c.goroutines}
		var leaves []*leaf
		for _, time := range c.statements {
			leaves = append(leaves, &leaf{time: time})
		}
		s.leaves = slices.Clone(leaves)
		s.match(known{all: true, end: c.last}, c.last)
		var got []string
		for _, l := range leaves {
			text := fmt.Sprint(l.id)
			if l.unsure {
				text = "≈" + text
			}
			got = append(got, text)
		}
		if got := strings.Join(got, " "); got != c.want || len(s.children) != c.rest {
			t.Errorf("%s: %s and %d goroutines, want %s and %d", name, got, len(s.children), c.want, c.rest)
		}
	}
}

// TestMatchRandom: goroutines that one processor makes get the right statements, whenever they
// are matched.
func TestMatchRandom(t *testing.T) {
	rand := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := &site{}
		var leaves, unread []*leaf
		until := uint64(0)
		var waiting []child
		number := uint64(1)
		for time := uint64(1); time < 200; time++ {
			switch rand.IntN(4) {
			case 0:
				l := &leaf{time: time}
				leaves, unread = append(leaves, l), append(unread, l)
				waiting = append(waiting, child{number, 0, 0})
				number++
			case 1:
				if n := len(waiting); n > 0 {
					i := rand.IntN(n)
					s.children = append(s.children, child{waiting[i].id, time, 0})
					waiting = slices.Delete(waiting, i, i+1)
				}
			case 2:
				s.match(known{until: until}, rand.IntN(20) == 0)
			case 3: // more events of the goroutine with the statements are read
				n := rand.IntN(len(unread) + 1)
				if n > 0 {
					until = unread[n-1].time
				}
				s.leaves, unread = append(s.leaves, unread[:n]...), unread[n:]
			}
		}
		s.leaves = append(s.leaves, unread...)
		for _, c := range waiting {
			s.children = append(s.children, child{c.id, 1000, 0})
		}
		s.match(known{all: true, end: true}, true)
		for i, l := range leaves {
			if l.id != uint64(i+1) && !l.late {
				t.Fatalf("statement %d has goroutine %d", i+1, l.id)
			}
		}
	}
}
