package ui

import (
	"strings"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/list"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// filterText is what a filter of the list of hits sees of one, told the plain
// way: the line as the list would show it in a very wide window.
func filterText(t *testing.T, m *Model, hit lazy.Hit) (line, called string) {
	t.Helper()
	n, err := m.out.t.Reveal(t.Context(), hit.Place)
	if err != nil {
		t.Fatal(err)
	}
	var path []string
	for up := n.Parent(); up != nil && len(path) < lazy.PathLength; up = up.Parent() {
		path = append(path, m.shortName(up))
	}
	named := m.out.t.Named(n, false)
	return string(named.Text) + " " + strings.Join(path, lazy.PathSep), named.Call + "()"
}

// TestHitListFilter: a filter looks at all hits, those too that were never on the
// screen, and at all that their lines say.
func TestHitListFilter(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	d.keys("/ e enter H")
	h := d.m.hitList()
	all := h.s.hits.len()
	for _, c := range []struct {
		what string
		expr bool
	}{{"json", false}, {"GsonBuilder.create() < ", false}, {"get.*< loop", true}, {"JsonReader.peek()", false}} {
		p := pattern.New(c.what, c.expr)
		var want []lazy.Hit
		for i := range all {
			if line, called := filterText(t, d.m, h.s.hits.at(i)); p.Match([]byte(line)) || p.Match([]byte(called)) {
				want = append(want, h.s.hits.at(i))
			}
		}
		d.keys("/").typed(c.what)
		if c.expr {
			d.keys("ctrl+r")
		}
		d.keys("enter").has(screen.Grouped(int64(len(want))) + " of " + screen.Plural(int64(all), "hit"))
		if got := h.Count(); got != len(want) || len(want) == 0 || len(want) == all {
			t.Errorf("%s: %d hits pass, want %d of %d", p.Name(80, d.m.g), got, len(want), all)
			continue
		}
		for i, hit := range want {
			if h.hits().at(i) != hit {
				t.Fatalf("%s: hit %d is at %v, want %v", p.Name(80, d.m.g), i, h.hits().at(i), hit)
			}
		}
		d.keys("esc")
	}
	d.keys("/").typed(eventText(h.s.hits.at(all - 1))).keys("enter").has("none of " + screen.Plural(int64(all), "hit")).keys("esc")
	d.keys("/").typed("peek").keys("enter j enter")
	if i, ok := d.m.search.hits.find(d.m.out.cursor.Node.Place()); d.m.overlay != nil || !ok || d.m.search.shown != i+1 {
		t.Errorf("went to hit %d, the cursor is at %d", d.m.search.shown, i+1)
	}
}

// TestHitListFilterReadings: a filter that nothing passes is read the other way
// too, and an expression that is none passes nothing.
func TestHitListFilterReadings(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 24, Options{})
	d.keys("/").typed("json").keys("enter H /").typed("new.*Writer")
	d.has("none of ", "contains new.*Writer; as a regular expression: ")
	d.keys("ctrl+r").has("regex /new.*Writer_")
	h := d.m.hitList()
	if h.Count() == 0 {
		t.Error("nothing passes the expression")
	}
	d.typed("(").has("not a regular expression: a ( is not closed")
	if h.Count() != 0 {
		t.Errorf("%d hits pass what is no expression", h.Count())
	}
	d.keys("esc").has(screen.Plural(int64(h.s.hits.len()), "hit") + " of /json")
}

// TestHitListFills: a list whose hits come before those that it shows fills the
// screen, however they come.
func TestHitListFills(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 100, 24, Options{})
	d.m.seeking.every = 1
	last, err := r.FindFraction(r.Threads()[0].ID, 0.9995)
	if err != nil {
		t.Fatal(err)
	}
	d.run(d.m.beginSearch(pattern.New("(", false), &wanted{from: last, dir: 1, count: 1}))
	d.keys("H /").typed("1")
	h := d.m.hitList()
	after, all := len(h.sift.passed.after), h.sift.passed.len()
	if after == 0 || after >= 20 || all < 200 {
		t.Fatalf("%d of %d hits come after where the search began: the test shows nothing", after, all)
	}
	d.screen()
	height := d.m.overlayHeight(d.m.layout())
	from, to := h.Visible(height)
	if to-from != min(all, height-1) || h.Selected() < from || h.Selected() != all-after {
		t.Errorf("%d hits, the screen has %d from %d on, chosen is %d:\n%s", all, to-from, from, h.Selected(), d.screen())
	}
}

// TestHitListFilterStreams filters while the search is still under way: hits that
// come later are looked at too, and the title says how far the filter is.
func TestHitListFilterStreams(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 100, 24, Options{})
	d.m.seeking.every = 1
	d.keys("/").typed("e")
	update := func(msg any) { d.m.Update(msg) }
	update(uitest.Press("enter"))
	s := d.m.search
	for s.hits.len() == 0 {
		update(s.next()())
	}
	update(uitest.Press("H"))
	update(uitest.Press("/"))
	update(uitest.Press("1"))
	first := d.m.sift
	for first.looked == 0 {
		update(first.next()())
	}
	if !s.running() || first.ended {
		t.Fatal("the search has ended: the test shows nothing")
	}
	d.has("% looked at", "so far")
	// Another filter ends the one before.
	update(uitest.Press("2"))
	f := d.m.sift
	if f == first || first.ctx.Err() == nil {
		t.Error("the filter before goes on")
	}
	for s.running() {
		update(s.next()())
	}
	for !f.ended {
		update(f.next()())
	}
	if f.err != nil {
		t.Fatal(f.err)
	}
	want := 0
	for i := range s.hits.len() {
		if line, called := filterText(t, d.m, s.hits.at(i)); strings.Contains(line, "12") || strings.Contains(called, "12") {
			want++
		}
	}
	if f.passed.len() != want || want == 0 || f.looked != s.hits.len() {
		t.Errorf("%d of %d hits pass, %d looked at; want %d", f.passed.len(), s.hits.len(), f.looked, want)
	}
	if strings.Contains(d.screen(), "looked at") {
		t.Errorf("the filter has ended, and the screen says how far it is:\n%s", d.screen())
	}
	// The list closed, nothing goes on.
	update(uitest.Press("3"))
	f = d.m.sift
	update(uitest.Press("enter"))
	update(uitest.Press("q"))
	if d.m.overlay != nil || f.ctx.Err() == nil || d.m.sift != nil {
		t.Error("the filter goes on though the list is closed")
	}
}

// TestHitsKeepOrder adds hits from a search that began in the middle.
func TestHitsKeepOrder(t *testing.T) {
	at := func(thread int32, at int64) lazy.Hit { return lazy.Hit{Place: lazy.Place{Thread: thread, At: at}} }
	h := hitSet{origin: lazy.Place{Thread: 1, At: 50}}
	h.add([]lazy.Hit{at(1, 50), at(1, 70), at(3, -1)})
	kept := h.after
	if first, by := h.add([]lazy.Hit{at(3, 5), at(0, -1), at(0, 9), at(1, 2)}); first != 0 || by != 3 {
		t.Errorf("moved %d from %d", by, first)
	}
	for i := range h.len() {
		if j, exact := h.find(h.at(i).Place); j != i || !exact {
			t.Errorf("hit %d is found at %d", i, j)
		}
		if i > 0 && compare(h.at(i-1).Place, h.at(i).Place) >= 0 {
			t.Errorf("hit %d is out of order", i)
		}
	}
	if i, exact := h.find(lazy.Place{Thread: 2}); i != 5 || exact {
		t.Errorf("where none is: %d", i)
	}
	if len(kept) != 3 || kept[2] != at(3, -1) {
		t.Error("a slice of hits has changed")
	}
}

// TestSearchFromTheCursor: the next hit is known as soon as the search has come
// to it, wherever it began, the one before not until all between is searched.
func TestSearchFromTheCursor(t *testing.T) {
	at := func(thread int32, at int64) lazy.Place { return lazy.Place{Thread: thread, At: at} }
	s := newSearch(1, pattern.New("x", false), at(1, 50))
	pick := func(from lazy.Place, dir int) (lazy.Place, bool) {
		i, _, ok := s.pick(&wanted{from: from, dir: dir, count: 1})
		if !ok {
			return lazy.Place{}, false
		}
		return s.hits.at(i).Place, true
	}
	news := func(upto lazy.Place, places ...lazy.Place) {
		f := lazy.Found{Upto: upto}
		for _, p := range places {
			f.Hits = append(f.Hits, lazy.Hit{Place: p})
		}
		s.take(f, maxHits)
	}
	check := func(from lazy.Place, dir int, want lazy.Place, ok bool) {
		t.Helper()
		if got, known := pick(from, dir); known != ok || ok && got != want {
			t.Errorf("from %v in direction %d: %v %v, want %v %v", from, dir, got, known, want, ok)
		}
	}
	news(at(1, 80), at(1, 60), at(1, 70))
	check(at(1, 50), 1, at(1, 60), true)
	check(at(1, 65), 1, at(1, 70), true)
	check(at(1, 75), -1, at(1, 70), true)
	check(at(1, 70), 1, lazy.Place{}, false)  // more may come
	check(at(1, 90), -1, lazy.Place{}, false) // not searched yet
	check(at(1, 20), 1, lazy.Place{}, false)  // nor what is before 60
	news(at(2, 10), at(2, 5))
	check(at(1, 70), 1, at(2, 5), true)
	news(at(0, 40), at(0, 30))
	check(at(0, 10), 1, at(0, 30), true)
	check(at(0, 30), 1, lazy.Place{}, false)
	check(at(0, 39), -1, at(0, 30), true)
	check(at(1, 60), -1, lazy.Place{}, false)
	s.ended = true
	check(at(1, 60), -1, at(0, 30), true)
	check(at(2, 5), 1, at(0, 30), true) // round
}

// TestSearchBackwards: what comes before is gone to when the search has come to
// where it was asked for, not only when it has gone round.
func TestSearchBackwards(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 100, 24, Options{})
	d.m.seeking.every = 1
	d.keys("l j j l j j")
	from, ok := d.m.here()
	if !ok || from.At <= 0 {
		t.Fatalf("at %v: the test shows nothing", from)
	}
	d.m.beginSearch(pattern.New("(", false), &wanted{from: from, dir: -1, count: 1})
	s := d.m.search
	for s.want != nil && s.running() {
		d.m.Update(s.next()())
	}
	if !s.running() || s.shown == 0 || compare(s.hits.at(s.shown-1).Place, from) >= 0 {
		t.Errorf("running %v, at hit %d", s.running(), s.shown)
	}
}

// TestSearchManyThreads: the news of a search does not grow with the threads, and
// their names are found.
func TestSearchManyThreads(t *testing.T) {
	const threads = 3000
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: threads, Seed: 2}), lazy.Options{NoWrite: true})
	d := drive(t, r, 100, 24, Options{})
	d.m.seeking.every = time.Hour
	d.keys("/").typed("pool-1-thread-2")
	d.m.Update(uitest.Press("enter"))
	s, news := d.m.search, 0
	for s.running() {
		d.m.Update(s.next()())
		news++
	}
	if news > 3 {
		t.Errorf("%d messages of a search through %d threads", news, threads)
	}
	want := 0
	for _, thread := range r.Threads() {
		if strings.Contains(thread.Name, "pool-1-thread-2") {
			want++
		}
	}
	if got := s.hits.len(); got != want || want < 2 {
		t.Fatalf("%d threads are found by name, want %d", got, want)
	}
	d.m.seeking.every = 0
	d.keys("g").search("pool-1-thread-2", false).has("1 of " + screen.Grouped(int64(want)))
	if n := d.m.out.cursor.Node; !n.IsThread() || !strings.Contains(d.cursorText(), "pool-1-thread-2") {
		t.Errorf("the cursor is at %q", d.cursorText())
	}
	first := d.cursorText()
	if d.keys("n"); d.cursorText() == first || !d.m.out.cursor.Node.IsThread() {
		t.Errorf("n went to %q", d.cursorText())
	}
	d.keys("H").has(first)
}

// TestThreadListFilter: a filter of very many threads looks at their names alone,
// and, as more is typed, at those alone that passed before.
func TestThreadListFilter(t *testing.T) {
	const threads = 3000
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: threads, Seed: 2}), lazy.Options{NoWrite: true})
	d := drive(t, r, 100, 24, Options{})
	d.keys("t")
	l := d.m.overlay.overlay.(*list.List)
	items, texts, line, text := 0, 0, l.Item, l.Text
	l.Item = func(i int) list.Item { items++; return line(i) }
	l.Text = func(i int) []byte { texts++; return text(i) }
	d.keys("/").typed("-29")
	if items > 100 {
		t.Errorf("%d lines were made", items)
	}
	if texts > 5*threads/2 {
		t.Errorf("%d names were looked at", texts)
	}
	d.has(screen.Grouped(int64(l.Count())) + " of " + screen.Plural(threads, "thread"))
	if got, want := l.Count(), 1+10+100; got != want {
		t.Errorf("%d threads pass, want %d", got, want)
	}
	d.keys("enter j enter")
	if !strings.Contains(d.cursorText(), "thread-29") {
		t.Errorf("at %q", d.cursorText())
	}
}

// TestSearchByName: what the path line and the details call a call finds it.
func TestSearchByName(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	d.search("toJson(src, typeOfSrc", false)
	name := d.m.shortName(d.m.out.cursor.Node)
	if strings.Contains(d.cursorText(), "Gson.toJson") || name != "Gson.toJson()" {
		t.Fatalf("%q is called %s: the test shows nothing", d.cursorText(), name)
	}
	place := d.m.out.cursor.Node.Place()
	for _, what := range []string{"Gson.toJson()", "Gson.toJson(", "gson.tojson", "Gson.toJson(src, typeOf"} {
		d.keys("g").search(what, false)
		if _, ok := d.m.search.hits.find(place); !ok {
			t.Errorf("/%s: %q is not among %d hits", what, name, d.m.search.hits.len())
		}
		d.keys("esc")
	}
	// What of it is in the row is lit.
	d.keys("g").search("toJson(src, typeOfSrc", false)
	n, text := d.m.out.cursor.Node, d.cursorText()
	for what, want := range map[string]string{
		"Gson.toJson()": "toJson(", "Gson.toJson": "toJson", "Gson.toJson(src": "toJson(src", "son.toJ": "toJ", "gson": "toJson", "toJson": "toJson",
	} {
		d.m.search.p = pattern.New(what, false)
		if lit := d.m.lit(n, text); len(lit) != 1 || text[lit[0][0]:lit[0][1]] != want {
			t.Errorf("/%s lights %v of %q, want %q", what, lit, text, want)
		}
	}
}

// TestSearchLimit: a search that stops at its limit of hits says so, and goes on
// from the last one.
func TestSearchLimit(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 120, 24, Options{})
	d.m.seeking = seeking{most: 5000, every: 1}
	d.search("e", false)
	s := d.m.search
	if !s.full || s.hits.len() != 5000 {
		t.Fatalf("%d hits", s.hits.len())
	}
	d.has("stopped at the limit of 5,000 hits", "% searched; n at the last one searches on", "the limit (")
	d.keys("H").has("5,000 hits of /e, the limit (", "% searched)").keys("G enter")
	last := d.m.out.cursor.Node.Place()
	if d.m.search.shown != s.hits.len() {
		t.Fatalf("at hit %d", d.m.search.shown)
	}
	d.keys("n")
	if d.m.search == s || compare(d.m.out.cursor.Node.Place(), last) <= 0 || d.m.search.shown != 2 {
		t.Errorf("n went to hit %d at %v, from %v", d.m.search.shown, d.m.out.cursor.Node.Place(), last)
	}
	d.m.out.jump(d.m.out.cursor)
	at := d.m.search.hits.at(0).Place
	for d.m.out.cursor.Node.Place() != at {
		d.keys("N")
	}
	d.keys("N").has("what comes before was not searched")
}
