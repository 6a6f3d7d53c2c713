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
	"tracex/lazy/query/filter"
)

// TestEditedFind: with steps, what is found is what a filter matches in the edited tree, and its path
// is that there.
func TestEditedFind(t *testing.T) {
	editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		m := caseMakerOf(t, r, forest(t, r, false))
		if m == nil {
			return
		}
		roots := forest(t, r, false)
		isA := m.is(m.names[0])
		in := "in(method=" + filter.Word(m.names[0]) + ")"
		for _, text := range slices.Concat(stepCases, onlyCases, kindCases) {
			c := m.make(text)
			var scope Scope
			if err := scope.Edit(t.Context(), r, c.steps); err != nil {
				t.Fatal(err)
			}
			var want []string
			var list func(nodes []*node, path string)
			list = func(nodes []*node, path string) {
				for _, n := range nodes {
					name := ""
					if n.class == format.ClassCall {
						r.WithContext(func(c *format.Context) { name, _ = c.CallName(n.ref, 0) })
						name = "/" + name
					}
					if n.class < mergedAway && n.isIn(isA) && n.class != format.ClassLoop && n.class != format.ClassIteration {
						want = append(want, fmt.Sprint(n.event, path))
					}
					list(n.kids, path+name)
				}
			}
			list(edited(roots, c.plain, new(StackSums)), "")
			where, err := filter.Parse("-kind=loop -kind=iteration " + in)
			if err != nil {
				t.Fatal(err)
			}
			f := NewFind(r, scope.Pass(), where, 0)
			f.Edit(scope)
			if err := f.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			var at []lazy.Position
			n, _ := f.Set.Count()
			for i := range n {
				p, _ := f.Set.Place(i)
				at = append(at, p)
			}
			points, err := read(t.Context(), r, &scope, false, at[:min(len(at), 300)])
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range points {
				path := ""
				if len(p.Path) > 0 {
					path = "/" + strings.Join(p.Path, "/")
				}
				got = append(got, fmt.Sprint(p.Event, path))
			}
			if len(at) != len(want) {
				t.Errorf("%s: %d found, want %d", text, len(at), len(want))
			}
			// Threads may be in another order here.
			for _, g := range got {
				if i := strings.IndexByte(g, '/'); i >= 0 && strings.Count(g, "/") == pathLength {
					continue // cut
				}
				if !slices.Contains(want, g) {
					t.Errorf("%s: found %s", text, g)
				}
			}
		}
	})
}

// fatesOf tells what steps do with the points of a forest.
func fatesOf(roots []*node, steps []plainStep) map[lazy.Position]hiding {
	fates := make(map[lazy.Position]hiding)
	var foci []map[lazy.Position]bool // what each focus makes roots
	var left func(list []*node, fate hiding, but map[lazy.Position]bool)
	left = func(list []*node, fate hiding, but map[lazy.Position]bool) {
		for _, n := range list {
			if n.class < mergedAway && !but[n.at] {
				fates[n.at] = fate
			}
			left(n.kids, fate, but)
		}
	}
	places := func(list []*node, deep bool) map[lazy.Position]bool {
		set := make(map[lazy.Position]bool)
		var add func(list []*node)
		add = func(list []*node) {
			for _, n := range list {
				if set[n.at] = true; deep {
					add(n.kids)
				}
			}
		}
		add(list)
		return set
	}
	before := roots
	for i, s := range steps {
		after := edited(roots, steps[:i+1], new(StackSums))
		fate := map[StepKind]hiding{Focus: outside, Merge: merged, Only: muted, Drop: dropped}[s.kind]
		left(before, fate, places(after, true))
		if s.kind == Focus {
			foci = append(foci, places(after, false))
		}
		before = after
	}
	var out func(list []*node, focused int) // what is merged outside of a focus is outside
	out = func(list []*node, focused int) {
		for _, n := range list {
			focused := focused
			for focused < len(foci) && foci[focused][n.at] {
				focused++
			}
			if fate := fates[n.at]; fate.merges() && focused < len(foci) {
				fates[n.at] = outside
			}
			out(n.kids, focused)
		}
	}
	out(roots, 0)
	return fates
}

// muting is edited, but for what steps of kind Only merge: that is still there, with this fate, unless it is
// outside of a focus.
func muting(roots []*node, steps []plainStep) []*node {
	fates := fatesOf(roots, steps)
	var kept func(list []*node, parent *node) []*node
	kept = func(list []*node, parent *node) (out []*node) {
		for _, n := range list {
			switch fate := fates[n.at]; fate {
			case shown, muted, merged, dropped:
				switch {
				case fate == dropped && n.class.Container():
					continue
				case fate == merged && n.class.Container():
					out = append(out, kept(n.kids, parent)...)
					continue
				case fate == merged || fate == dropped:
					fate = shown // the call around it throws and catches still
				}
				c := *n
				c.parent, c.fate = parent, fate
				c.kids = kept(n.kids, &c)
				out = append(out, &c)
			default:
				out = append(out, kept(n.kids, parent)...)
			}
		}
		return out
	}
	return kept(roots, nil)
}

// TestEditedThrows: exceptions are those of the edited tree. Calls that a step of kind Only merges throw and
// catch for the calls around them; what does not come out of them is counted.
func TestEditedThrows(t *testing.T) {
	var muted, below atomic.Int64
	t.Cleanup(func() {
		if (muted.Load() == 0 || below.Load() == 0) && !formattest.Race && !t.Failed() {
			t.Error("no exceptions in merged calls", muted.Load(), below.Load())
		}
	})
	editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		roots := forest(t, r, false)
		m := caseMakerOf(t, r, roots)
		if m == nil {
			return
		}
		size, _ := r.Size()
		for _, text := range slices.Concat(stepCases, onlyCases, kindCases) {
			c := m.make(text)
			var scope Scope
			if err := scope.Edit(t.Context(), r, c.steps); err != nil {
				t.Fatal(err)
			}
			var p plainThrows
			p.in(nil, muting(roots, c.plain), nil)
			muted.Add(p.muted)
			for _, f := range p.list {
				below.Add(int64(b2i(f.inMerged || f.whereMerged)))
			}
			for _, share := range []int64{0, max(300, size/15)} {
				throws := NewThrows(r, scope, 1<<20)
				pass := scope.Over(throws)
				pass.Share = share
				if err := r.Pass(t.Context(), pass); err != nil {
					t.Fatal(err)
				}
				got := make(map[string]int)
				for _, e := range throws.list {
					got[fmt.Sprint(e.Class, e.Event, e.Thread, e.Passed, e.Outcome, e.Recorded, e.In, e.Where, e.Catch >= 0, e.InMerged, e.WhereMerged)]++
				}
				of := func(n *node) int32 {
					if n == nil {
						return -1
					}
					return throws.groups.of(n.ref)
				}
				for _, e := range p.list {
					got[fmt.Sprint(e.class, e.event, e.thread, e.passed, e.outcome, e.recorded, of(e.in), of(e.where), e.catch, e.inMerged, e.whereMerged)]--
				}
				if throws.muted != p.muted {
					t.Errorf("%s, share %d: %d exceptions in merged calls, want %d", text, share, throws.muted, p.muted)
				}
				for what, n := range got {
					if n != 0 {
						t.Errorf("%s, share %d: %s: %+d", text, share, what, n)
					}
				}
			}
		}
	})
}

// TestEditedHistory: values are those of the points that the steps leave, and those that they merge or drop are
// counted, however the pass is cut.
func TestEditedHistory(t *testing.T) {
	var left atomic.Int64
	t.Cleanup(func() {
		if left.Load() == 0 && !t.Failed() {
			t.Error("the steps hide no value")
		}
	})
	editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		roots := forest(t, r, false)
		m := caseMakerOf(t, r, roots)
		if m == nil {
			return
		}
		size, _ := r.Size()
		points, all := plainPoints(t, r, false)
		var c *format.Context
		r.WithContext(func(x *format.Context) { c = x })
		random := rand.New(rand.NewPCG(3, 4))
		every, err := filter.Parse("kind=call or -kind=call")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"only A or B", "only A, drop C", "drop B", "focus A, only A or B", "only event"} {
			steps := m.make(text)
			fates := fatesOf(roots, steps.plain)
			var scope Scope
			if err := scope.Edit(t.Context(), r, steps.steps); err != nil {
				t.Fatal(err)
			}
			checked := 0
			for try := 0; try < 200 && checked < 3; try++ {
				for _, l := range plainAt(c, all[random.IntN(len(all))]) {
					checked++
					want := make(map[int32][]string)
					var hidden [Made + 1]int64
					var walk func(x *plainPoint)
					walk = func(x *plainPoint) {
						add := func(kind SightingKind, v *format.Value) {
							switch fates[x.Position()] {
							case shown:
								want[x.Thread()] = append(want[x.Thread()], fmt.Sprintf("#%d %s %s", x.Point().Event, kind, held(c, v).Text))
							case outside:
							default:
								hidden[kind]++
								left.Add(1)
							}
						}
						l.values(x, false, add)
						for _, k := range x.kids {
							walk(k)
						}
						l.values(x, true, add)
					}
					for _, x := range points {
						walk(x)
					}
					for _, share := range []int64{0, max(300, size/15)} {
						h := historyOf(t, r, scope, HistoryOptions{Where: []*filter.Expr{nil, every}[checked%2]}, l.text, share)
						if got := lines(h.List()); fmt.Sprint(got) != fmt.Sprint(want) {
							t.Errorf("%s, share %d: %s\n got %q\nwant %q", text, share, l.text, got, want)
						}
						if h.left != hidden {
							t.Errorf("%s, share %d: %s: %v are hidden, want %v", text, share, l.text, h.left, hidden)
						}
					}
				}
			}
		}
	})
}
