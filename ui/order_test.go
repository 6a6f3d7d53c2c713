package ui

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// shownIn returns the children of a node that are on the screen.
func (d *driver) shownIn(n *lazy.Node) (nodes []*lazy.Node) {
	for _, r := range d.m.tree.Out.Rows {
		if r.Node != nil && r.Parent == n {
			nodes = append(nodes, r.Node)
		}
	}
	return nodes
}

// durations returns how long nodes took, format.NoDuration if unknown.
func durations(nodes []*lazy.Node) (list []int64) {
	for _, n := range nodes {
		t, _ := n.Time()
		list = append(list, t.Duration)
	}
	return list
}

func longestFirst(list []int64) bool {
	return slices.IsSortedFunc(list, func(a, b int64) int { return int(min(1, max(-1, b-a))) })
}

// TestSort changes the order of children and back, with the cursor on the node or on one of its
// children, where it stays.
func TestSort(t *testing.T) {
	d := drive(t, timedTrace(t, timedSpec), 100, 40, Options{Name: "trace.bin"})
	d.keys("j")
	in := d.m.tree.Out.Cursor.Node
	d.keys("l")
	recorded := d.shownIn(in)
	if len(recorded) < 10 || longestFirst(durations(recorded)) {
		t.Fatalf("%d children of %q, of %v ns: the test shows nothing", len(recorded), d.cursorText(), durations(recorded))
	}
	d.keys("s").has("loop: sorted by duration", " ▼ duration ", "▼ loop(1 iterations)")
	d.golden("times-sorted")
	if sorted := d.shownIn(in); len(sorted) != len(recorded) || !longestFirst(durations(sorted)) {
		t.Errorf("sorted: %v ns", durations(sorted))
	}
	if d.m.tree.Out.Cursor.Node != in {
		t.Errorf("the cursor went to %q", d.cursorText())
	}

	d.keys("j j j")
	on := d.cursorText()
	d.keys("s").has("loop: in call order", "── duration ", "▾ loop(1 iterations)")
	back := d.shownIn(in)
	for i, n := range recorded {
		if i >= len(back) || back[i].Position() != n.Position() {
			t.Fatalf("child %d is not in its place again", i)
		}
	}
	if d.cursorText() != on {
		t.Errorf("the cursor went from %q to %q", on, d.cursorText())
	}
	d.keys("s")
	if list := d.shownIn(in); d.m.tree.Out.Cursor.Node != list[0] || !longestFirst(durations(list)) {
		t.Errorf("the cursor is at %q, not at the longest of %v ns", d.cursorText(), durations(list))
	}
	if d.keys("["); d.cursorText() != on {
		t.Errorf("the way back leads to %q, not to %q", d.cursorText(), on)
	}
	for _, c := range [][2]string{{"h h l", "▼ loop(1 iterations)"}, {"x l", "▼ loop(1 iterations)"}, {"j j r", "▼ <iteration 1>"}, {"r", "▼ loop(1 iterations)"}} {
		keys := c[0]
		d.keys(keys).has(c[1])
		for in = d.m.tree.Out.Cursor.Node; in != nil && in.Order() != lazy.OrderWeight; in = in.Parent() {
		}
		if list := durations(d.shownIn(in)); len(list) < 10 || !longestFirst(list) {
			t.Errorf("after %s: %v ns", keys, list)
		}
	}
}

// TestSortedRootsStay: a thread keeps its order in the raw view and back, with the cursor on it
// and below it, and stays open.
func TestSortedRootsStay(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Random, N: 60, Seed: 1, Threads: 1, Plain: true, Timed: true}
	d := drive(t, timedTrace(t, spec), 100, 40, Options{})
	d.keys("g s").has("sorted by duration (s: call order)")
	for _, keys := range []string{"r", "r", "j r", "r"} {
		d.keys(keys)
		th := d.m.tree.Out.Tree.Threads()[0]
		list := durations(d.shownIn(th))
		if th.Order() != lazy.OrderWeight || len(list) < 3 || !longestFirst(list) {
			t.Errorf("after %s: order %v, %v ns", keys, th.Order(), list)
		}
	}
}

// TestOpenStaysOpen: the cursor's node is equally open in the other view.
func TestOpenStaysOpen(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "kotlin.stream"), 100, 40, Options{})
	for range 6 {
		if d.keys("j"); !d.m.tree.Out.Cursor.Node.Leaf() {
			break
		}
	}
	for _, open := range []bool{true, false} {
		d.keys("enter")
		text := d.cursorText()
		for range 2 {
			d.keys("r")
			if on := d.m.tree.Out.Cursor.Node; on.Leaf() || d.m.tree.Out.Tree.IsExpanded(on) != open {
				t.Errorf("%q became %q, open %v", text, d.cursorText(), !open)
			}
		}
	}
}

// TestSortTellsHowFar shows the share of the children that have been looked at.
func TestSortTellsHowFar(t *testing.T) {
	d := drive(t, timedTrace(t, timedSpec), 100, 40, Options{})
	jobs, begun := d.m.tree.Jobs, make(chan lazy.Progress, 1)
	d.m.env.Patience = 0
	d.m.env.Start()
	job := func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
		begun <- report
		<-ctx.Done()
		return nil, ctx.Err()
	}
	jobs.Run("sorting by duration", "", job)
	progress := <-begun
	d.keys("j").has("sorting by duration  Esc stops")
	progress(42_000, 100_000)
	d.keys("k").has("sorting by duration 42 %  Esc stops")
	jobs.Run("going there", "", job)
	d.keys("j").has("going there  Esc stops")
}

// TestSortInAscii marks sorted columns with ASCII characters only.
func TestSortInAscii(t *testing.T) {
	d := drive(t, timedTrace(t, timedSpec), 80, 24, Options{ASCII: true})
	d.keys("j l s").has(" V duration ", "V loop(1 iterations)")
}

// TestNothingToSort tells why nothing is sorted.
func TestNothingToSort(t *testing.T) {
	d := drive(t, timedTrace(t, timedSpec), 80, 24, Options{})
	d.keys("G s").has("threads keep their order; → expands this one")
}

// TestSortByNested: without times, those that contain the most come first, all the way down, and
// the column that tells it is marked.
func TestSortByNested(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 24, Options{})
	d.keys("s").has("sorted by what is nested (s: call order)", "▼ nested")
	in, last, rows := d.m.tree.Out.Sortable(), int64(math.MaxInt64), 0
	for _, n := range d.shownIn(in) {
		count, _ := n.Nested()
		if rows++; count > last {
			t.Errorf("%d nested after %d:\n%s", count, last, d.screen())
		}
		last = count
	}
	if rows < 2 {
		t.Fatalf("%d rows are sorted:\n%s", rows, d.screen())
	}
	d.keys("s")
	if shown := d.shownIn(in); !slices.IsSortedFunc(shown, func(a, b *lazy.Node) int { return cmp.Compare(a.Position().At, b.Position().At) }) {
		t.Errorf("not in the order of the calls:\n%s", d.screen())
	}
}

// TestSortMany sorts more children than are kept in order at once, and walks through them
// from both ends.
func TestSortMany(t *testing.T) {
	const n = 25_000
	d := drive(t, timedTrace(t, formattest.Spec{Shape: formattest.WideCalls, N: n, Seed: 1, Timed: true}), 100, 40, Options{})
	in := d.m.tree.Out.Cursor.Node
	d.keys("s j")
	last := int64(1 << 62)
	check := func(what string) {
		t.Helper()
		list := durations(d.shownIn(in))
		if len(list) < 30 || !longestFirst(list) || list[0] > last {
			t.Fatalf("%s: %v ns, after %d", what, list, last)
		}
	}
	for range 20 {
		check("on the way down")
		took := durations(d.shownIn(in))
		last = took[0]
		d.keys("pgdown")
	}
	d.keys("G")
	check("at the end")
	d.keys("pgup pgup")
	check("before the end")
	if st := d.m.tree.Out.Tree.Stats(); st.Loaded > n/4 {
		t.Errorf("%d rows were loaded", st.Loaded)
	}
	d.keys(": 5 0 % enter")
	if d.m.tree.Out.Cursor.Node == nil || alarmed(d) {
		t.Errorf("the cursor is nowhere: %s", message(d))
	}
	check("where :50%% leads")
}

// TestStopSorted shows how many rows are missing where loading was stopped among sorted
// children, and loads them at Enter.
func TestStopSorted(t *testing.T) {
	d := drive(t, timedTrace(t, formattest.Spec{Shape: formattest.WideCalls, N: 25_000, Seed: 1, Timed: true}), 100, 20, Options{})
	in := d.m.tree.Out.Cursor.Node
	d.keys("s")
	resume := d.stopLoads()
	d.keys("G").has("not loaded, 15,000 rows: stopped; Enter loads it")
	d.keys("d").has("size       15,000 rows")
	resume()
	d.keys("d enter G")
	if screen := d.screen(); strings.Contains(screen, "not loaded") {
		t.Errorf("the gap is still there:\n%s", screen)
	}
	if list := durations(d.shownIn(in)); len(list) < 10 || !longestFirst(list) || slices.Contains(list, format.NoDuration) {
		t.Errorf("%v ns", list)
	}
}
