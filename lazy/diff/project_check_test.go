package diff

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"tracex/format"
	"tracex/lazy"
)

// checkProjection checks that the part of a full diff that is of a side is that trace.
func checkProjection(t *testing.T, n int, side, rows map[int32][]*textRow, threads []format.ThreadMatch) {
	t.Helper()
	var ids []int32 // of those with points
	for _, id := range slices.Sorted(maps.Keys(side)) {
		if len(side[id]) > 0 {
			ids = append(ids, id)
		}
	}
	seen := make(map[int32]bool)
	for _, m := range threads {
		at := [...]int32{m.Left, m.Right}[n]
		got := lines(nil, sideOf(t, rows[m.Thread], n), 0)
		if at < 0 {
			if len(got) > 0 {
				t.Errorf("side %d: thread %d of the diff, which has none of it, has %d points", n, m.Thread, len(got))
			}
			continue
		}
		id := ids[at]
		if seen[id] {
			t.Errorf("side %d: thread %d is in the diff twice", n, id)
		}
		seen[id] = true
		sameLines(t, fmt.Sprintf("side %d, thread %d", n, id), got, lines(nil, side[id], 0))
	}
	for _, id := range ids {
		if !seen[id] {
			t.Errorf("side %d: thread %d is not in the diff", n, id)
		}
	}
}

func sameLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%s: at line %d of %d, %d in the trace:\n%s\nin the trace:\n%s", what, i, len(got), len(want),
				got[min(i, len(got)):min(i+3, len(got))], want[min(i, len(want)):min(i+3, len(want))])
			return
		}
	}
}

// sideOf returns what one side has of a list of a full diff.
func sideOf(t *testing.T, list []*textRow, n int) (of []*textRow) {
	t.Helper()
	for i, x := range list {
		kids := x.kids
		switch {
		case x.status == format.DiffUnchanged && x.text == rootText:
			of = append(of, sideOf(t, kids, n)...)
			continue
		case x.status == format.DiffUnchanged && x.in[n]:
		case x.status == format.DiffRemoved && n == 0, x.status == format.DiffAdded && n == 1, x.status == format.DiffEditedNew && n == 1:
		case x.status == format.DiffEditedOld && n == 0:
			if i+1 == len(list) || list[i+1].status != format.DiffEditedNew || len(kids) > 0 {
				t.Fatalf("event %d, as it was, is not followed by what it is", x.event)
			}
			kids = list[i+1].kids
		default:
			continue
		}
		of = append(of, &textRow{text: x.text, kids: sideOf(t, kids, n)})
	}
	return of
}

// rootText is the bareText of a call around all roots of a thread.
const rootText = "call <diff>.<root>(), of null"

// rowPlaces are the rows of a trace by event, and by place.
type rowPlaces struct {
	events map[int32]*textRow
	twice  map[int32]bool // numbers that several events have
	at     map[lazy.Position]*textRow
}

func placesOf(threads map[int32][]*textRow) rowPlaces {
	p := rowPlaces{make(map[int32]*textRow), make(map[int32]bool), make(map[lazy.Position]*textRow)}
	for _, list := range threads {
		eachRow(list, func(x *textRow) {
			if p.events[x.event] != nil { // in a damaged trace
				p.twice[x.event] = true
			}
			p.events[x.event], p.at[lazy.Position{Thread: x.thread, At: x.at}] = x, x
		})
	}
	return p
}

// eachRow calls f with all rows, before those in them.
func eachRow(list []*textRow, f func(*textRow)) {
	for _, x := range list {
		f(x)
		eachRow(x.kids, f)
	}
}

// checkMatches checks that the events of a full diff are those of the map.
func checkMatches(t *testing.T, rows map[int32][]*textRow, matches []format.EventMatch, sides [2]map[int32][]*textRow, elsewhere bool) {
	t.Helper()
	places := [2]rowPlaces{placesOf(sides[0]), placesOf(sides[1])}
	bad := 0
	for _, list := range rows {
		eachRow(list, func(x *textRow) {
			m := matches[x.event]
			if places[0].twice[m.Left] || places[1].twice[m.Right] {
				return
			}
			var of [2]*textRow
			for i, id := range [...]int32{m.Left, m.Right} {
				if id != -1 {
					of[i] = places[i].events[id]
				}
			}
			if why := x.unlike(of, elsewhere); why != "" && bad < 5 {
				bad++
				t.Errorf("event %d, %v: %s", x.event, m, why)
			}
		})
	}
}

// unlike tells why a row of a diff is not that of the rows of the two traces, "" if it is. With elsewhere, one that is equal may be in
// another thread on the other side.
func (x *textRow) unlike(of [2]*textRow, elsewhere bool) string {
	want := [2]bool{true, true} // are the two of the pair there?
	like := [2]bool{true, true} // have they the same text?
	switch {
	case x.text == rootText:
		want = [2]bool{}
	case x.status == format.DiffRemoved:
		want[1] = false
	case x.status == format.DiffAdded:
		want[0] = false
	case x.status == format.DiffUnchanged && elsewhere && (of[0] != nil || of[1] != nil):
		want = x.in
	case x.status == format.DiffEditedOld:
		like[1] = false
	case x.status == format.DiffEditedNew:
		like[0] = false
	}
	for i := range of {
		switch {
		case want[i] != (of[i] != nil):
			return fmt.Sprintf("%s, status %d: side %d: %v", x.text, x.status, i, of[i])
		case of[i] == nil:
		case of[i].class != x.class && x.equal == 0, x.equal == 0 && like[i] != (x.text == of[i].text):
			return fmt.Sprintf("status %d:\n%s\nis in side %d\n%s", x.status, x.text, i, of[i].text)
		}
	}
	return ""
}

// checkTally checks that a diff has as many places of each kind as the counts, and all calls.
func checkTally(t *testing.T, what string, rows map[int32][]*textRow, c *Counts) {
	t.Helper()
	places := make(map[format.DiffStatus]int64)
	var calls, elsewhere [2]int64
	var visit func(list []*textRow, around format.DiffStatus, inside bool)
	visit = func(list []*textRow, around format.DiffStatus, inside bool) {
		for _, x := range list {
			within := inside
			if alone := x.status == format.DiffUnchanged && x.in[0] != x.in[1]; alone && !within {
				within = true
				for i := range elsewhere {
					if x.in[i] {
						elsewhere[i]++
					}
				}
			}
			if x.status != around || around == format.DiffUnchanged || around == format.DiffEditedNew {
				places[x.status]++
			}
			if n := x.calls; x.class == format.ClassCall && x.text != rootText {
				if x.equal == 0 {
					n = 1
				}
				if x.in[0] && x.status != format.DiffEditedNew {
					calls[0] += n
				}
				if x.in[1] && x.status != format.DiffEditedOld {
					calls[1] += n
				}
			}
			visit(x.kids, x.status, within)
		}
	}
	for _, list := range rows {
		visit(list, format.DiffUnchanged, false)
	}
	want := map[format.DiffStatus]int64{format.DiffRemoved: c.Removed, format.DiffAdded: c.Added,
		format.DiffEditedOld: c.Edited, format.DiffEditedNew: c.Edited}
	for status, n := range want {
		if places[status] != n {
			t.Errorf("%s has %d places of status %d, the counts are %+v", what, places[status], status, *c)
		}
	}
	if elsewhere != [2]int64{c.Elsewhere, c.Elsewhere} {
		t.Errorf("%s has %v rows of one trace alone that do not differ, the counts are %+v", what, elsewhere, *c)
	}
	if calls != c.Calls {
		t.Errorf("%s has %v calls, the counts are %v", what, calls, c.Calls)
	}
}

// checkPairs checks that the pairs of a compact diff are the rows that it shows.
func checkPairs(t *testing.T, rows map[int32][]*textRow, pairs *Pairs, sides [2]map[int32][]*textRow, elsewhere bool) {
	t.Helper()
	places := [2]rowPlaces{placesOf(sides[0]), placesOf(sides[1])}
	n, bad := int64(0), 0
	for _, list := range rows {
		eachRow(list, func(x *textRow) {
			n++
			p, err := pairs.Of(x.event)
			if err != nil {
				t.Fatal(err)
			}
			var of [2]*textRow
			for i := range of {
				if p.At[i] >= 0 {
					if of[i] = places[i].at[lazy.Position{Thread: p.Thread[i], At: p.At[i]}]; of[i] == nil {
						t.Errorf("event %d: %+v, where nothing is", x.event, p)
					}
				}
			}
			x.in = [2]bool{of[0] != nil, of[1] != nil}
			why := x.unlike(of, elsewhere)
			if x.equal > 0 && why == "" && of[0] != nil && of[1] != nil && of[0].text != of[1].text {
				why = "of the first two that it stands for one is\n" + of[0].text + "\nthe other\n" + of[1].text
			}
			if why != "" && bad < 5 {
				bad++
				t.Errorf("event %d, %+v: %s", x.event, p, why)
			}
		})
	}
	if n != pairs.Len() {
		t.Errorf("%d pairs of %d events", pairs.Len(), n)
	}
}

// checkMarks checks that the marks of containers tell what differs in them.
func checkMarks(t *testing.T, rows map[int32][]*textRow) {
	t.Helper()
	bad := 0
	var visit func(list []*textRow) uint8
	visit = func(list []*textRow) (all uint8) {
		for _, x := range list {
			in := visit(x.kids)
			if x.marks != 0 && x.marks != in&changes && bad < 5 {
				bad++
				t.Errorf("event %d, %s, is marked %05b; what is in it is %05b", x.event, x.text, x.marks, in)
			}
			all |= in | 1<<x.status
		}
		return all
	}
	for _, list := range rows {
		visit(list)
	}
}
