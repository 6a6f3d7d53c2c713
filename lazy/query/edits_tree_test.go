package query

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/places"
)

// rowsOf writes a forest: a line for each node, indented.
func rowsOf(list []*node, depth int, out []string) []string {
	for _, n := range list {
		if n.class < mergedAway {
			out = append(out, fmt.Sprintf("%*s@%d+%d", depth, "", n.thread, n.at.At))
			out = rowsOf(n.kids, depth+1, out)
		}
	}
	return out
}

// editedRows loads all rows of an edited tree from one end, and returns those of points.
func editedRows(t *testing.T, tree *lazy.Tree, end lazy.End) (out []string) {
	t.Helper()
	first, next := tree.First, tree.Next
	if end == lazy.AtEnd {
		first, next = tree.Last, tree.Prev
	}
	for _, th := range tree.Threads() {
		tree.Expand(th)
	}
	var last *lazy.Row
	for r, ok := first(); ok; {
		switch {
		case r.Gap():
			if err := tree.Load(t.Context(), r, end); err != nil {
				t.Fatal(err)
			}
		case !tree.IsExpanded(r.Node):
			if tree.Expand(r.Node); end == lazy.AtEnd {
				break // what is in it comes first
			}
			fallthrough
		default:
			at := r
			last = &at
			if !r.Node.IsThread() {
				out = append(out, fmt.Sprintf("%*s@%d+%d", r.Depth-1, "", r.Node.Thread(), r.Node.Position().At))
			}
		}
		if last == nil {
			r, ok = first()
		} else {
			r, ok = next(*last)
		}
	}
	if end == lazy.AtEnd {
		slices.Reverse(out)
	}
	return out
}

// TestEditTree: the rows of a tree with steps are the tree that the steps were applied to one after the
// other, from both ends.
func TestEditTree(t *testing.T) {
	editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		for _, raw := range []bool{false, true} {
			roots := forest(t, r, raw)
			m := caseMakerOf(t, r, roots)
			if m == nil {
				continue
			}
			for i, text := range slices.Concat([]string{"recursion A", "recursion A, drop C", "merge B, recursion A", "only A or B, recursion A"}, stepCases, onlyCases, kindCases) {
				c := m.withRecursion(text)
				for _, end := range []lazy.End{lazy.AtStart, lazy.AtEnd}[i%2:] {
					compareEditTree(t, r, raw, roots, c, text, end)
				}
			}
		}
	})
}

// compareEditTree compares the rows of a tree with steps, loaded from one end, with the tree that the steps
// were applied to.
func compareEditTree(t *testing.T, r *lazy.LazyTraceReader, raw bool, roots []*node, c stepCase, text string, end lazy.End) {
	t.Helper()
	e, err := EditTree(t.Context(), r, c.steps, raw)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	want := rowsOf(edited(roots, c.plain, new(StackSums)), 0, nil)
	tree := lazy.EditedTree(r, !raw, e)
	if _, complete, err := tree.ExpandAll(t.Context(), tree.ThreadAt(0), 0, 1<<40, nil); err != nil || !complete {
		t.Fatal(complete, err)
	}
	if got := editedRows(t, lazy.EditedTree(r, !raw, e), end); !slices.Equal(got, want) {
		t.Fatalf("raw %v, %s (%v), from end %d: %d rows, want %d\n%s\nwant\n%s", raw, text, c.steps, end, len(got), len(want),
			strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// withRecursion is make for a text that may have recursion, which applies last.
func (m *caseMaker) withRecursion(text string) (out stepCase) {
	var last []plainStep
	for _, part := range strings.Split(text, ", ") {
		if !strings.HasPrefix(part, "recursion") {
			c := m.make(part)
			out.steps, out.plain = append(out.steps, c.steps...), append(out.plain, c.plain...)
			continue
		}
		s, err := ParseStep(Recursion, m.names[0])
		if err != nil {
			m.t.Fatal(err)
		}
		isA := m.is(m.names[0])
		out.steps = append(out.steps, s)
		last = append(last, plainStep{Merge, func(n *node) bool { return n.class == format.ClassCall && isA(n) && n.isIn(isA) }})
	}
	out.plain = append(out.plain, last...)
	return out
}

// TestEditTreeBarren: nothing is shown in a part of which the edits say so, and they say so of some parts,
// with a summary.
func TestEditTreeBarren(t *testing.T) {
	some, bare := 0, 0
	for i, shape := range []formattest.Shape{formattest.Calls, formattest.Goroutines} {
		spec := formattest.Spec{Shape: shape, N: 500, Seed: uint64(61 + i), Options: formattest.Options{BlockSize: 2000}}
		r := opened(t, formattest.File(t, spec))
		roots := forest(t, r, false)
		m := caseMakerOf(t, r, roots)
		if !summarized(t, r, 400) {
			t.Fatal("no summary")
		}
		for _, text := range []string{"only A", "only C, drop A", "merge A, merge B, drop C", "focus C", "focus event", "focus A, focus C", "drop has C", "drop leaves", "only A, drop loops", "only A+loops"} {
			c := m.make(text)
			e, err := EditTree(t.Context(), r, c.steps, false)
			if err != nil {
				t.Fatal(err)
			}
			shown := make(map[int32][]int64)
			var walk func(list []*node)
			walk = func(list []*node) {
				for _, n := range list {
					if n.class < mergedAway {
						shown[n.thread] = append(shown[n.thread], n.at.At)
					}
					walk(n.kids)
				}
			}
			walk(edited(roots, c.plain, new(StackSums)))
			check := func(part lazy.PassRange) {
				if i := slices.IndexFunc(shown[part.Thread], func(at int64) bool { return at >= part.From && at < part.To }); i >= 0 {
					t.Fatalf("%s: %d is shown, in %+v", text, shown[part.Thread][i], part)
				}
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for _, n := range roots {
				info, _ := r.ThreadInfo(n.thread)
				for range 20 {
					part := lazy.PassRange{Thread: n.thread, To: 1 + rng.Int64N(info.Bytes)}
					if !strings.Contains(text, "focus") { // else what is around a later part has another state
						part.From = rng.Int64N(part.To)
					}
					if e.Barren(e.Begin(n.thread), part, false) {
						some++
						check(part)
					}
				}
			}
			if !strings.HasPrefix(text, "only") {
				continue
			}
			var in func(list []*node) // parts of the calls that the step merges, from a point directly in them on
			in = func(list []*node) {
				for _, n := range list {
					if in(n.kids); n.class != format.ClassCall || len(n.kids) == 0 || !c.plain[0].hit(n) {
						continue
					}
					part := lazy.PassRange{Thread: n.thread, From: n.kids[rng.IntN(len(n.kids))].at.At}
					if part.To = part.From + 1 + rng.Int64N(n.last()-part.From+1); e.Barren(e.Begin(n.thread), part, true) {
						bare += b2i(!e.Barren(e.Begin(n.thread), part, false))
						check(part)
					}
				}
			}
			in(roots)
		}
	}
	if some == 0 || bare == 0 {
		t.Error("the test shows nothing", some, bare)
	}
}

// last returns where the last point below a node begins, or the node.
func (n *node) last() int64 {
	if len(n.kids) == 0 {
		return n.at.At
	}
	return n.kids[len(n.kids)-1].last()
}

// TestEditedShown: in a tree with steps that shows only what a filter matches, a row has as many children, and
// as many of them are shown, as in the tree that the steps were applied to.
func TestEditedShown(t *testing.T) {
	rows := new(atomic.Int64)
	t.Run("traces", func(t *testing.T) {
		check := func(t *testing.T, r *lazy.LazyTraceReader, some int) {
			rng := rand.New(rand.NewPCG(uint64(some), 3))
			for _, raw := range []bool{false, true} {
				roots := forest(t, r, raw)
				m := caseMakerOf(t, r, roots)
				if m == nil {
					continue
				}
				texts := slices.Concat(stepCases, onlyCases, kindCases)
				rng.Shuffle(len(texts), func(i, k int) { texts[i], texts[k] = texts[k], texts[i] })
				for _, text := range texts[:some] {
					rows.Add(compareShown(t, r, raw, m.make(text), edited(roots, m.make(text).plain, new(StackSums)), text, rng))
				}
			}
		}
		editable(t, func(t *testing.T, r *lazy.LazyTraceReader) { check(t, r, 16) })
		for _, name := range []string{"gson.stream.bin", "kotlin.stream.bin", "threads.dump.bin"} {
			if formattest.Race {
				return
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				check(t, opened(t, formattest.Unpack(t, name)), 3)
			})
		}
	})
	if rows.Load() < 2000 && !formattest.Race {
		t.Errorf("%d rows: the test shows nothing", rows.Load())
	}
}

// compareShown compares the rows around some random points, and returns how many they are.
func compareShown(t *testing.T, r *lazy.LazyTraceReader, raw bool, c stepCase, roots []*node, text string, rng *rand.Rand) (rows int64) {
	t.Helper()
	e, err := EditTree(t.Context(), r, c.steps, raw)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	set, rare := places.New(), 1+rng.IntN(40)
	type row struct{ shown, all int64 }
	want := make(map[lazy.Position]row)
	var walk func(list []*node, at lazy.Position) (shown, all int64)
	walk = func(list []*node, at lazy.Position) (shown, all int64) {
		for _, n := range list {
			if n.class >= mergedAway {
				continue
			}
			all++
			hit := rng.IntN(rare) == 0
			if hit {
				set.Add(n.thread, n.at.At)
			}
			if below, _ := walk(n.kids, n.at); hit || below > 0 {
				shown++
			}
		}
		if at.At >= 0 {
			want[at] = row{shown, all}
		}
		return shown, all
	}
	byThread := make(map[int32][]*node)
	var ids []int32
	for _, n := range roots {
		if byThread[n.thread] == nil {
			ids = append(ids, n.thread)
		}
		byThread[n.thread] = append(byThread[n.thread], n)
	}
	slices.Sort(ids)
	for _, id := range ids {
		shown, all := walk(byThread[id], lazy.Position{Thread: id, At: -1})
		want[lazy.Position{Thread: id, At: -1}] = row{shown, all}
	}
	set.Finish()
	tree := lazy.EditedTree(r, !raw, e)
	lazy.ShownIn(tree).Only(set)
	for at, ok := tree.First(); ok; {
		if at.Gap() {
			before := at
			if err := tree.Load(t.Context(), at, lazy.AtStart); err != nil {
				t.Fatal(err)
			}
			at = tree.Resolve(before)
			continue
		}
		if n := at.Node; n != nil {
			if err := lazy.ShownIn(tree).CountIn(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			if _, _, err := tree.CountChildren(t.Context(), n, 0); err != nil {
				t.Fatal(err)
			}
			line := tree.Lines([]lazy.Row{at}, false)[0]
			p := lazy.Position{Thread: n.Thread(), At: -1}
			if !n.IsThread() {
				p = n.Position()
			}
			if w := want[p]; line.Around {
				rows++
				if line.Shown != w.shown || line.Count != w.all {
					t.Fatalf("raw %v, %s (%v): %v shows %d of %d, want %d of %d", raw, text, c.steps, p, line.Shown, line.Count, w.shown, w.all)
				}
			}
		}
		at, ok = tree.Next(at)
	}
	return rows
}
