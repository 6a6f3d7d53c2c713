package query

import (
	"fmt"
	"maps"
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

// editable calls f for some traces, in parallel: with times and without, damaged, recorded.
func editable(t *testing.T, f func(t *testing.T, r *lazy.TraceReader)) {
	run := func(name, path string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, opened(t, path))
		})
	}
	for i, shape := range []formattest.Shape{formattest.Random, formattest.Deep, formattest.Goroutines, formattest.Random, formattest.Calls} {
		spec := formattest.Spec{Shape: shape, N: 160, Seed: uint64(11 + i), Timed: i%2 == 0, Wild: i == 3, Options: formattest.Options{BlockSize: 3000}}
		run(spec.Name(), formattest.File(t, spec))
		if formattest.Race {
			return
		}
		spec.Crash = []formattest.Crash{formattest.CrashLost, formattest.CrashPartial}[i%2]
		run(spec.Name(), formattest.File(t, spec))
	}
	for _, name := range []string{"shapes.stream.bin"} {
		run(name, formattest.Unpack(t, name))
	}
	run("shop", shop(t))
}

// plainStep is a step on a forest in memory.
type plainStep struct {
	kind StepKind
	hit  func(*node) bool // a call or, for a place, a container
}

// isIn reports whether an ancestor of a node passes.
func (n *node) isIn(f func(*node) bool) bool {
	return n.parent != nil && (f(n.parent) || n.parent.isIn(f))
}

// holds reports whether something below a node passes.
func (n *node) holds(f func(*node) bool) bool {
	return slices.ContainsFunc(n.kids, func(k *node) bool { return f(k) || k.holds(f) })
}

// copied copies a forest.
func copied(list []*node, parent *node) []*node {
	out := make([]*node, len(list))
	for i, n := range list {
		c := *n
		c.parent = parent
		c.kids = copied(n.kids, &c)
		out[i] = &c
	}
	return out
}

// edited applies steps to a copy of a forest, one after the other.
func edited(roots []*node, steps []plainStep, outside *Outside) []*node {
	roots = copied(roots, nil)
	for _, s := range steps {
		hits := make(map[*node]bool)
		var look func(list []*node)
		look = func(list []*node) {
			for _, n := range list {
				hits[n] = s.hit(n)
				look(n.kids)
			}
		}
		look(roots)
		if s.kind == Focus {
			roots = focused(roots, hits)
		} else {
			roots = without(roots, nil, s.kind, hits, false)
		}
	}
	return adjusted(roots, nil, outside)
}

// focused returns the outermost nodes that are hit.
func focused(list []*node, hits map[*node]bool) (out []*node) {
	for _, n := range list {
		if hits[n] {
			n.parent = nil
			out = append(out, n)
		} else {
			out = append(out, focused(n.kids, hits)...)
		}
	}
	return out
}

// Classes of what is left of a merged call, a point of its caller, of a dropped call: its time, and of another
// point merged with its call, a point of the caller.
const (
	mergedAway  format.Class = 250
	droppedAway format.Class = 251
	mutedAway   format.Class = 252
)

// without merges or drops what is hit. mute is set for what is in a call that is merged with the points
// directly in it.
func without(list []*node, parent *node, kind StepKind, hits map[*node]bool, mute bool) (out []*node) {
	for _, n := range list {
		n.parent = parent
		switch {
		case mute && n.class != format.ClassCall && n.class < mergedAway:
			out = append(out, &node{class: mutedAway, parent: parent, thread: n.thread, event: n.event})
			out = append(out, without(n.kids, parent, kind, hits, true)...)
		case !hits[n]:
			n.kids = without(n.kids, n, kind, hits, mute && n.class != format.ClassCall)
			out = append(out, n)
		case kind != Drop && n.class != format.ClassCall:
			out = append(out, &node{class: mutedAway, parent: parent, thread: n.thread, event: n.event})
			out = append(out, without(n.kids, parent, kind, hits, false)...)
		case kind != Drop:
			out = append(out, &node{class: mergedAway, parent: parent, thread: n.thread, time: n.time, timed: n.timed, kids: nil})
			out = append(out, without(n.kids, parent, kind, hits, kind == Only)...)
		default:
			out = append(out, &node{class: droppedAway, parent: parent, time: n.time, timed: n.timed})
		}
	}
	return out
}

// adjusted takes what is dropped out of the calls around it, and counts points anew.
func adjusted(list []*node, parent *node, outside *Outside) (out []*node) {
	for _, n := range list {
		if n.class == droppedAway {
			for up := parent; up != nil; up = up.parent {
				if up.class == format.ClassCall {
					up.dropped++
					if n.timed {
						up.gone += n.time.Duration
					}
				}
			}
			continue
		}
		n.kids = adjusted(n.kids, n, outside)
		n.points = 1
		for _, k := range n.kids {
			n.points += k.points
		}
		if n.class == mergedAway {
			up := parent
			for up != nil && up.class != format.ClassCall {
				up = up.parent
			}
			if up != nil {
				up.merged++
			} else {
				outside.Calls++
			}
		}
		n.time.Duration = max(0, n.time.Duration-n.gone)
		out = append(out, n)
	}
	return out
}

// testTop runs a Top over an edited scope.
func editedTop(t *testing.T, r *lazy.TraceReader, scope Scope, share int64) *Top {
	t.Helper()
	top := NewTop(r, scope, ByMethod)
	pass := scope.Over(top)
	pass.Share = share
	if err := r.Pass(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	return top
}

// stepCase is steps in both forms.
type stepCase struct {
	steps Steps
	plain []plainStep
}

// cases returns lists of steps about methods of a trace.
type caseMaker struct {
	t     *testing.T
	r     *lazy.TraceReader
	names []string
	event int32 // of a call
}

func (m *caseMaker) is(name string) func(*node) bool {
	e, err := filter.Parse("method=" + filter.Word(name))
	if err != nil {
		m.t.Fatal(err)
	}
	f, err := bound(m.r, e)
	if err != nil {
		m.t.Fatal(err)
	}
	match := remembered(func(ref int32) (yes bool) {
		m.r.WithContext(func(*format.Context) { yes = f.Quick(format.ClassCall, ref, 0) == filter.Yes })
		return yes
	})
	return func(n *node) bool { return n.class == format.ClassCall && match(n.ref) }
}

// one returns a step, and what it hits.
func (m *caseMaker) one(kind StepKind, text string) (Step, plainStep) {
	a, b, c := m.names[0], m.names[1], m.names[2]
	isA, isB, isC := m.is(a), m.is(b), m.is(c)
	hits := map[string]func(*node) bool{
		"A": isA, "B": isB, "C": isC,
		"A or B":  func(n *node) bool { return isA(n) || isB(n) },
		"B in A":  func(n *node) bool { return isB(n) && n.isIn(isA) },
		"has C":   func(n *node) bool { return n.class == format.ClassCall && n.holds(isC) },
		"depth 1": func(n *node) bool { return n.class == format.ClassCall && depth(n) == 1 },
		"threw":   func(n *node) bool { return n.class == format.ClassCall && n.threw },
		"event":   func(n *node) bool { return n.class.Container() && n.class < mergedAway && n.event == m.event },
		"loops":   func(n *node) bool { return n.class == format.ClassLoop || n.class == format.ClassIteration },
		"turns":   func(n *node) bool { return n.class == format.ClassIteration && n.isIn(isA) },
		"leaves":  func(n *node) bool { return n.class < mergedAway && !n.class.Container() },
		"A+loops": func(n *node) bool { return isA(n) || n.class == format.ClassLoop },
	}
	is := func(name string) string { return "method=" + filter.Word(name) }
	texts := map[string]string{
		"A": a, "B": b, "C": is(c), "A or B": is(a) + " or " + is(b), "B in A": is(b) + " in(" + is(a) + ")", "has C": "has(" + is(c) + ")",
		"loops": "kind=loop or kind=iteration", "turns": "kind=iteration in(" + is(a) + ")",
		"leaves": "-(kind=call or kind=loop or kind=iteration)", "A+loops": is(a) + " or kind=loop",
		"depth 1": "depth=1", "threw": "threw", "event": fmt.Sprint("#", m.event),
	}
	s, err := ParseStep(kind, texts[text])
	if err != nil {
		m.t.Fatalf("%q: %v", texts[text], err)
	}
	p := plainStep{kind, hits[text]}
	switch {
	case kind == Only && s.about != nil && s.about.NamesKinds():
		p = plainStep{Merge, func(n *node) bool { return n.class < mergedAway && !hits[text](n) }}
	case kind == Only:
		p = plainStep{Only, func(n *node) bool { return n.class == format.ClassCall && !hits[text](n) }}
	}
	return s, p
}

// depth returns how many calls are around a node.
func depth(n *node) (d int) {
	for up := n.parent; up != nil; up = up.parent {
		if up.class == format.ClassCall {
			d++
		}
	}
	return d
}

// make returns the case of a text such as "merge A, drop B in A".
func (m *caseMaker) make(text string) (out stepCase) {
	for _, part := range strings.Split(text, ", ") {
		word, what, _ := strings.Cut(part, " ")
		s, p := m.one(StepKind(slices.Index(StepKinds[:], word)), what)
		out.steps, out.plain = append(out.steps, s), append(out.plain, p)
	}
	return out
}

// caseMakerOf picks three methods of a trace: two that call others and one that is often called.
func caseMakerOf(t *testing.T, r *lazy.TraceReader, roots []*node) *caseMaker {
	m := &caseMaker{t: t, r: r}
	score := make(map[string]int)
	var all []*node
	var walk func(list []*node)
	walk = func(list []*node) {
		for _, n := range list {
			all = append(all, n)
			within := calls(n.kids)
			r.WithContext(func(c *format.Context) {
				if d := c.Method(n.ref); d != nil && c.Class(d.ClassID) != nil {
					name := c.ClassName(d.ClassID) + "." + d.Name
					if d.Name == "<init>" || d.Name == "<clinit>" {
						return
					}
					score[name] += 1 + 5*min(len(within), 3)
				}
			})
			walk(within)
		}
	}
	walk(calls(roots))
	names := slices.SortedFunc(maps.Keys(score), func(a, b string) int {
		if score[a] != score[b] {
			return score[b] - score[a]
		}
		return strings.Compare(a, b)
	})
	for len(names) < 3 {
		if len(names) == 0 {
			return nil
		}
		names = append(names, names[0])
	}
	m.names = []string{names[0], names[len(names)/3], names[1]}
	m.event = all[len(all)/2].event
	return m
}

var stepCases = []string{
	"merge A", "merge A, merge B, merge C", "only A or B", "only A, only B", "drop A", "drop C", "focus A", "focus B", "focus event", "drop event", "merge event",
	"merge A, drop B in A", "drop B in A, merge A", "focus A, merge B, focus C", "merge A, focus event", "drop has C", "merge C, drop has C", "merge depth 1, drop depth 1",
	"focus C, only A or B", "merge threw, drop B", "drop threw",
}

// onlyCases are more of them, about what only leaves out after other steps and before.
var onlyCases = []string{
	"only event", "only A or B, merge B", "merge B, only A", "drop C, only A, focus event", "focus event, only A or B", "only A or B, only has C", "only B in A, merge event, only B",
}

// kindCases are steps about points that are no calls.
var kindCases = []string{
	"merge loops", "drop loops", "merge turns, drop B", "drop leaves", "merge leaves, merge A", "only A+loops", "only loops, focus A", "only A or B, drop loops",
	"merge loops, drop depth 1", "focus A, merge leaves", "drop turns, only A or B", "focus loops, merge loops",
}

// TestEdits: with steps, each number of Top is that of a plain recursion over the tree that the
// steps were applied to one after the other, however the pass is cut.
func TestEdits(t *testing.T) {
	var differ atomic.Int64
	t.Run("traces", func(t *testing.T) {
		editable(t, func(t *testing.T, r *lazy.TraceReader) {
			size, _ := r.Size()
			for _, raw := range []bool{false, true} {
				roots := forest(t, r, raw)
				p := plain(r, ByMethod)
				p.estimate(roots)
				m := caseMakerOf(t, r, roots)
				if m == nil {
					continue
				}
				tops := make(map[string]Totals)
				list := stepCases
				if !raw {
					list = slices.Concat(stepCases, onlyCases, kindCases)
				}
				for _, text := range list {
					c := m.make(text)
					for _, share := range []int64{0, max(300, size/20)} {
						tops[text] = compareSteps(t, r, raw, roots, c, text, share)
					}
				}
				if tops["merge A, drop B in A"] != tops["drop B in A, merge A"] {
					differ.Add(1)
				}
			}
		})
	})
	if differ.Load() == 0 && !t.Failed() && !formattest.Race {
		t.Error("the order of steps made no difference in any trace")
	}
}

// compareSteps compares the numbers of Top with steps with those of a plain recursion over the tree that the
// steps were applied to.
func compareSteps(t *testing.T, r *lazy.TraceReader, raw bool, roots []*node, c stepCase, text string, share int64) Totals {
	t.Helper()
	scope := Scope{Raw: raw}
	if err := scope.Edit(t.Context(), r, c.steps); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var outside Outside
	want := plain(r, ByMethod).sum(edited(roots, c.plain, &outside))
	top := editedTop(t, r, scope, share)
	outside.Self, outside.Own = top.all.Outside.Self, top.all.Outside.Own // see TestMergeKeeps
	want.all.Outside = outside
	sameTop(t, fmt.Sprintf("raw %v, %s (%v), share %d", raw, text, c.steps, share), top, want)
	return top.all
}

// TestMergeKeeps: merging keeps the sum of the own times and points, with those of merged calls that
// have no caller.
func TestMergeKeeps(t *testing.T) {
	editable(t, func(t *testing.T, r *lazy.TraceReader) {
		m := caseMakerOf(t, r, forest(t, r, false))
		if m == nil {
			return
		}
		sum := func(top *Top) (s Sums) {
			for i := range top.rows {
				s.add(&top.rows[i].Sums)
			}
			s.Self += top.all.Outside.Self
			s.Own += top.all.Outside.Own
			return s
		}
		before := editedTop(t, r, Scope{}, 0)
		want := sum(before)
		for _, text := range slices.Concat(stepCases, onlyCases, kindCases) {
			if strings.Contains(text, "drop") || strings.Contains(text, "focus") {
				continue
			}
			var scope Scope
			if err := scope.Edit(t.Context(), r, m.make(text).steps); err != nil {
				t.Fatal(err)
			}
			top := editedTop(t, r, scope, 0)
			got := sum(top)
			if before.all.Shorter+before.all.Untimed == 0 && got.Self != want.Self || got.Own != want.Own {
				t.Errorf("%s: self %d, own %d, before %d, %d", text, got.Self, got.Own, want.Self, want.Own)
			}
			if got.Calls+got.Merged+top.all.Outside.Calls != want.Calls {
				t.Errorf("%s: %d calls, %d merged, %d outside, of %d", text, got.Calls, got.Merged, top.all.Outside.Calls, want.Calls)
			}
		}
	})
}

// TestDropKeeps: the own times and points that dropping calls leaves, and those of the dropped calls with all
// below them, which focusing on them shows, make up those of all calls.
func TestDropKeeps(t *testing.T) {
	editable(t, func(t *testing.T, r *lazy.TraceReader) {
		for _, raw := range []bool{false, true} {
			m := caseMakerOf(t, r, forest(t, r, raw))
			if m == nil {
				continue
			}
			count := func(text string) (sum Sums, all Totals) {
				scope := Scope{Raw: raw}
				if err := scope.Edit(t.Context(), r, m.make(text).steps); err != nil {
					t.Fatal(err)
				}
				top := editedTop(t, r, scope, 0)
				for i := range top.rows {
					sum.add(&top.rows[i].Sums)
				}
				return sum, top.all
			}
			for _, what := range []string{"A", "B", "C", "A or B", "event", "threw"} {
				whole := editedTop(t, r, Scope{Raw: raw}, 0)
				var want Sums
				for i := range whole.rows {
					want.add(&whole.rows[i].Sums)
				}
				left, after := count("drop " + what)
				gone, dropped := count("focus " + what)
				odd := whole.all.Shorter + whole.all.Untimed + whole.all.Unended + after.Shorter + dropped.Shorter
				if left.Own+gone.Own != want.Own || left.Calls+gone.Calls != want.Calls || odd == 0 && left.Self+gone.Self != want.Self {
					t.Errorf("raw %v, %s: %d of %d points, %d of %d calls, %d of %d ns are left, and %d, %d, %d dropped", raw, what,
						left.Own, want.Own, left.Calls, want.Calls, left.Self, want.Self, gone.Own, gone.Calls, gone.Self)
				}
				if odd == 0 && whole.timed && want.Self != whole.all.Time {
					t.Errorf("raw %v: the self times are %d, the roots took %d", raw, want.Self, whole.all.Time)
				}
			}
		}
	})
}

// TestEditedCallers: paths are those of the edited tree; what is between calls of a method within one
// another is left out if a step says so.
func TestEditedCallers(t *testing.T) {
	editable(t, func(t *testing.T, r *lazy.TraceReader) {
		size, _ := r.Size()
		roots := forest(t, r, false)
		p := plain(r, ByMethod)
		p.estimate(roots)
		m := caseMakerOf(t, r, roots)
		if m == nil {
			return
		}
		methods := methodsOf(r, calls(roots))
		for i, text := range []string{"merge A", "drop has C", "focus A, merge B", "only A or B", "", "drop C", "merge C"} {
			var c stepCase
			if text != "" {
				c = m.make(text)
			}
			if i > 2 { // methodsOf's last is one that calls itself, if there is any
				for _, name := range []string{methods[len(methods)-1], m.names[0]} {
					s, err := ParseStep(Recursion, name)
					if err != nil {
						t.Fatal(err)
					}
					c.steps = append(c.steps, s)
				}
			}
			var scope Scope
			if err := scope.Edit(t.Context(), r, c.steps); err != nil {
				t.Fatal(err)
			}
			after := calls(edited(roots, c.plain, new(Outside)))
			for _, method := range append(methods, m.names[1]) {
				for _, o := range []CallersOptions{{Method: method, Depth: 3}, {Method: method, Depth: 40, Self: true}, {Method: method, Depth: 4, Callees: true}} {
					checkCallers(t, r, after, scope, o, max(400, size/15))
				}
			}
		}
	})
}

// TestEditedFind: with steps, what is found is what a filter matches in the edited tree, and its path
// is that there.
func TestEditedFind(t *testing.T) {
	editable(t, func(t *testing.T, r *lazy.TraceReader) {
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
			list(edited(roots, c.plain, new(Outside)), "")
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
		after := edited(roots, steps[:i+1], new(Outside))
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
	editable(t, func(t *testing.T, r *lazy.TraceReader) {
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
	editable(t, func(t *testing.T, r *lazy.TraceReader) {
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
