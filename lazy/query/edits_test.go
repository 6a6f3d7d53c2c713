package query

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
)

// editable calls f for some traces, in parallel: with times and without, damaged, recorded.
func editable(t *testing.T, f func(t *testing.T, r *lazy.LazyTraceReader)) {
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

// testTop runs a Top over an edited scope.
func editedTop(t *testing.T, r *lazy.LazyTraceReader, scope Scope, share int64) *Top {
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
	r     *lazy.LazyTraceReader
	names []string
	event int32       // of a call
	every []*node     // one in seven of all points
	set   *places.Set // where they are
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
		"every": func(n *node) bool {
			return n.class < mergedAway && slices.ContainsFunc(m.every, func(of *node) bool { return of.at == n.at })
		},
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
	if text == "every" {
		return FocusOn("7 points", m.set), plainStep{kind, hits[text]}
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

// depth returns how many calls, loops and iterations are around a node.
func depth(n *node) (d int) {
	for up := n.parent; up != nil; up = up.parent {
		if up.class.Container() {
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
func caseMakerOf(t *testing.T, r *lazy.LazyTraceReader, roots []*node) *caseMaker {
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
					if d.Name == "<init>" || d.Name == "<clinit>" || strings.TrimSpace(name) != name { // as a step cannot name it
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
	m.choose(roots)
	return m
}

// choose chooses one in seven of all points, in the order of the trace.
func (m *caseMaker) choose(roots []*node) {
	n := 0
	var walk func(list []*node)
	walk = func(list []*node) {
		for _, k := range list {
			if n++; n%7 == 0 {
				m.every = append(m.every, k)
			}
			walk(k.kids)
		}
	}
	walk(roots)
	slices.SortFunc(m.every, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.at.Thread, b.at.Thread), cmp.Compare(a.at.At, b.at.At))
	})
	m.set = places.New()
	for _, k := range m.every {
		m.set.Add(k.at.Thread, k.at.At)
	}
	m.set.Finish()
}

var stepCases = []string{
	"merge A", "merge A, merge B, merge C", "only A or B", "only A, only B", "drop A", "drop C", "focus A", "focus B", "focus event", "drop event", "merge event",
	"merge A, drop B in A", "drop B in A, merge A", "focus A, merge B, focus C", "merge A, focus event", "drop has C", "merge C, drop has C", "merge depth 1, drop depth 1",
	"focus C, only A or B", "merge threw, drop B", "drop threw", "focus every", "merge A, focus every, drop B",
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
		editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
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
func compareSteps(t *testing.T, r *lazy.LazyTraceReader, raw bool, roots []*node, c stepCase, text string, share int64) Totals {
	t.Helper()
	scope := Scope{Raw: raw}
	if err := scope.Edit(t.Context(), r, c.steps); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var outside StackSums
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
	editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
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
	editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
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
	editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
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
			after := calls(edited(roots, c.plain, new(StackSums)))
			for _, method := range append(methods, m.names[1]) {
				for _, o := range []CallersOptions{{Method: method, Depth: 3}, {Method: method, Depth: 40, Self: true}, {Method: method, Depth: 4, Callees: true}} {
					checkCallers(t, r, after, scope, o, max(400, size/15))
				}
			}
		}
	})
}
