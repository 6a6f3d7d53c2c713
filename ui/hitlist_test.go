package ui

import (
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/list"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

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
		if _, ok := d.m.search.Hits().Find(place); !ok {
			t.Errorf("/%s: %q is not among %d hits", what, name, d.m.search.Hits().Len())
		}
		d.keys("esc")
	}
	// What of it is in the row is lit.
	d.keys("g").search("toJson(src, typeOfSrc", false)
	n, text := d.m.out.cursor.Node, d.cursorText()
	for what, want := range map[string]string{
		"Gson.toJson()": "toJson(", "Gson.toJson": "toJson", "Gson.toJson(src": "toJson(src", "son.toJ": "toJ", "gson": "toJson", "toJson": "toJson",
	} {
		d.m.search.Preview(pattern.New(what, false))
		if lit := d.m.lit(n, text); len(lit) != 1 || text[lit[0][0]:lit[0][1]] != want {
			t.Errorf("/%s lights %v of %q, want %q", what, lit, text, want)
		}
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
	d.keys("esc").has(screen.Plural(int64(d.m.search.Hits().Len()), "hit") + " of /json")
}

// TestSearchThreadNames: the names of threads are found.
func TestSearchThreadNames(t *testing.T) {
	const threads = 3000
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: threads, Seed: 2}), lazy.Options{NoWrite: true})
	d := drive(t, r, 100, 24, Options{})
	want := 0
	for _, thread := range r.Threads() {
		if strings.Contains(thread.Name, "pool-1-thread-2") {
			want++
		}
	}
	if want < 2 {
		t.Fatalf("%d threads have the name: the test shows nothing", want)
	}
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

// TestSearchLimit: a search that stops at its limit of hits says so, and goes on
// from the last one.
func TestSearchLimit(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 120, 24, Options{})
	d.m.search.Most, d.m.search.Every = 5000, 1
	d.search("e", false)
	if n := d.m.search.Hits().Len(); n != 5000 {
		t.Fatalf("%d hits", n)
	}
	d.has("stopped at the limit of 5,000 hits", "% searched; n at the last one searches on", "the limit (")
	d.keys("H").has("5,000 hits of /e, the limit (", "% searched)").keys("G enter")
	last := d.m.out.cursor.Node.Place()
	if d.m.search.Shown() != 5000 {
		t.Fatalf("at hit %d", d.m.search.Shown())
	}
	d.keys("n")
	if d.m.out.cursor.Node.Place().At <= last.At || d.m.search.Shown() != 2 {
		t.Errorf("n went to hit %d at %v, from %v", d.m.search.Shown(), d.m.out.cursor.Node.Place(), last)
	}
	d.m.out.jump(d.m.out.cursor)
	at := d.m.search.Hits().At(0).Place
	for d.m.out.cursor.Node.Place() != at {
		d.keys("N")
	}
	d.keys("N").has("what comes before was not searched")
}
