package ui

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/uitest"
)

// search types a text, or with expr a regular expression, and searches.
func (d *driver) search(what string, expr bool) *driver {
	d.keys("/").typed(what)
	if expr {
		d.keys("ctrl+r")
	}
	return d.keys("enter")
}

// TestSearchFindsAll compares the hits with the text of the whole trace. Other hits have a
// name that matches.
func TestSearchFindsAll(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	var text strings.Builder
	if err := r.Print(t.Context(), &text, lazy.PrintOptions{}, lazy.PrintRange{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		expr bool
	}{{"json", false}, {"JSON", false}, {"Json", false}, {"new .*Writer", true}, {"put(", false}, {"threw", false}, {`put\(|threw`, true}} {
		p := pattern.New(c.what, c.expr)
		want := 0
		for _, line := range strings.Split(text.String(), "\n") {
			if !strings.HasPrefix(line, "# Thread") && p.Match([]byte(strings.TrimLeft(line, " "))) {
				want++
			}
		}
		d := drive(t, r, 80, 24, Options{})
		d.search(c.what, c.expr)
		got := 0
		for i := range d.m.search.Hits().Len() {
			n, err := d.m.tree.Out.Tree.Reveal(t.Context(), d.m.search.Hits().At(i).Position)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := d.m.tree.Out.Text(n)
			switch named := d.named(n); {
			case p.Match([]byte(text)):
				got++
			case !p.Match([]byte(named.Call + "()")):
				t.Errorf("%s: found %q, a call of %s", p.Name(80, d.m.env.Glyphs.Glyphs), text, named.Call)
			}
		}
		if got != want {
			t.Errorf("%s: %d hits, %d lines of the printed tree", p.Name(80, d.m.env.Glyphs.Glyphs), got, want)
		}
		if named := d.named(d.m.tree.Out.Cursor.Node); want > 0 && !named.Match(p.Find, p.Limits) {
			t.Errorf("%s: the cursor is at %q", p.Name(80, d.m.env.Glyphs.Glyphs), d.cursorText())
		}
	}
}

// TestSearchGoesRound walks through all hits, wraps, and goes back.
func TestSearchGoesRound(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 80, 24, Options{})
	d.keys("/").typed("run()").keys("enter")
	n := d.m.search.Hits().Len()
	if n < 3 {
		t.Fatalf("%d hits", n)
	}
	first := d.m.tree.Out.Cursor
	seen := map[lazy.Position]bool{d.m.tree.Out.Cursor.Node.Position(): true}
	for range n - 1 {
		d.keys("n")
		if !strings.Contains(d.cursorText(), "run()") {
			t.Errorf("at %q", d.cursorText())
		}
		seen[d.m.tree.Out.Cursor.Node.Position()] = true
	}
	if len(seen) != n {
		t.Errorf("%d different hits of %d", len(seen), n)
	}
	d.keys("n").has("search wrapped to the top", "1 of ")
	if d.m.tree.Out.Cursor != first {
		t.Error("the first hit is another one the second time")
	}
	d.keys("N").has("search wrapped to the bottom")
	d.keys("2 N")
	if got := hitShown(d); got != n-2 {
		t.Errorf("at hit %d of %d", got, n)
	}
	d.keys("esc")
	if d.m.search.Some() {
		t.Error("Esc does not end the search")
	}
}

// TestSearchGivenUpSaysNothing: the message about a text typed disappears with the text.
func TestSearchGivenUpSaysNothing(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	before := d.screen()
	d.keys("/ ( a ctrl+r").has("a ( is not closed")
	d.keys("esc")
	if d.screen() != before {
		t.Errorf("the screen is another:\n%s", d.screen())
	}
}

// TestSearchExpression: the prompt shows how the text is read, and does not accept an
// invalid expression.
func TestSearchExpression(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	last := func() string {
		lines := strings.Split(strings.TrimSpace(d.screen()), "\n")
		return lines[len(lines)-1]
	}
	d.keys("/").typed("put(")
	if got := last(); !strings.HasPrefix(got, "/put(") || !strings.HasSuffix(got, "Ctrl-R regex") {
		t.Errorf("the prompt is %q", got)
	}
	d.keys("ctrl+r")
	if got := last(); !strings.HasPrefix(got, "regex /put(") || !strings.Contains(got, "not complete: a ( is not closed") {
		t.Errorf("the prompt is %q", got)
	}
	if d.keys("enter"); d.m.env.Front.Prompt() == nil {
		t.Fatal("what is no expression was taken")
	}
	d.typed("|x)")
	if got := last(); !strings.HasPrefix(got, "regex /put(|x)") || !strings.HasSuffix(got, "Ctrl-R text") {
		t.Errorf("the prompt is %q", got)
	}
	d.keys("enter").has("regex /put(|x)  1 of ")
	// The next text is plain again; earlier texts keep their reading.
	if d.keys("/"); d.m.env.Front.Prompt().Text().Expr {
		t.Error("a new search begins as an expression")
	}
	if d.keys("up"); !d.m.env.Front.Prompt().Text().Expr || d.m.env.Front.Prompt().Text().Text != "put(|x)" {
		t.Errorf("brought back %q, expression %v", d.m.env.Front.Prompt().Text().Text, d.m.env.Front.Prompt().Text().Expr)
	}
	if d.keys("down"); d.m.env.Front.Prompt().Text().Expr {
		t.Error("what was typed last is an expression")
	}
}

// TestSearchOtherReading: a search does not report that nothing was found if the other reading
// of the text would find something.
func TestSearchOtherReading(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	hits := func(what string, expr bool) int {
		d := drive(t, r, 80, 24, Options{})
		d.search(what, expr)
		return d.m.search.Hits().Len()
	}
	for _, c := range []struct {
		typed   string
		expr    bool
		n       int
		finding string
	}{
		{"Json.*riter", false, hits("Json.*riter", true), "as a regular expression"},
		{"put(\"bars\"", false, hits("put(\"bars\"", false), ""},
		{"setHtmlSafe(htmlSafe)", true, 0, ""}, // a value is between the two
		{"[iterat", false, 0, ""},
		{"toJson(src, Track.class)", true, hits("toJson(src, Track.class)", false), "as text"},
	} {
		d := drive(t, r, 120, 24, Options{})
		before := d.m.tree.Out.Cursor
		d.search(c.typed, c.expr)
		if c.finding == "" {
			if strings.Contains(d.screen(), "; as ") || d.m.search.Hits().Len() != c.n {
				t.Errorf("%s: %d hits:\n%s", c.typed, d.m.search.Hits().Len(), d.screen())
			}
			continue
		}
		if c.n == 0 || d.m.tree.Out.Cursor != before {
			t.Fatalf("%s: %d hits read otherwise, the cursor at %q: the test shows nothing", c.typed, c.n, d.cursorText())
		}
		d.has(display.Plural(int64(c.n), "hit")+" "+c.finding, "not found "+pattern.New(c.typed, c.expr).Reading()+"; "+c.finding+": "+display.Plural(int64(c.n), "hit"))
		d.keys("n").has(" 1 of " + display.Grouped(int64(c.n)))
		if d.m.search.Pattern().Expr == c.expr || d.m.search.Hits().Len() != c.n {
			t.Errorf("%s: continued with %d hits, want %d", c.typed, d.m.search.Hits().Len(), c.n)
		}
	}
}

// TestSearchNothing: the message tells that nothing was found, and what to try.
func TestSearchNothing(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	row := d.m.tree.Out.Cursor
	d.keys("/").typed("nowhere to be seen").keys("enter")
	d.has("not found", "nothing found for /nowhere to be seen in 1 thread")
	d.keys("esc").search("nowhere to be seen", false).keys("M")
	if d.has("nothing found for /nowhere to be seen in 1 thread"); d.m.env.Front.List() != nil {
		t.Error("M opens a list of nothing")
	}
	if d.m.tree.Out.Cursor != row {
		t.Error("the cursor has moved")
	}
}

// TestSearchNothingHints offers only what may help: the raw trace if folding hides something,
// lower case if there are capitals.
func TestSearchNothingHints(t *testing.T) {
	const raw, small = "r shows the raw trace", "a lower-case pattern ignores case"
	for _, c := range []struct {
		r      *lazy.LazyTraceReader
		typed  string
		offers string
	}{
		{uitest.Recorded(t, "kotlin.dump"), "98765432123", raw},
		{uitest.Recorded(t, "kotlin.dump"), "nowhere to be seen", ""}, // nor is it in what is hidden
		{uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.WideLeaves, N: 100, Seed: 1}), lazy.Options{NoWrite: true}), "nowhere to be seen", ""},
		{uitest.Recorded(t, "gson.dump"), "Nowhere to be seen", small},
	} {
		d := drive(t, c.r, 140, 24, Options{})
		d.search(c.typed, false).has("nothing found for")
		for _, hint := range []string{raw, small} {
			if got := strings.Contains(d.screen(), hint); got != (hint == c.offers) {
				t.Errorf("/%s: says %q is %v:\n%s", c.typed, hint, got, d.screen())
			}
		}
	}
}

// TestSearchSameMethod: calls of methods of other classes with the same name are not calls of
// the same method.
func TestSearchSameMethod(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "kotlin.dump"), 120, 24, Options{})
	d.search("JobSupport.getState(", false)
	called := func() string { return d.named(d.m.tree.Out.Cursor.Node).Call }
	name := called()
	byName := d.m.search.Hits().Len()
	d.search("getState(", false)
	if name != "JobSupport.getState" || d.m.search.Hits().Len() <= byName {
		t.Fatalf("%d calls of %q, %d of getState: the test shows nothing", byName, name, d.m.search.Hits().Len())
	}
	d.search("JobSupport.getState(", false)
	d.keys("*").has("calls of JobSupport.getState")
	if got := d.m.search.Hits().Len(); got != byName {
		t.Errorf("%d hits, want %d", got, byName)
	}
	for range byName {
		if called() != name {
			t.Fatalf("* went to %q", called())
		}
		if text := d.cursorText(); len(d.m.search.Highlight(d.m.tree.Out.Cursor.Node, text, nil)) == 0 {
			t.Errorf("nothing of %q is lit", text)
		}
		d.keys("*")
	}
	d.keys("M").has("calls of JobSupport.getState")
}

// TestSearchStops stops a search, which keeps its hits.
func TestSearchStops(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 100_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.keys("/").typed("e")
	_, cmd := d.m.Update(keys.Press("enter"))
	if !d.m.search.Running() {
		t.Fatal("the search does not run in the background")
	}
	d.has("Esc stops")
	d.keys("esc").has("stopped")
	d.run(cmd)
	if d.m.search.Running() {
		t.Error("the search continues")
	}
	d.has("stopped at ")
}

// TestSameName goes to the calls of the method under the cursor.
func TestSameName(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
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

// TestSearchSaysWhyItEnded searches a file that was truncated while it was open.
func TestSearchSaysWhyItEnded(t *testing.T) {
	path := formattest.Unpack(t, "flat.stream.bin", "flat.stream.bin.idx")
	d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 200, 24, Options{})
	if err := os.Truncate(path, 100_000); err != nil {
		t.Skip("a file that is open cannot be cut short here: ", err)
	}
	d.keys("/").typed("not to be found").keys("enter")
	d.has("stopped at", "then: offset", "cut short")
}

// TestSlideToHit: a match is visible even if its row is longer than the screen is wide.
func TestSlideToHit(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "kotlin.stream"), 40, 20, Options{})
	d.keys("/").typed("Point@23076423").keys("enter")
	line := ""
	for _, l := range strings.Split(d.screen(), "\n") {
		if strings.HasPrefix(l, "▌") {
			line = l
		}
	}
	if !strings.Contains(line, "Point@23076423") || !strings.Contains(d.cursorText(), "new Point(1, 0, 2, null): Point@23076423") {
		t.Errorf("at %q, drawn as %q", d.cursorText(), line)
	}
	d.keys("g").typed("").keys("/").typed("new Point(3").keys("enter").has("new Point(3, 4)")
}

// TestSearchByName: the names of a call in the path line and the details find it.
func TestSearchByName(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	d.search("toJson(src, typeOfSrc", false)
	name := d.m.tree.Out.ShortName(d.m.tree.Out.Cursor.Node)
	if strings.Contains(d.cursorText(), "Gson.toJson") || name != "Gson.toJson()" {
		t.Fatalf("%q is called %s: the test shows nothing", d.cursorText(), name)
	}
	position := d.m.tree.Out.Cursor.Node.Position()
	for _, what := range []string{"Gson.toJson()", "Gson.toJson(", "gson.tojson", "Gson.toJson(src, typeOf"} {
		d.keys("g").search(what, false)
		if _, ok := d.m.search.Hits().Find(position); !ok {
			t.Errorf("/%s: %q is not among %d hits", what, name, d.m.search.Hits().Len())
		}
		d.keys("esc")
	}
	// The part in the row is highlighted.
	d.keys("g").search("toJson(src, typeOfSrc", false)
	n, text := d.m.tree.Out.Cursor.Node, d.cursorText()
	for what, want := range map[string]string{
		"Gson.toJson()": "toJson(", "Gson.toJson": "toJson", "Gson.toJson(src": "toJson(src", "son.toJ": "toJ", "gson": "toJson", "toJson": "toJson",
	} {
		d.m.search.Preview(pattern.New(what, false))
		if lit := d.m.search.Highlight(n, text, nil); len(lit) != 1 || text[lit[0][0]:lit[0][1]] != want {
			t.Errorf("/%s lights %v of %q, want %q", what, lit, text, want)
		}
	}
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
	d.keys("g").search("pool-1-thread-2", false).has("1 of " + display.Grouped(int64(want)))
	if n := d.m.tree.Out.Cursor.Node; !n.IsThread() || !strings.Contains(d.cursorText(), "pool-1-thread-2") {
		t.Errorf("the cursor is at %q", d.cursorText())
	}
	first := d.cursorText()
	if d.keys("n"); d.cursorText() == first || !d.m.tree.Out.Cursor.Node.IsThread() {
		t.Errorf("n went to %q", d.cursorText())
	}
	d.keys("M").has(first)
}

// TestSuperIsNoNew: calls of constructors on the object itself are named as in the tree, in
// searches, paths and hits.
func TestSuperIsNoNew(t *testing.T) {
	r := uitest.Open(t, formattest.Unpack(t, "shapes.v27.stream.bin"), lazy.Options{NoWrite: true})
	for _, needle := range []string{"new Shapes.Base(", "super@Shapes.Base(", "super@demo.Shapes$Base("} {
		p := pattern.New(needle, false)
		text := strings.Replace(needle, "demo.Shapes$", "Shapes.", 1)
		want, got := 0, 0
		for _, row := range uitest.EveryRow(t, r, true) {
			if strings.Contains(row.Text, text) {
				want++
			}
		}
		if err := r.Search(t.Context(), lazy.Search{Folded: true, Find: p.Find, Limits: p.Limits}, func(f lazy.Found) { got += len(f.Hits) }); err != nil {
			t.Fatal(err)
		}
		if got != want || want == 0 {
			t.Errorf("%q: %d hits, want %d", needle, got, want)
		}
	}
	d := drive(t, r, 120, 24, Options{})
	d.keys(": 1 7 4 enter")
	d.has("new Shapes.Leaf() › super@Shapes.Mid() › super@Shapes.Base() › super@Object()")
	// The constructor under the cursor is found however it was called.
	d.keys(": 1 7 3 enter *").has("calls of the constructor of Shapes.Base")
	if n := d.m.search.Hits().Len(); n != 7 {
		t.Errorf("%d calls of the constructor", n)
	}
	d.keys("M").has("super@Shapes.Base(a=6)", "new Shapes.Base(")
}

// TestSearchStays: a search is made again where another view of the trace is shown, raw or with steps.
func TestSearchStays(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 30, Options{})
	d.search("getAdapter", false)
	at := d.cursorText()
	for _, keys := range []string{"r", "r", "z", "Z"} {
		d.keys(keys)
		if text := d.m.search.Pattern(); text == nil || text.Text != "getAdapter" {
			t.Fatalf("%s: no search is left", keys)
		}
		if got := d.cursorText(); got != at {
			t.Errorf("%s: the cursor goes to %q", keys, got)
		}
		d.keys("n").has("getAdapter")
		if !strings.Contains(d.cursorText(), "getAdapter") {
			t.Errorf("%s n: the cursor is on %q", keys, d.cursorText())
		}
		d.keys("[")
	}
}

// TestHitAtCursor: the number of the hit is that of the one that the cursor is on, however it came there.
func TestHitAtCursor(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 30, Options{})
	d.search("getAdapter", false)
	d.has(" 1 of ").keys("n").has(" 2 of ").keys("[").has(" 1 of ").keys("]").has(" 2 of ").keys("n n").has(" 4 of ").keys("[ [").has(" 2 of ")
}

// hitShown returns the number of the hit last gone to, as the screen tells it; 0 if none.
func hitShown(d *driver) (n int) {
	_, text, _ := strings.Cut(d.m.search.Text(1000), "  ")
	if at, _, ok := strings.Cut(text, " of "); ok {
		n, _ = strconv.Atoi(strings.ReplaceAll(at, ",", ""))
	}
	return n
}
