package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/uitest"
)

// step types a step.
func (d *driver) step(text string) *driver {
	d.typed(":" + text)
	return d.keys("enter")
}

// TestStepsInTreeGolden shows the tree with what is merged and dropped.
func TestStepsInTreeGolden(t *testing.T) {
	for _, width := range []int{60, 120} {
		d := drive(t, uitest.Recorded(t, "gson.dump"), width, 30, Options{})
		d.keys(": 5 8 3 enter").step("only pkg=com.google.*").step("drop Primitives.isPrimitive").step("recursion Gson.getAdapter").keys("h")
		d.golden(fmt.Sprintf("steps-tree-%d", width))
	}
}

// expandedRows expands everything and returns the events of all rows, with their depths.
func (d *driver) expandedRows() (list []string) {
	d.t.Helper()
	tree := d.m.tree.Out.Tree
	if _, complete, err := tree.ExpandAll(d.t.Context(), tree.ThreadAt(0), 0, 1<<30, nil); err != nil || !complete {
		d.t.Fatal(complete, err)
	}
	for r, ok := tree.First(); ok; r, ok = tree.Next(r) {
		if r.Node != nil && !r.Node.IsThread() {
			list = append(list, fmt.Sprintf("%*s%s", r.Depth, "", r.Node.Handle()))
			if _, ok := lazy.Inlined(r.Node); ok {
				list = append(list, "its only iteration")
			}
		}
	}
	return list
}

// TestStepsAgreeWithTables: the calls in the tree are those that the tables count, folded and raw; undoing
// all steps brings all rows back.
func TestStepsAgreeWithTables(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 30, Options{})
	whole := d.expandedRows()
	for _, raw := range []bool{false, true} {
		for _, text := range []string{"only pkg=com.google.*", "merge JsonReader.*", "drop pkg=java*", "focus Gson.getAdapter", "merge has(method=peek)", "merge kind=loop or kind=iteration", "drop kind=var", "only kind=call"} {
			d.step(text)
			if !d.m.tree.Out.Tree.Edited() || d.m.tree.Out.Tree.Folded() == raw {
				t.Fatalf("%s: the tree is edited: %v", text, d.m.tree.Out.Tree.Edited())
			}
			scope := query.Scope{Raw: raw}
			if err := scope.Edit(t.Context(), d.m.env.Trace.Reader, d.m.steps.List); err != nil {
				t.Fatal(err)
			}
			all, err := filter.Parse("")
			if err != nil {
				t.Fatal(err)
			}
			find := query.NewFind(d.m.env.Trace.Reader, scope.Pass(), all, 0)
			find.Edit(scope)
			if err := find.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if n, _ := find.Set.Count(); n != len(d.expandedRows()) || n == 0 {
				t.Errorf("raw %v, %s: %d rows, the tables see %d points", raw, text, len(d.expandedRows()), n)
			}
			if d.keys("backspace"); d.m.tree.Out.Tree.Edited() {
				t.Errorf("%s is not undone", text)
			}
		}
		if got := d.expandedRows(); !raw && !slices.Equal(got, whole) {
			t.Error("rows are missing after the steps were undone")
		}
		d.keys("r")
	}
}

// TestStepsHide: going to what a step hides leads to what is around it, and says so; undoing the step leads to the
// place itself.
func TestStepsHide(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 30, Options{})
	d.search("JsonReader.nextNonWhitespace", false)
	hits := *d.m.search.Hits()
	d.step("merge JsonReader.peek").step("drop JsonReader.nextNonWhitespace")
	tree := d.m.tree.Out.Tree
	d.search("JsonReader.nextNonWhitespace", false)
	d.has("0 shown of ").keys("n").has("no hit is shown").keys("esc")
	var last lazy.Position
	for i := range 5 {
		last = hits.At(i).Position
		d.run(d.m.tree.Jobs.Show(last))
		d.send(nil)
		at, _ := d.m.tree.Jobs.HereToward(1)
		screen := d.screen()
		if n := d.m.tree.Out.Cursor.Node; n == nil || n.Position() == at || !strings.Contains(screen, "a step hides it") {
			t.Fatalf("hit %d is shown:\n%s", i, screen)
		}
	}
	d.keys("Z Z")
	if n := d.m.tree.Out.Cursor.Node; n == nil || n.Position() != last || d.m.tree.Out.Tree == tree {
		t.Errorf("undone: not at %v:\n%s", last, d.screen())
	}
	// Dropped calls leave a number.
	d.step("drop JsonReader.nextNonWhitespace")
	if shown := d.expandedRows(); len(shown) == 0 {
		t.Fatal("nothing is shown")
	}
	for _, r := range d.m.tree.Out.Rows {
		if n := r.Node; n != nil && lazy.DroppedIn(n) > 0 {
			d.has(fmt.Sprintf("⋯ %d dropped", lazy.DroppedIn(n)))
		}
	}
}

// TestStepsAndFilter: a filter applies to what the steps leave; backspace takes the filter away first.
func TestStepsAndFilter(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 30, Options{})
	d.typed("&method=doPeek")
	d.keys("enter").has("[& method=doPeek ")
	whole, _ := d.m.filter.Cur.Set().Count()
	d.step("drop JsonReader.hasNext").has("& method=doPeek")
	some, _ := d.m.filter.Cur.Set().Count()
	if some >= whole || some == 0 {
		t.Errorf("%d matches with the step, %d without", some, whole)
	}
	d.keys("n n N").keys("s j k J K L C G g").keys("backspace").has("[drop").keys("backspace")
	if len(d.m.steps.List) > 0 || d.m.tree.Out.Tree.Edited() {
		t.Error("the step is still there")
	}
}

// TestStepRefused: a step that cannot be applied changes nothing.
func TestStepRefused(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 30, Options{})
	d.step("merge JsonReader.peek")
	tree := d.m.tree.Out.Tree
	d.step("drop @1") // a thread
	if got := d.m.steps.List.Text(d.m.env.Glyphs.Glyphs); got != "merge JsonReader.peek" || d.m.tree.Out.Tree != tree {
		t.Errorf("the steps are %s:\n%s", got, d.screen())
	}
}

// BenchmarkMerged goes down a row, and far away and back, in a tree in which a million calls are merged,
// and draws.
func BenchmarkMerged(b *testing.B) {
	r := uitest.Open(b, formattest.File(b, formattest.Spec{Shape: formattest.WideCalls, N: 1_000_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(b, r, 120, 40, Options{})
	d.keys("g right").step("merge class~.")
	if n := d.m.tree.Out.Tree.ThreadAt(0); !d.m.tree.Out.Tree.Edited() || len(d.m.tree.Out.Rows) < 30 {
		b.Fatal("nothing is merged in", n)
	}
	for _, names := range []string{"down up", "pgdown pgup", "G g"} {
		b.Run(strings.ReplaceAll(names, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, k := range strings.Fields(names) {
					d.m.Update(keys.Press(k))
					d.m.View()
				}
			}
		})
	}
}

// TestStepsRemade: a step about how calls end is applied again when the recording has ended, and leaves the
// cursor where it is; another step is not.
func TestStepsRemade(t *testing.T) {
	for _, c := range []struct {
		step    string
		during  []int // calls with rows while the trace grows, and when it has ended
		after   []int
		again   bool
		lastRow int
	}{
		{"merge threw", []int{1, 2, 3}, []int{1, 3, 4}, true, 3},
		{"merge arg=2", []int{1, 3}, []int{1, 3, 4}, false, 3},
	} {
		l := goLive(t, Options{})
		l.record()
		th := l.rec.Thread("main")
		l.enter(th, 2)
		l.calls(th, 1)
		l.seen().step(c.step)
		rows := func() (list []int) {
			for _, r := range l.expandedRows() {
				l.keys(":").typed(strings.TrimSpace(r)).keys("enter")
				for n := range 9 {
					if strings.Contains(l.cursorText(), fmt.Sprintf("f(%d)", n)) {
						list = append(list, n)
					}
				}
			}
			return list
		}
		if got := rows(); !slices.Equal(got, c.during) {
			t.Fatalf("%s: rows of %v, want %v:\n%s", c.step, got, c.during, l.screen())
		}
		l.at(c.lastRow)
		tree := l.m.tree.Out.Tree
		th.Panic("Boom")
		l.calls(th, 1)
		l.exit(th, 1)
		th.End()
		if err := l.rec.Stop(); err != nil {
			t.Fatal(err)
		}
		l.look().at(c.lastRow)
		if again := l.m.tree.Out.Tree != tree; again != c.again || !l.m.tree.Out.Tree.Edited() {
			t.Errorf("%s: the tree was made again: %v, want %v", c.step, again, c.again)
		}
		if got := rows(); !slices.Equal(got, c.after) {
			t.Errorf("%s: rows of %v, want %v:\n%s", c.step, got, c.after, l.screen())
		}
	}
}

// TestUndoGivesBackWhatWasExpanded: after steps and their undoing the same rows are open as before.
func TestUndoGivesBackWhatWasExpanded(t *testing.T) {
	rows := func(d *driver) (list []string) {
		tree := d.m.tree.Out.Tree
		for r, ok := tree.First(); ok; r, ok = tree.Next(r) {
			if r.Node != nil {
				list = append(list, fmt.Sprintf("%*s%s", r.Depth, "", d.named(r.Node).Text))
			}
		}
		return list
	}
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 30, Options{})
	d.keys("L L l g j")
	before := rows(d)
	if len(before) < 6 {
		t.Fatalf("%d rows", len(before))
	}
	d.step("only pkg=com.google.*").step("drop Primitives.isPrimitive")
	if slices.Equal(rows(d), before) {
		t.Fatal("the steps change nothing")
	}
	d.keys("Z Z")
	if after := rows(d); !slices.Equal(after, before) {
		t.Errorf("%d rows, not %d:\n%s\nbefore:\n%s", len(after), len(before), strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
}
