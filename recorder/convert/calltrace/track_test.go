package calltrace_test

import (
	"cmp"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// addTo adds an event to a track.
func (e event) addTo(t testing.TB, w *calltrace.Writer, k *calltrace.Track) {
	t.Helper()
	c := calltrace.Call{Args: []format.Value{calltrace.Int(e.value)}}
	var end calltrace.End
	if e.value != 0 {
		end.Result = new(calltrace.Int(e.value))
	}
	var l calltrace.Label
	if e.method >= 0 {
		name := fmt.Sprintf("m%d", e.method)
		c.Method, l = w.Method("C", name), calltrace.LabelOf("", name)
	}
	switch e.kind {
	case 'B':
		must(t, k.Begin(e.ns, &c, l))
	case 'E':
		must(t, k.End(e.ns, l, &end))
	case 'X':
		must(t, k.Complete(e.ns, e.took, &c, &end))
	case 'S':
		must(t, k.Set(e.ns, "x", new(calltrace.Int(e.value))))
	}
}

// check writes tracks and compares them with their models.
func check(t testing.TB, o calltrace.Options, tracks ...[]event) {
	t.Helper()
	w := write(t, o)
	var made []*calltrace.Track
	for i := range tracks {
		made = append(made, w.Track(fmt.Sprintf("track %d", i)))
	}
	for n := 0; ; n++ { // in turns
		some := false
		for i, events := range tracks {
			if n < len(events) {
				events[n].addTo(t, w.Writer, made[i])
				some = true
			}
		}
		if !some {
			break
		}
	}
	var want strings.Builder
	noBegin := 0
	var last event
	for _, events := range tracks { // all last until the end of the trace
		for _, e := range events {
			if e.ns+e.took >= last.ns {
				last = event{kind: 'L', ns: e.ns + e.took}
			}
		}
	}
	for i, events := range tracks {
		if len(events) == 0 {
			continue
		}
		text, n := model(fmt.Sprintf("track %d", i), append(events[:len(events):len(events)], last))
		noBegin += n
		if strings.Count(text, "\n") > 1 { // it has events
			want.WriteString(text)
		}
	}
	sum := w.finish()
	sum.LeftOut = slices.DeleteFunc(sum.LeftOut, func(l calltrace.LeftOut) bool { return strings.Contains(l.What, "by rounding") }) // see TestRounded
	got := leftOut(sum)
	same(t, w.read().text(), want.String())
	if noBegin == 0 && got != "" || noBegin > 0 && !strings.HasPrefix(got, fmt.Sprintf("%d end", noBegin)) {
		t.Errorf("%q, want %d ends without a begin", got, noBegin)
	}
}

// TestTrack has small tracks, with what becomes of them.
func TestTrack(t *testing.T) {
	for _, test := range []struct {
		name   string
		events []event
		text   []string
	}{
		{"out of order", []event{{'X', 20, 5, 1, 0}, {'X', 10, 30, 2, 7}}, []string{
			"thread t", "  C.m2(7): 7 @10+30", "    C.m1(0) @20+5"}},
		{"overlap", []event{{'X', 10, 30, 1, 0}, {'X', 20, 30, 2, 0}, {'X', 25, 5, 3, 0}, {'X', 45, 5, 4, 0}}, []string{
			"thread t", "  C.m1(0) @10+30", "    C.m3(0) @25+5", "  C.m4(0) @45+5", "thread t #2", "  C.m2(0) @20+30"}},
		{"one start", []event{{'X', 10, 5, 1, 0}, {'X', 10, 30, 2, 0}, {'X', 10, 30, 3, 0}, {'X', 10, 0, 4, 0}, {'X', 10, 0, 5, 0}}, []string{
			"thread t", "  C.m2(0) @10+30", "    C.m3(0) @10+30", "      C.m1(0) @10+5", "        C.m4(0) @10+0", "        C.m5(0) @10+0"}},
		{"one after the other", []event{{'X', 10, 5, 1, 0}, {'X', 15, 5, 2, 0}, {'S', 20, 0, 0, 9}, {'X', 20, 0, 3, 0}}, []string{
			"thread t", "  C.m1(0) @10+5", "  C.m2(0) @15+5", "    x = 9", "  C.m3(0) @20+0"}},
		{"begin and end", []event{{'B', 10, 0, 1, 3}, {'B', 20, 0, 2, 0}, {'E', 40, 0, -1, 5}, {'B', 40, 0, 3, 0}, {'E', 50, 0, -1, 0}, {'E', 60, 0, 1, 4}, {'S', 60, 0, 0, 1}}, []string{
			"thread t", "  C.m1(3): 4 @10+50", "    C.m2(0): 5 @20+20", "    C.m3(0) @40+10", "  x = 1"}},
		{"ends of others", []event{{'E', 5, 0, -1, 0}, {'B', 10, 0, 1, 0}, {'B', 20, 0, 2, 0}, {'E', 30, 0, 9, 0}, {'E', 40, 0, 1, 0}, {'B', 50, 0, 3, 0}, {'X', 60, 0, 4, 0}}, []string{
			"thread t", "  C.m1(0) @10+30", "    C.m2(0): <unfinished method> @20+20", "  C.m3(0): <unfinished method> @50+10", "    C.m4(0) @60+0"}},
		{"crossed", []event{{'B', 10, 0, 1, 0}, {'B', 20, 0, 2, 0}, {'S', 25, 0, 0, 1}, {'E', 30, 0, 1, 5}, {'E', 40, 0, 2, 6}}, []string{
			"thread t", "  C.m1(0): 5 @10+20", "    x = 1", "thread t #2", "  C.m2(0): 6 @20+20"}},
		{"ends of one time", []event{{'B', 10, 0, 1, 0}, {'B', 20, 0, 2, 0}, {'E', 30, 0, 1, 5}, {'E', 30, 0, 2, 6}}, []string{
			"thread t", "  C.m1(0): 5 @10+20", "    C.m2(0): 6 @20+10"}},
		{"both kinds", []event{{'B', 10, 0, 1, 0}, {'X', 20, 20, 2, 0}, {'E', 30, 0, 1, 8}, {'X', 12, 3, 3, 0}, {'B', 13, 0, 4, 0}, {'E', 14, 0, 4, 0}}, []string{
			"thread t", "  C.m1(0): 8 @10+20", "    C.m3(0) @12+3", "      C.m4(0) @13+1", "thread t #2", "  C.m2(0) @20+20"}},
	} {
		for _, v := range versions {
			w := write(t, calltrace.Options{Version: v})
			k := w.Track("old name")
			for _, e := range test.events {
				e.addTo(t, w.Writer, k)
			}
			k.SetName("t")
			t.Run(test.name, func(t *testing.T) {
				same(t, w.text(), lines(test.text...))
				check(t, calltrace.Options{Version: v}, test.events)
			})
		}
	}
}

// randomEvents makes events at few times, so that many begin or end together.
func randomEvents(r *rand.Rand, n int, kinds string) (list []event) {
	span, most := 1+r.Int63n(200), 1+r.Int63n(40)
	for range n {
		e := event{kind: kinds[r.Intn(len(kinds))], ns: r.Int63n(span), method: r.Intn(4), value: r.Int63n(3)}
		switch {
		case e.kind == 'i':
			e.kind = 'X'
		case e.kind == 'X':
			e.took = r.Int63n(most)
		case e.kind == 'E' && r.Intn(2) == 0:
			e.method = -1
		}
		list = append(list, e)
	}
	return list
}

// TestRandomTracks compares random tracks with the model: shuffled and in order, with little memory.
func TestRandomTracks(t *testing.T) {
	for seed := range int64(30) {
		r := rand.New(rand.NewSource(seed))
		o := calltrace.Options{Version: versions[seed%2], Memory: 1 + r.Int63n(1<<16)}
		var tracks [][]event
		for _, kinds := range []string{"X", "Xi", "BE", "BEiS", "BEXS", "BXE"} {
			events := randomEvents(r, r.Intn(300), kinds)
			if seed%3 == 0 {
				slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.ns, b.ns) })
			}
			tracks = append(tracks, events)
		}
		check(t, o, tracks...)
	}
}

// FuzzTrack makes a track of bytes.
func FuzzTrack(f *testing.F) {
	f.Add([]byte("B1X2E3S4"), true)
	f.Add([]byte("XXXXXXXXBEBEBE"), false)
	f.Fuzz(func(t *testing.T, b []byte, newer bool) {
		var events []event
		for ; len(b) >= 3 && len(events) < 500; b = b[3:] {
			e := event{kind: "BEXSX"[b[0]%5], ns: int64(b[1]), method: int(b[0]) / 5 % 4, value: int64(b[0]) / 20 % 3}
			if e.kind == 'X' {
				e.took = int64(b[2])
			}
			if e.kind == 'E' && b[2]%2 == 0 {
				e.method = -1
			}
			events = append(events, e)
		}
		o := calltrace.Options{Memory: 1 << 10}
		if !newer {
			o.Version = format.V22
		}
		check(t, o, events)
	})
}

// TestRounded: a call that ends one unit of its track after the call around it is inside it.
func TestRounded(t *testing.T) {
	inside := []string{"thread t", "  C.m1(0) @10000+30000", "    C.m2(0) @20000+20000", "      C.m3(0) @38000+2000", "  C.m4(0) @60000+1000"}
	beside := func(ns int) []string {
		return []string{"thread t", "  C.m1(0) @10000+30000", "  C.m4(0) @60000+1000", "  C.m5(0) @70000+1", "thread t #2",
			fmt.Sprintf("  C.m2(0) @20000+%d", 20000+ns), fmt.Sprintf("    C.m3(0) @38000+%d", 2000+ns)}
	}
	for _, c := range []struct {
		late, unit int
		want       []string
	}{
		{1000, 0, inside}, {1000, 1, beside(1000)}, {1001, 0, []string{"thread t", "  C.m1(0) @10000+30000", "  C.m4(0) @60000+1000", "thread t #2", "  C.m2(0) @20000+21001", "    C.m3(0) @38000+3001"}},
		{100, 0, inside}, {10, 0, inside}, {1, 0, inside}, {1, 1, append(inside, "  C.m5(0) @70000+1")}, {2, 1, beside(2)},
	} {
		w := write(t, calltrace.Options{})
		k := w.Track("t")
		for _, e := range []event{{'X', 10000, 30000, 1, 0}, {'X', 20000, int64(20000 + c.late), 2, 0}, {'X', 38000, int64(2000 + c.late), 3, 0}, {'X', 60000, 1000, 4, 0}} {
			e.addTo(t, w.Writer, k)
		}
		if c.unit > 0 {
			event{'X', 70000, int64(c.unit), 5, 0}.addTo(t, w.Writer, k)
		}
		if left := leftOut(w.finish()); !strings.Contains(lines(c.want...), "#2") != strings.HasPrefix(left, "2 calls that end by rounding") {
			t.Errorf("%d late: left out %q", c.late, left)
		}
		same(t, w.read().text(), lines(c.want...))
	}
}
