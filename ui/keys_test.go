package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
	"tracex/ui/internal/tour"
	"tracex/ui/internal/uitest"
)

// TestKeyMap holds what the key map promises: no key twice, each with help.
func TestKeyMap(t *testing.T) {
	seen := make(map[string]string)
	for _, b := range bindings() {
		if b.help == "" || b.group == "" || b.do == nil {
			t.Errorf("%v: help, group or action is missing", b.keys)
		}
		for _, k := range b.keys {
			if other, ok := seen[k]; ok {
				t.Errorf("key %s does both %q and %q", k, other, b.help)
			}
			seen[k] = b.help
			if len(k) == 1 && k[0] >= '0' && k[0] <= '9' {
				t.Errorf("key %s would never come: digits are counts", k)
			}
		}
	}
}

// TestHelpHasAllKeys shows each line of the key map in help.
func TestHelpHasAllKeys(t *testing.T) {
	var text strings.Builder
	for _, it := range helpItems(bindings(), &screen.Unicode) {
		text.WriteString(it.Text() + "\n")
	}
	for _, b := range bindings() {
		if len([]rune(b.help)) > 80-22 {
			t.Errorf("help of %v is cut in a window of 80", b.keys)
		}
		if !strings.Contains(text.String(), b.help) {
			t.Errorf("help says nothing of %v", b.keys)
		}
		for _, k := range b.keys {
			if !strings.Contains(text.String(), screen.KeyName(k, &screen.Unicode)) {
				t.Errorf("help does not name %s", k)
			}
		}
	}
}

// TestAllKeysWork presses each key at several places: none may be unknown, and
// each leaves a whole screen.
func TestAllKeysWork(t *testing.T) {
	r := uitest.Recorded(t, "threads.stream")
	for _, b := range bindings() {
		for _, k := range b.keys {
			for _, before := range []string{"", "j j", "G", "j l d / t enter"} {
				d := drive(t, r, 80, 24, Options{})
				d.keys(before).keys(k)
				if k == "q" || k == "ctrl+c" {
					if !d.quit {
						t.Errorf("%s does not quit", k)
					}
					continue
				}
				if d.quit {
					t.Errorf("%s quits", k)
				}
				if strings.Contains(d.screen(), "no key") {
					t.Errorf("%s is not known", k)
				}
			}
		}
	}
}

func TestUnknownKey(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("Q").has("Q is not bound (? for help)")
	d.fire(status.Faded{})
	if strings.Contains(d.screen(), "no key") {
		t.Error("the message does not fade")
	}
}

// TestCounts types numbers before keys.
func TestCounts(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	row := func(want int) {
		t.Helper()
		first, _ := d.m.out.t.First()
		n := 1
		for r := first; r != d.m.out.cursor; n++ {
			var ok bool
			if r, ok = d.m.out.t.Next(r); !ok {
				t.Fatal("the cursor is on no row")
			}
		}
		if n != want {
			t.Errorf("the cursor is at row %d, not %d", n, want)
		}
	}
	row(2)
	d.keys("5 j")
	row(7)
	d.keys("1 0 j 3 k")
	row(14)
	d.keys("2 0 G")
	row(20)
	d.keys("g")
	row(1)
	d.keys("9 9 9 9 9 9 9 9 9 9 9 9 j")
	row(37)
	d.keys("3 0 g")
	row(30)
}

// TestDepth opens to a depth with a lone digit, which waits for a key that it
// may be meant for.
func TestDepth(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("2")
	before := d.m.out.t.Stats().Loaded
	d.fire(depth{})
	if after := d.m.out.t.Stats().Loaded; after <= before {
		t.Errorf("%d rows loaded before, %d after", before, after)
	}
	deepest := func() (deepest int) {
		r, ok := d.m.out.t.First()
		for ; ok; r, ok = d.m.out.t.Next(r) {
			deepest = max(deepest, r.Depth)
		}
		return deepest
	}
	// The cursor is at depth 1: two levels below it.
	if got := deepest(); got != 3 {
		t.Errorf("rows down to depth %d, not 3", got)
	}
	d.keys("1")
	d.fire(depth{})
	if got := deepest(); got != 2 {
		t.Errorf("rows down to depth %d, not 2", got)
	}
	d.keys("3 j")
	d.fire(depth{})
	if got := deepest(); got != 2 {
		t.Errorf("a digit that was used as a count opened to depth %d", got)
	}
}

// TestMouse clicks and turns the wheel.
func TestMouse(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(20, 7)
	if got := d.cursorText(); !strings.Contains(got, ".create()") {
		t.Fatalf("the click went to %q", got)
	}
	n := d.m.out.cursor.Node
	click(20, 7)
	if !d.m.out.t.IsExpanded(n) {
		t.Error("a double click does not expand")
	}
	click(6, 7)
	if d.m.out.t.IsExpanded(n) {
		t.Error("a click on the mark does not close")
	}
	top := d.m.out.rows[0]
	d.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if d.m.out.rows[0] == top || d.m.out.cursor.Node != n {
		t.Error("the wheel does not scroll, or moves the cursor")
	}
	d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if d.m.out.rows[0] != top {
		t.Error("the wheel does not scroll back")
	}
	for _, o := range []Options{{}, {NoMouse: true}} {
		want := tea.MouseModeCellMotion
		if o.NoMouse {
			want = tea.MouseModeNone
		}
		if got := drive(t, d.m.r, 80, 24, o).m.View().MouseMode; got != want {
			t.Errorf("%+v: mouse mode %v", o, got)
		}
	}
}

// TestStepsBack: Ctrl-C in a prompt gives up what is typed, and Esc behind a
// number the number alone.
func TestStepsBack(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("/ J s o n enter")
	what := d.m.search.Pattern()
	d.keys("/ x ctrl+c")
	if d.quit || d.m.prompt != nil || d.m.search.Pattern() != what {
		t.Errorf("quit %v, prompt %v, search %v", d.quit, d.m.prompt, d.m.search.Pattern())
	}
	d.keys("5 0 esc")
	if d.m.search.Pattern() != what || d.m.count.digits > 0 {
		t.Errorf("search %v, number %v", d.m.search.Pattern(), d.m.count)
	}
	d.keys("esc")
	if d.m.search.Some() {
		t.Error("Esc does not end the search")
	}
	d.keys(": 7")
	d.resize(20, 5)
	d.keys("ctrl+c")
	if !d.quit {
		t.Error("a window that is too small cannot be left")
	}
}

// TestRecall: up and down bring back what was typed into the same sort of prompt.
func TestRecall(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	typed := func() string { return d.m.prompt.Text().Text }
	d.keys("/ a b enter / c d enter / a b enter : 5 enter / x")
	for _, c := range [][2]string{{"up", "ab"}, {"up", "cd"}, {"up", "cd"}, {"down", "ab"}, {"down", "x"}, {"down", "x"}, {"ctrl+p", "ab"}} {
		if d.keys(c[0]); typed() != c[1] {
			t.Errorf("after %s: %q, want %q", c[0], typed(), c[1])
		}
	}
	if d.m.search.Pattern().Source != "ab" {
		t.Errorf("%q is looked for while ab is shown", d.m.search.Pattern().Source)
	}
	d.keys("y ctrl+n ctrl+p")
	if typed() != "aby" {
		t.Errorf("%q: what was changed is lost", typed())
	}
	d.keys("esc : up")
	if typed() != "5" {
		t.Errorf("%q in another sort of prompt", typed())
	}
}

// TestHistory goes back and forth through the places that were left.
func TestHistory(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("j j j")
	here := d.cursorText()
	d.keys(": 5 0 % enter")
	there := d.cursorText()
	d.keys("G")
	last := d.cursorText()
	for i, step := range []struct{ key, want string }{
		{"[", there}, {"[", here}, {"]", there}, {"]", last}, {"[", there}, {"[", here},
	} {
		d.keys(step.key)
		if got := d.cursorText(); got != step.want {
			t.Errorf("step %d, %s: at %q, not %q", i, step.key, got, step.want)
		}
	}
	d.keys("[").has("nothing further back")
}

// TestGoTo types places.
func TestGoTo(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 80, 24, Options{})
	d.keys(":").typed("event 42").keys("enter")
	if p := d.m.out.cursor.Node.Point(); p == nil || p.Event != 42 {
		t.Errorf("at %q", d.cursorText())
	}
	d.keys(":").typed("t3").keys("enter")
	if n := d.m.out.cursor.Node; !n.IsThread() || n.Thread() != 2 {
		t.Errorf("at %q", d.cursorText())
	}
	d.keys(":").typed("100%").keys("enter")
	if n := d.m.out.cursor.Node; n.Thread() != 2 || n.Position() < 0.4 {
		t.Errorf("at %q, %f", d.cursorText(), n.Position())
	}
	if strings.Contains(d.screen(), "past the end") {
		t.Error("100% is past the end")
	}
	end := d.cursorText()
	d.keys(":").typed("150%").keys("enter").has("150% is past the end of the thread: this is the end")
	if got := d.cursorText(); got != end {
		t.Errorf("at %q, want %q", got, end)
	}
	d.keys(":").typed("thread 99").keys("enter").has("no thread 99: they are 1 to 6")
	d.keys(":").typed("999,999,999").keys("enter").has("no event 999999999 in the trace")
	d.keys(":").typed("somewhere").keys("enter").has("somewhere: no such place")
	d.keys(": esc").has("? keys")
	if d.keys(":").typed("q").keys("enter"); !d.quit {
		t.Error(":q does not quit")
	}
}

// TestTourShowsPlace: where a row is in the source, which the tour speaks of, is on a
// small screen at once.
func TestTourShowsPlace(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{Tour: true})
	d.keys("j l j d").has("at  ", ".java:", "tour 2 of 8")
}

// TestTour does what the tour asks for, to its end.
func TestTour(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{Tour: true})
	for i, key := range tour.Keys() {
		if d.m.tour.Key() != key {
			t.Fatalf("not at step %d", i+1)
		}
		if find(d.m.keys, key) == nil {
			t.Fatalf("step %d needs key %s, which does nothing", i+1, key)
		}
		if d.keys(key); key == "right" {
			if d.has("no children"); d.m.tour.Key() != key {
				t.Error("the tour goes on from a row that has nothing to expand")
			}
			d.keys("j right")
		}
		if key == "e" { // on to a row without children
			for at := d.m.out.cursor; !at.Node.Leaf(); at = d.m.out.cursor {
				if d.keys("j"); d.m.out.cursor == at {
					t.Fatal("all rows have children: the test shows nothing")
				}
			}
			if d.keys("L"); d.m.tour.Key() != tour.Keys()[i+1] {
				t.Error("the tour goes on though there is no child to go to")
			}
			d.keys("g j")
		}
		if key == "/" {
			d.typed("json").keys("enter")
		}
		if key == "H" {
			d.keys("esc") // leaves the list
		}
	}
	if d.m.tour != nil {
		t.Error("the tour does not end")
	}
	d = drive(t, d.m.r, 80, 24, Options{Tour: true})
	if d.keys("esc"); d.m.tour != nil {
		t.Error("Esc does not leave the tour")
	}
}

// TestForget gives memory back, and loads again what was unloaded.
func TestForget(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	before := d.screen()
	d.keys("E")
	d.fire(status.Faded{})
	many := d.m.out.t.Stats()
	d.keys("x").has("unloaded ", "unloaded")
	few := d.m.out.t.Stats()
	if few.Loaded >= many.Loaded/10 || few.Bytes >= many.Bytes/10 || few.Forgotten == 0 {
		t.Errorf("before %+v, after %+v", many, few)
	}
	d.keys("l")
	d.fire(status.Faded{})
	tail := func(s string) string { return strings.Join(strings.Split(s, "\n")[2:22], "\n") }
	if got := tail(d.screen()); got != tail(before) {
		t.Errorf("loaded again:\n%s\nbefore:\n%s", got, tail(before))
	}
}

// TestBudget walks with a small budget, which holds.
func TestBudget(t *testing.T) {
	r := uitest.Open(t, unpackFlat(t), lazy.Options{NoWrite: true, Memory: 200 << 10})
	d := drive(t, r, 80, 24, Options{})
	d.keys("G l G l")
	for range 300 {
		d.keys("pgdown")
		if st := d.m.out.t.Stats(); st.Bytes > st.Budget {
			t.Fatalf("%d bytes of a budget of %d", st.Bytes, st.Budget)
		}
	}
	if d.m.out.t.Stats().Forgotten == 0 {
		t.Error("nothing was unloaded: the test shows nothing")
	}
}
