package ui

import (
	"context"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// TestSearchFindsAll compares the hits with the text of the whole trace.
func TestSearchFindsAll(t *testing.T) {
	r := recorded(t, "gson.dump")
	var text strings.Builder
	if err := r.Print(t.Context(), &text, lazy.PrintOptions{}, lazy.Part{}); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"json", "JSON", "Json", "new .*Writer", "put(", "threw"} {
		p := newPattern(what)
		want := 0
		for _, line := range strings.Split(text.String(), "\n") {
			if !strings.HasPrefix(line, "# Thread") && p.match([]byte(strings.TrimLeft(line, " "))) {
				want++
			}
		}
		d := drive(t, r, 80, 24, Options{})
		d.keys("/").typed(what).keys("enter")
		if got := len(d.m.search.hits); got != want {
			t.Errorf("/%s: %d hits, %d lines of the printed tree", what, got, want)
		}
		if want > 0 && !p.match([]byte(d.cursorText())) {
			t.Errorf("/%s: the cursor is at %q", what, d.cursorText())
		}
	}
}

// TestSearchGoesRound walks through all hits, wraps, and goes back.
func TestSearchGoesRound(t *testing.T) {
	d := drive(t, recorded(t, "threads.stream"), 80, 24, Options{})
	d.keys("/").typed("run()").keys("enter")
	n := len(d.m.search.hits)
	if n < 3 {
		t.Fatalf("%d hits", n)
	}
	first := d.m.out.cursor
	seen := map[lazy.Place]bool{d.m.out.cursor.Node.Place(): true}
	for range n - 1 {
		d.keys("n")
		if !strings.Contains(d.cursorText(), "run()") {
			t.Errorf("at %q", d.cursorText())
		}
		seen[d.m.out.cursor.Node.Place()] = true
	}
	if len(seen) != n {
		t.Errorf("%d different hits of %d", len(seen), n)
	}
	d.keys("n").has("went on from the top", "1 of ")
	if d.m.out.cursor != first {
		t.Error("the first hit is another one the second time")
	}
	d.keys("N").has("went on from the bottom")
	d.keys("2 N")
	if got := d.m.search.shown; got != n-2 {
		t.Errorf("at hit %d of %d", got, n)
	}
	d.keys("esc")
	if d.m.search != nil {
		t.Error("Esc does not end the search")
	}
}

// TestSearchGivenUpSaysNothing: what was said of what was typed goes with it.
func TestSearchGivenUpSaysNothing(t *testing.T) {
	d := drive(t, recorded(t, "gson.dump"), 80, 24, Options{})
	before := d.screen()
	d.keys("/ ( a").has("taken as plain text: ")
	d.keys("esc")
	if d.screen() != before {
		t.Errorf("the screen is another:\n%s", d.screen())
	}
}

// TestSearchSmartCase finds capitals by small letters, not the other way round,
// and takes a wrong expression as text.
func TestSearchSmartCase(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"abc", "xABCx", true}, {"Abc", "xabcx", false}, {"Abc", "xAbcx", true}, {"a.c", "ABC", true},
		{"A.c", "abc", false}, {"put(", "x.put(1)", true}, {"[", "a[0]", true}, {"ä", "Ä", true},
		{"12", "0123", true}, {"^a", "ba", false}, {"run()", "runWorker()", false}, {".run()", "a.run(): 1", true}, {"", "x", true}, {`\(\)$`, "run()", true},
	} {
		if got := newPattern(c.pattern).match([]byte(c.text)); got != c.want {
			t.Errorf("/%s on %q: %v", c.pattern, c.text, got)
		}
	}
	d := drive(t, recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("/").typed("put(").has("taken as plain text: missing closing )")
	if note := newPattern("put(").note; strings.Contains(note, "(?i)") {
		t.Errorf("the note speaks of what nobody typed: %s", note)
	}
}

// TestSearchNothing says that nothing was found, and what to try.
func TestSearchNothing(t *testing.T) {
	d := drive(t, recorded(t, "gson.dump"), 80, 24, Options{})
	row := d.m.out.cursor
	d.keys("/").typed("nowhere to be seen").keys("enter")
	d.has("not found", "nothing found for /nowhere to be seen in 1 thread")
	if d.m.out.cursor != row {
		t.Error("the cursor has moved")
	}
}

// TestSearchIsDropped drops what an older search still finds.
func TestSearchIsDropped(t *testing.T) {
	d := drive(t, recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("/").typed("json").keys("enter")
	hits := len(d.m.search.hits)
	old := found{id: d.m.search.id - 1, hits: make([]lazy.Hit, 100)}
	d.send(old)
	d.send(ordered{id: old.id, order: []int32{7}})
	if len(d.m.search.hits) != hits || len(d.m.search.order) != 1 || d.m.search.order[0] == 7 {
		t.Error("the result of an older search was taken")
	}
	d.send(revealed{id: -1, then: nil})
	d.send(expanded{id: -1})
	if d.m.status.message != "" && strings.Contains(d.m.status.message, "opened") {
		t.Error("the result of an older job was taken")
	}
}

// TestSearchStops stops a search, which keeps what it has found.
func TestSearchStops(t *testing.T) {
	r := openTrace(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 100_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.keys("/").typed("e")
	_, cmd := d.m.Update(press("enter"))
	if !d.m.search.running() {
		t.Fatal("the search does not run in the background")
	}
	d.has("esc stops")
	d.keys("esc").has("stopped")
	d.run(cmd)
	if d.m.search.running() || d.m.search.err != context.Canceled {
		t.Error("the search goes on")
	}
}

// TestSameName goes to the calls of the method under the cursor.
func TestSameName(t *testing.T) {
	d := drive(t, recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("5 j")
	row := d.cursorText()
	if !strings.HasPrefix(row, "new Libs.Track(") {
		t.Fatalf("at %q", row)
	}
	d.keys("*")
	if got := d.cursorText(); !strings.HasPrefix(got, "new Libs.Track(") || got == row {
		t.Errorf("* went to %q", got)
	}
	if d.keys("#"); d.cursorText() != row {
		t.Errorf("# went to %q", d.cursorText())
	}
}

// TestHitList shows hits with their paths, and goes to the chosen one.
func TestHitList(t *testing.T) {
	d := drive(t, recorded(t, "gson.dump"), 100, 24, Options{})
	d.keys("/").typed("JsonWriter(").keys("enter ctrl+l")
	d.has("hits of /JsonWriter(", "Gson.newJsonWriter() < ")
	d.keys("j j k enter")
	if d.m.overlay != nil || !strings.Contains(d.cursorText(), "JsonWriter(") || d.m.search.shown != 2 {
		t.Errorf("at %q, hit %d", d.cursorText(), d.m.search.shown)
	}
	d.keys("ctrl+l / z z z z").has("of the hits that were on the screen, none contains zzzz")
	d.keys("esc esc")
	if d.m.overlay != nil {
		t.Error("Esc does not close the list")
	}
}

// TestHitListFilter looks at the hits that were read alone, and goes to the right
// one.
func TestHitListFilter(t *testing.T) {
	d := drive(t, recorded(t, "gson.dump"), 100, 24, Options{})
	d.keys("/ e enter ctrl+l")
	all, read := len(d.m.search.hits), len(d.m.overlay.(*hitList).known())
	if read < 10 || read > all/10 {
		t.Fatalf("%d of %d hits were read: the test shows nothing", read, all)
	}
	d.keys("/ e")
	if got := d.m.overlay.(*hitList).count(); got != read {
		t.Errorf("%d hits pass the filter, want the %d that were read", got, read)
	}
	d.keys("enter G enter")
	if d.m.overlay != nil || d.m.search.shown != read {
		t.Errorf("at hit %d, want %d", d.m.search.shown, read)
	}
}

// TestHitListReadsWhatItShows opens the list far from its top, and leafs
// through it: each line on the screen says what its hit is.
func TestHitListReadsWhatItShows(t *testing.T) {
	d := drive(t, recorded(t, "gson.dump"), 100, 24, Options{})
	d.keys("/").typed("json").keys("enter N ctrl+l")
	for _, key := range []string{"", "pgup", "g", "pgdown", "G", "k"} {
		d.keys(key)
		if screen := d.screen(); strings.Contains(screen, d.m.spinner()) {
			t.Errorf("after %q there are lines without text:\n%s", key, screen)
		}
	}
}
