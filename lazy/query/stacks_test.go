package query

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/spill"
)

// plainStacks adds up the calls of a forest by their stacks, by plain recursion.
type plainStacks struct {
	*plainTop
	lines  bool
	deep   int
	levels int // 0 for all
	label  func(event int32) string
	one    []func(*node) bool // methods of which calls within one another are one in stacks
	stacks map[string]StackSums
}

// addAll adds the calls of a forest.
func (p *plainStacks) addAll(roots []*node) {
	p.add(calls(roots), nil, slices.Repeat([]int{-1}, len(p.one)))
}

// level returns how many nodes are around one.
func (n *node) level() (l int) {
	for up := n.parent; up != nil; up = up.parent {
		l++
	}
	return l
}

// add adds calls; path is the stack around them, outer the index in it of the outermost call of each method of one.
func (p *plainStacks) add(list []*node, path []string, outer []int) {
	for _, n := range list {
		frame := p.key(n)
		if p.lines && n.location >= 0 {
			frame += fmt.Sprint("@", n.location)
		}
		at, within := append(path[:len(path):len(path)], frame), slices.Clone(outer)
		for i, is := range p.one {
			if is(n) && outer[i] >= 0 {
				at = at[:min(len(at), outer[i]+1)]
			}
		}
		for i, is := range p.one {
			if within[i] >= len(at) {
				within[i] = -1 // what is left out
			}
			if is(n) && within[i] < 0 {
				within[i] = len(at) - 1
			}
		}
		own, self := n.points, n.time.Duration
		for _, k := range calls(n.kids) {
			own -= k.points
			if k.timed {
				self -= k.time.Duration
			}
		}
		s := StackSums{Calls: 1, Own: own}
		if p.timed && n.timed {
			s.Self = max(0, self)
		}
		shown := at
		if p.deep > 0 && len(shown) > p.deep {
			shown = append(slices.Clone(shown[:p.deep-1]), shown[len(shown)-1])
		}
		text := fmt.Sprint(n.thread, shown, p.label(n.event))
		if p.levels > 0 && n.level() > p.levels { // part of the call around it
			at, within, s.Calls = path, outer, 0
			text = fmt.Sprint(n.thread, path, "")
		}
		sum := p.stacks[text]
		sum.add(&s)
		p.stacks[text] = sum
		p.add(calls(n.kids), at, within)
	}
}

// stackSums collects what Stacks give away.
type stackSums struct {
	sums  map[string]StackSums
	times int
}

func (s *stackSums) take(tree *StackTree) error {
	s.times++
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		if n.StackSums == (StackSums{}) {
			continue
		}
		label, at := "", int32(i)
		if n.At == AtLabel {
			label, at = tree.Label(n.What), n.Parent
		}
		path := []string{}
		for ; tree.Nodes[at].At != AtThread; at = tree.Nodes[at].Parent {
			n := &tree.Nodes[at]
			frame := tree.Groups[n.What].key(ByMethod)
			if n.At != AtCall {
				frame += fmt.Sprint("@", n.At)
			}
			path = append(path, frame)
		}
		slices.Reverse(path)
		text := fmt.Sprint(tree.Nodes[at].What, path, label)
		sum := s.sums[text]
		sum.add(&n.StackSums)
		s.sums[text] = sum
	}
	return nil
}

// stacked runs Stacks.
func stackedBy(t *testing.T, r *lazy.LazyTraceReader, scope Scope, share int64, o StacksOptions) *stackSums {
	t.Helper()
	got := &stackSums{sums: make(map[string]StackSums)}
	o.Take = got.take
	s := NewStacks(r, scope, o)
	pass := scope.Over(s)
	pass.Share = share
	if err := r.Pass(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	return got
}

// labelled labels two of three calls by their events.
func labelled(event int32) string { return [...]string{"", "a", "b"}[uint32(event)%3] }

func sameStacks(t *testing.T, where string, got, want map[string]StackSums) {
	t.Helper()
	maps.DeleteFunc(want, func(_ string, s StackSums) bool { return s == StackSums{} })
	if maps.Equal(got, want) {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if got[k] != want[k] {
			t.Fatalf("%s: %s\n got %+v\nwant %+v", where, k, got[k], want[k])
		}
	}
	t.Fatalf("%s: %d stacks, want %d", where, len(got), len(want))
}

// TestStacks: the sums of each stack are those of a plain recursion over the tree, however the pass is cut, and
// however often stacks are given away.
func TestStacks(t *testing.T) {
	editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		for i, raw := range []bool{false, true} {
			roots := forest(t, r, raw)
			top := plain(r, ByMethod)
			top.estimate(roots)
			want := &plainStacks{plainTop: top, lines: raw, label: labelled, stacks: make(map[string]StackSums)}
			o := StacksOptions{Lines: raw, Label: func(dst []byte, p *lazy.PassPoint) []byte { return append(dst, labelled(p.Event)...) }}
			if i == 1 {
				want.deep, o.Deep = 5, 5
			}
			want.addAll(roots)
			for _, share := range []int64{0, max(300, size/20)} {
				for _, o.Most = range []int{0, 1} {
					got := stackedBy(t, r, Scope{Raw: raw}, share, o)
					sameStacks(t, fmt.Sprintf("raw %v, share %d, most %d", raw, share, o.Most), got.sums, want.stacks)
					if o.Most == 1 && share > 0 && got.times < 3 {
						t.Errorf("given away %d times", got.times)
					}
				}
			}
		}
	})
}

// TestEditedStacks: stacks are those of the edited tree; calls of a method within one another are one if a step says so.
func TestEditedStacks(t *testing.T) {
	t.Cleanup(spill.SetChunk(100)) // calls deep within one another are in a file
	editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		roots := forest(t, r, false)
		top := plain(r, ByMethod)
		top.estimate(roots)
		m := caseMakerOf(t, r, roots)
		if m == nil {
			return
		}
		methods := methodsOf(r, calls(roots))
		for i, text := range slices.Concat(stepCases, onlyCases, kindCases, []string{"", "drop C"}) {
			if !formattest.Exhaustive() && text != "" && (i+len(t.Name()))%4 != 0 {
				continue
			}
			c := stepCase{}
			if text != "" {
				c = m.make(text)
			}
			want := &plainStacks{plainTop: top, label: func(int32) string { return "" }, stacks: make(map[string]StackSums)}
			if i%3 == 0 || text == "" { // methodsOf's last is one that calls itself, if there is any
				for _, name := range []string{methods[len(methods)-1], m.names[0]} {
					s, err := ParseStep(Recursion, name)
					if err != nil {
						t.Fatal(err)
					}
					c.steps, want.one = append(c.steps, s), append(want.one, m.is(name))
				}
			}
			var scope Scope
			if err := scope.Edit(t.Context(), r, c.steps); err != nil {
				t.Fatal(err)
			}
			want.levels = []int{0, 0, 3}[i%3]
			want.addAll(edited(roots, c.plain, new(StackSums)))
			for _, share := range []int64{0, max(300, size/20)} {
				got := stackedBy(t, r, scope, share, StacksOptions{Most: 1 + 30*(i%2), Levels: want.levels})
				sameStacks(t, fmt.Sprintf("%s (%v), share %d", text, c.steps, share), got.sums, want.stacks)
			}
		}
	})
}

// TestStacksOfScope: the sums of the stacks that end with a method are those of its row in a Top of the same part of a
// trace, which includes the time of calls that are only partly in it.
func TestStacksOfScope(t *testing.T) {
	for _, path := range []string{shop(t), formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 400, Seed: 2, Timed: true, Options: formattest.Options{BlockSize: 3000}})} {
		r := opened(t, path)
		first := r.Threads()[0].ID
		all, _ := r.ThreadTime(first)
		for _, scope := range []Scope{
			{Timed: true, From: all.Start + all.Duration/3, To: all.Start + all.Duration/2}, {Timed: true, To: all.Start + all.Duration/10},
			{Ranges: []lazy.PassRange{{Thread: first, From: 200, To: 1500}}},
		} {
			for _, share := range []int64{0, 700} {
				top := NewTop(r, scope, ByMethod)
				sums := make(map[*Group]StackSums)
				s := NewStacks(r, scope, StacksOptions{Most: 50, Take: func(tree *StackTree) error {
					for i := range tree.Nodes {
						if n := &tree.Nodes[i]; n.At == AtCall {
							sum := sums[tree.Groups[n.What]]
							sum.add(&n.StackSums)
							sums[tree.Groups[n.What]] = sum
						}
					}
					return nil
				}})
				pass := scope.Over(top, s)
				pass.Share = share
				if err := r.Pass(t.Context(), pass); err != nil {
					t.Fatal(err)
				}
				if err := s.Finish(); err != nil {
					t.Fatal(err)
				}
				want := make(map[string]StackSums)
				for i, g := range top.groups.list() {
					if i < len(top.rows) {
						want[g.key(ByMethod)] = StackSums{top.rows[i].Calls, top.rows[i].Self, top.rows[i].Own}
					}
				}
				got := make(map[string]StackSums)
				for g, sum := range sums {
					got[g.key(ByMethod)] = sum
				}
				maps.DeleteFunc(got, func(_ string, s StackSums) bool { return s == StackSums{} })
				if len(got) == 0 && scope.Timed {
					t.Errorf("%+v: nothing", scope)
				}
				sameStacks(t, fmt.Sprintf("%+v, share %d", scope, share), got, want)
			}
		}
	}
}
