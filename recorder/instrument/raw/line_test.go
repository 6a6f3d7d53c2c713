package raw

import (
	"encoding/binary"
	"slices"
	"testing"
)

// TestLineOf: what is no line of a process ends it.
func TestLineOf(t *testing.T) {
	for _, c := range []struct {
		words []uint64 // id and start, one after the other
		want  int
	}{
		{[]uint64{7, 100, 6, 90, 5, 80, 0, 0}, 3},
		{[]uint64{7, 100, 6, 100}, 2},
		{[]uint64{7, 100, 6, 101}, 1},       // the parent began later: another one has its id
		{[]uint64{7, 100, 7, 90}, 1},        // it is its own parent
		{[]uint64{8, 100, 6, 90}, 0},        // of another process
		{[]uint64{0, 100, 6, 90}, 0},        // none
		{[]uint64{7, 100, 6, 90, 5, 95}, 2}, // the parent's parent began later
		{[]uint64{7, 100, 0, 90, 5, 80}, 1}, // zeros end it
		{[]uint64{7, 1<<64 - 1, 6, 1<<64 - 1}, 2},
		{slices.Repeat([]uint64{7, 100, 6, 100}, LineMost/2), LineMost},
	} {
		var b []byte
		for _, w := range c.words {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		if got := lineOf(b, 7); len(got) != c.want {
			t.Errorf("%v: %v, expected %d", c.words, got, c.want)
		}
	}
}

const second = 1e9

// head is the header of a process that began to record at a time; the members of its line are those of its id and parents.
func head(nanos uint64, line ...Member) *Header {
	h := &Header{Nanos: nanos, Wall: nanos + 1e18, Boot: nanos, Line: line}
	if len(line) > 0 {
		h.PID = line[0].PID
	}
	return h
}

// TestParentOf: a parent is the nearest process of the line that is recorded, with the same start, on the same run of the system.
func TestParentOf(t *testing.T) {
	a, b, shell := Member{10, 100}, Member{11, 200}, Member{12, 255}
	root, child := head(1*second+1, a), head(2*second+1, b, a)
	elsewhere := head(1*second+1, a)
	elsewhere.Wall += 5e15
	ended := head(1*second/2, Member{10, 40}) // had the id before
	late := head(9*second, a)                 // a file that says so of a process that did not record yet
	again := head(2*second+501e6, b, a)       // b, as another program
	below := head(2*second+6e8, Member{13, 260}, shell, b, a)
	soon := head(2*second+6e8, Member{13, 250}, b, a)  // while b may have been either
	since := head(2*second+7e8, Member{13, 245}, b, a) // b started it before it became the other program
	unsure := head(2*second+7e8, Member{13, 999}, b, a)
	inside, other := head(1*second+1, a), head(2*second+1, b, a)
	inside.Namespace, other.Namespace = 7, 7
	other2 := head(2*second+2, b, a)
	other2.Namespace = 8
	for name, c := range map[string]struct {
		all  []*Header
		h    *Header
		want *Header
		via  uint64
		more Parent // Became and Unsure
	}{
		"direct":              {[]*Header{child, root}, child, root, 11, Parent{}},
		"itself alone":        {[]*Header{root}, root, nil, 0, Parent{}},
		"no line":             {[]*Header{root, head(3 * second)}, head(3 * second), nil, 0, Parent{}},
		"through a shell":     {[]*Header{root, child, below}, below, child, 12, Parent{}},
		"not recorded":        {[]*Header{root, below}, below, root, 11, Parent{}},
		"the id is another":   {[]*Header{ended, child}, child, nil, 0, Parent{}},
		"both had the id":     {[]*Header{ended, root, child}, child, root, 11, Parent{}},
		"began later":         {[]*Header{late, child}, child, nil, 0, Parent{}},
		"another machine":     {[]*Header{elsewhere, child}, child, nil, 0, Parent{}},
		"became":              {[]*Header{root, child, again}, again, child, 11, Parent{Became: true}},
		"after it became":     {[]*Header{again, child, root, below}, below, again, 12, Parent{}},
		"while it became":     {[]*Header{child, again, root, soon}, soon, again, 13, Parent{Unsure: true}},
		"before it became":    {[]*Header{child, again, root, since}, since, child, 13, Parent{}},
		"by another program":  {[]*Header{again, root, since}, since, root, 11, Parent{}},
		"by an unknown one":   {[]*Header{again, since}, since, nil, 0, Parent{}},
		"at an unknown time":  {[]*Header{child, again}, unsure, again, 13, Parent{Unsure: true}},
		"a namespace":         {[]*Header{root, inside}, other, inside, 11, Parent{}},
		"another namespace":   {[]*Header{root, inside}, other2, nil, 0, Parent{}},
		"itself in another":   {[]*Header{other, child}, other2, nil, 0, Parent{}},
		"each says the other": {[]*Header{head(5*second, a, b), head(5*second, b, a)}, head(5*second, b, a), nil, 0, Parent{}},
	} {
		var l Lines
		for _, h := range c.all {
			l.Add(h)
		}
		got := l.ParentOf(c.h)
		switch {
		case c.want == nil && got.Of >= 0, c.want != nil && (got.Of < 0 || c.all[got.Of] != c.want):
			t.Errorf("%s: %+v", name, got)
		case c.want != nil && (got.Via.PID != c.via || got.Became != c.more.Became || got.Unsure != c.more.Unsure):
			t.Errorf("%s: %+v, expected by %d, %+v", name, got, c.via, c.more)
		}
	}
}

// TestMoment: a start after the reading of the clock, or before the system was started, is none.
func TestMoment(t *testing.T) {
	h := &Header{Nanos: 50 * second, Boot: 60 * second}
	for started, want := range map[uint64]uint64{6000: 50 * second, 5900: 49 * second, 1000: 0 * second, 6001: 50 * second, 0: 50 * second, 1<<64 - 1: 50 * second} {
		if got, known := h.Moment(Member{1, started}); started == 1000 && known || started != 1000 && got != want || known != (started == 6000 || started == 5900) {
			t.Errorf("%d: %d, %v", started, got, known)
		}
	}
}
