package lazy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// hashEdits leave out containers by their places, and by how many containers are around them: of 16 so
// many are merged, and so many dropped.
type hashEdits struct {
	merge, drop uint64
	shown       *map[int32][]int64   // by thread: where all begins that is shown; nil if not known
	bare        func(part PassRange) // is told of bare parts, see Edits.Barren
	around      *callsAround         // checks what is told of the container around; nil for no check
}

// callsAround has, for each container, what its text needs to know of the one around it.
type callsAround struct {
	known          map[Position]format.Parent
	checked, wrong atomic.Int64
}

func (c *callsAround) check(p *PassPoint) {
	if want, ok := c.known[Position{Thread: p.Thread, At: p.At}]; ok {
		c.checked.Add(1)
		if p.Parent() != want {
			c.wrong.Add(1)
		}
	}
}

func (h hashEdits) Begin(int32) EditState { return 0 }

func (h hashEdits) Leaves(in EditState) EditLeaves {
	switch in.(int) % 5 {
	case 4:
		return LeavesNone
	case 2:
		return LeavesAsked
	}
	return LeavesAll
}

func (h hashEdits) Leaf(in EditState, p *PassPoint) Edit {
	if h.around != nil {
		h.around.check(p)
	}
	return h.leaf(in, p.At)
}

// leaf decides about a point that is no container, asked or not.
func (h hashEdits) leaf(in EditState, at int64) Edit {
	switch h.Leaves(in) {
	case LeavesNone:
		return EditMerge
	case LeavesAsked:
		return Edit(uint64(at) * 0x9E3779B97F4A7C15 >> 40 % 3)
	}
	return EditNone
}

func (h hashEdits) Enter(in EditState, p *PassPoint) (Edit, EditState) {
	if h.around != nil {
		h.around.check(p)
	}
	how, inside := h.decide(in, p.At)
	return how, inside
}

func (h hashEdits) decide(in EditState, at int64) (Edit, EditState) {
	x := uint64(at) * 0x9E3779B97F4A7C15 >> 60
	switch {
	case x < h.merge:
		return EditMerge, in.(int) + 1
	case x < h.merge+h.drop:
		return EditDrop, in
	}
	return EditNone, in.(int) + int(x&1)
}

func (h hashEdits) Barren(_ EditState, part PassRange, bare bool) bool {
	if h.shown == nil {
		return false
	}
	if bare {
		h.bare(part)
	}
	list := (*h.shown)[part.Thread]
	i := firstAt(list, part.From)
	return i == len(list) || list[i] >= part.To
}

// edited applies edits to a tree that is loaded as a whole.
func (h hashEdits) edited(list []*plainNode, in EditState) (out []*plainNode) {
	for _, n := range list {
		c := *n
		switch how, inside := h.decide(in, n.at.At); {
		case n.at.At < 0:
			c.kids, c.merged = h.edited(n.kids, in), h.merged(n.kids, in)
			out = append(out, &c)
		case !n.container:
			if h.leaf(in, n.at.At) == EditNone {
				out = append(out, &c)
			}
		case how == EditMerge:
			out = append(out, h.edited(n.kids, inside)...)
		case how == EditNone:
			c.kids, c.below, c.merged = h.edited(n.kids, inside), h.below(n.kids, inside), h.merged(n.kids, inside)
			out = append(out, &c)
		}
	}
	return out
}

// below adds up the durations of the calls directly in a call, of those in its loops, and of what is dropped.
func (h hashEdits) below(list []*plainNode, in EditState) (sum int64) {
	for _, n := range list {
		switch how, inside := h.decide(in, n.at.At); {
		case !n.container:
		case how == EditMerge, how == EditNone && !n.call:
			sum += h.below(n.kids, inside)
		default:
			sum += max(0, n.duration)
		}
	}
	return sum
}

// merged counts the points without a row among children, and in those of these that are merged.
func (h hashEdits) merged(list []*plainNode, in EditState) (count int64) {
	for _, n := range list {
		switch how, inside := h.decide(in, n.at.At); {
		case !n.container && h.leaf(in, n.at.At) == EditMerge:
			count++
		case n.container && how == EditMerge:
			count += 1 + h.merged(n.kids, inside)
		}
	}
	return count
}

// texts writes a tree: a line for each node.
func (n *plainNode) texts(depth int, out []string) []string {
	out = append(out, fmt.Sprintf("%*s@%d+%d", depth, "", n.at.Thread, n.at.At))
	for _, k := range n.kids {
		out = k.texts(depth+1, out)
	}
	return out
}

// editCases are edits from few to all containers.
var editCases = []hashEdits{{merge: 5}, {merge: 13, drop: 1}, {merge: 16}, {merge: 2, drop: 6}, {merge: 9, drop: 2}}

// TestEdited: the children of each node of an edited tree are what the edits leave of the whole tree,
// loaded from both ends and around each place, whatever the budget.
func TestEdited(t *testing.T) {
	for i, spec := range []formattest.Spec{
		{Shape: formattest.Random, N: 900, Seed: 31, Threads: 3, Timed: true},
		{Shape: formattest.Random, N: 900, Seed: 32, Wild: true, Crash: formattest.CrashPartial},
		{Shape: formattest.WideCalls, N: 3000, Seed: 33},
		{Shape: formattest.WideLeaves, N: 4000, Seed: 34},
		{Shape: formattest.Wide, N: 1500, Seed: 34},
		{Shape: formattest.Deep, N: 400, Seed: 35},
		{Shape: formattest.Calls, N: 600, Seed: 36, Crash: formattest.CrashLost},
	} {
		if formattest.Race && i%2 > 0 {
			continue
		}
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			path := formattest.File(t, spec)
			for k, memory := range []int64{64 << 20, 32 << 10} {
				r := ready(t, path, Options{NoWrite: true, Memory: memory})
				for j, h := range editCases {
					if (i+j+k)%2 == 0 {
						checkEdited(t, r, (i+j)%3 > 0, h)
					}
				}
			}
		})
	}
	t.Cleanup(func() {
		if bareParts.Load() == 0 && !formattest.Race && !t.Failed() {
			t.Error("no part was bare")
		}
	})
}

// bareParts counts the bare parts of TestEdited.
var bareParts atomic.Int64

func checkEdited(t *testing.T, r *LazyTraceReader, folded bool, h hashEdits) {
	t.Helper()
	whole := loadPlain(t, r.Tree(folded))
	want := h.edited(whole, 0)
	what := fmt.Sprintf("folded %v, %v", folded, [2]uint64{h.merge, h.drop})
	h.around = &callsAround{known: make(map[Position]format.Parent)}
	var note func(n *plainNode)
	note = func(n *plainNode) {
		for _, k := range n.kids {
			if k.container {
				h.around.known[k.at] = k.around
			}
			note(k)
		}
	}
	for _, n := range whole {
		note(n)
	}
	defer func() {
		if n := h.around.wrong.Load(); n > 0 || h.around.checked.Load() == 0 && len(h.around.known) > 0 {
			t.Errorf("%s: of %d of %d containers another call around was told", what, n, h.around.checked.Load())
		}
	}()
	for i, n := range loadPlain(t, EditedTree(r, folded, h)) {
		if got, want := n.texts(0, nil), want[i].texts(0, nil); !slices.Equal(got, want) {
			t.Fatalf("%s: loaded\n%q, want\n%q", what, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(7, uint64(len(whole))))
	shown := make(map[int32][]int64)
	h.shown = &shown
	leaves := make(map[Position]int64) // those that are shown: where what is around them as recorded begins
	h.bare = func(part PassRange) {
		bareParts.Add(1)
		for leaf, in := range leaves {
			if leaf.Thread == part.Thread && leaf.At >= part.From && leaf.At < part.To && in < part.From {
				t.Errorf("%s: %v is shown, in a bare part %v", what, leaf, part)
			}
		}
	}
	tree := EditedTree(r, folded, h)
	tree.leap = 40         // so that even small traces have much that is left out
	var nodes []*plainNode // with children
	parents := make(map[Position]*plainNode)
	var flat func(list []*plainNode)
	flat = func(list []*plainNode) {
		for _, n := range list {
			if len(n.kids) > 0 {
				nodes = append(nodes, n)
			}
			for _, k := range n.kids {
				parents[k.at] = n
				shown[k.at.Thread] = append(shown[k.at.Thread], k.at.At)
			}
			flat(n.kids)
		}
	}
	flat(want)
	for _, list := range shown {
		slices.Sort(list)
	}
	var within func(n *plainNode)
	within = func(n *plainNode) {
		for _, k := range n.kids {
			if parents[k.at] != nil && !k.container {
				leaves[k.at] = n.at.At
			}
			within(k)
		}
	}
	for _, n := range whole {
		within(n)
	}
	slices.SortStableFunc(nodes, func(a, b *plainNode) int { return len(b.kids) - len(a.kids) })
	for i, n := range nodes {
		if i > 4 && rng.IntN(len(nodes)) > 12 {
			continue
		}
		at, err := tree.Reveal(t.Context(), n.at)
		if err != nil || placeOf(at) != n.at {
			t.Fatalf("%s: revealed %v for %v: %v", what, placeOf(at), n.at, err)
		}
		count, _, err := tree.CountChildren(t.Context(), at, 0)
		if err != nil || count != int64(len(n.kids)) {
			t.Errorf("%s: %d children of %v, want %d: %v", what, count, n.at, len(n.kids), err)
		}
		if got := MergedIn(at); got != n.merged {
			t.Errorf("%s: %d points merged in %v, want %d", what, got, n.at, n.merged)
		}
		if self, _, known := at.Self(); known && n.at.At >= 0 {
			took, _ := at.Time()
			if want := max(0, took.Duration-n.below); self != want {
				t.Errorf("%s: self time of %v is %d, want %d", what, n.at, self, want)
			}
		}
		for _, end := range []End{AtEnd, AtStart} {
			tree.Forget(at)
			if some := n.kids[rng.IntN(len(n.kids))]; i%2 == 0 {
				if c, err := tree.Reveal(t.Context(), some.at); err != nil || placeOf(c) != some.at || c.parent != at {
					t.Fatalf("%s: revealed %v for %v: %v", what, placeOf(c), some.at, err)
				}
			}
			tree.Expand(at)
			if got := loadedFrom(t, tree, at, end); !slices.EqualFunc(got, n.kids, func(p Position, k *plainNode) bool { return p == k.at }) {
				t.Fatalf("%s: %v from end %d has %v, want %d", what, n.at, end, got, len(n.kids))
			}
		}
	}
	// What is left out leads to what is around it.
	var hidden func(list []*plainNode, around *plainNode)
	hidden = func(list []*plainNode, around *plainNode) {
		for _, n := range list {
			in := around
			if _, ok := parents[n.at]; ok || n.at.At < 0 {
				in = n
			} else if rng.IntN(len(whole)+20) == 0 {
				if c, err := tree.Reveal(t.Context(), n.at); err != nil || placeOf(c) != around.at {
					t.Fatalf("%s: revealed %v for %v in %v: %v", what, placeOf(c), n.at, around.at, err)
				} else if !tree.LeftOut(t.Context(), c, n.at) {
					t.Fatalf("%s: %v is hidden for another reason", what, n.at)
				}
			}
			hidden(n.kids, in)
		}
	}
	hidden(whole, nil)
}

// loadedFrom loads the rows of a node from one end, and returns their places in order.
func loadedFrom(t *testing.T, tree *Tree, n *Node, end End) (list []Position) {
	t.Helper()
	first, next := tree.FirstChild, tree.NextSibling
	if end == AtEnd {
		first, next = tree.LastChild, tree.PrevSibling
	}
	r, ok := first(n)
	for loads := 0; ok; {
		if r.Gap() {
			if loads++; loads > 10_000 {
				t.Fatal("the gaps do not end")
			}
			if loads%2 == 0 {
				tree.ways = recentWays{} // where a load begins has to be found
			}
			if err := tree.Load(t.Context(), r, end); err != nil {
				t.Fatal(err)
			}
			if len(list) == 0 {
				r, ok = first(n)
				continue
			}
			r = rowOfPlace(t, tree, n, list[len(list)-1])
		} else {
			list = append(list, placeOf(r.Node))
		}
		r, ok = next(r)
	}
	if end == AtEnd {
		slices.Reverse(list)
	}
	return list
}

// rowOfPlace returns the row of a child that is loaded, or loads it.
func rowOfPlace(t *testing.T, tree *Tree, n *Node, at Position) Row {
	t.Helper()
	c, err := tree.Reveal(t.Context(), at)
	if err != nil || c.parent != n {
		t.Fatalf("%v is in %v: %v", at, c.parent, err)
	}
	return rowOf(c)
}

// TestEditedShow is TestShow on edited trees.
func TestEditedShow(t *testing.T) {
	for i, spec := range []formattest.Spec{
		{Shape: formattest.Random, N: 500, Seed: 41, Timed: true, Threads: 3},
		{Shape: formattest.WideCalls, N: 500, Seed: 42, Timed: true},
		{Shape: formattest.Deep, N: 120, Seed: 43, Timed: true},
	} {
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			showing(t, formattest.File(t, spec), Options{NoWrite: true}, editCases[i])
		})
	}
}

// TestEditedGrows: at each moment an edited tree that is kept shows what the edits leave of what is known.
func TestEditedGrows(t *testing.T) {
	for i, spec := range []formattest.Spec{
		{Shape: formattest.Random, N: 300, Seed: 51, Options: formattest.Options{BlockSize: 1024}},
		{Shape: formattest.Deep, N: 60, Seed: 52, Options: formattest.Options{BlockSize: 512}},
		{Shape: formattest.Calls, N: 150, Seed: 53, Crash: formattest.CrashPartial, Options: formattest.Options{BlockSize: 700}},
	} {
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(formattest.File(t, spec))
			if err != nil {
				t.Fatal(err)
			}
			for k, h := range editCases {
				if formattest.Race && k%2 > 0 {
					continue
				}
				folded := (i+k)%2 > 0
				rng := rand.New(rand.NewPCG(uint64(i), uint64(k)))
				g := newGrowing(t, data, 64<<20)
				tree := EditedTree(g.LazyTraceReader, folded, h)
				for more := true; more; {
					more = g.grow(1 + rng.Int64N(int64(len(data))/6))
					tree.Refresh()
					var want, got []string
					for _, n := range h.edited(loadPlain(t, g.Tree(folded)), 0) {
						want = n.texts(0, want)
					}
					for _, n := range walkAll(t, tree, rng) {
						got = append(got, fmt.Sprintf("%*s@%d+%d", n.Depth(), "", n.Thread(), placeOf(n).At))
					}
					if !slices.Equal(got, want) {
						t.Fatalf("folded %v, %v, at %d of %d:\n%q, want\n%q", folded, h, g.scan.Offset(), len(data), got, want)
					}
				}
			}
		})
	}
}

// TestEnclosedLike: what is around an offset does not depend on what it is found by.
func TestEnclosedLike(t *testing.T) {
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 900, Seed: 31}), Options{NoWrite: true})
	tree := r.Tree(false)
	rng := rand.New(rand.NewPCG(3, 4))
	own := 0 // around one of two offsets alone
	for _, th := range tree.Threads() {
		info, _ := r.ThreadInfo(th.Thread())
		err := tree.read(th, func(l *nodeReader) error {
			for range 500 {
				a, b := rng.Int64N(info.Bytes), rng.Int64N(info.Bytes)
				around, want := l.Enclosing(a), l.Enclosing(b)
				if len(around) > 0 && (len(want) == 0 || around[len(around)-1] != want[len(want)-1]) {
					own++
				}
				if got := l.EnclosedLike(around, b); !slices.Equal(got, want) {
					return fmt.Errorf("around %d, by what is around %d: %v, want %v", b, a, got, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if own == 0 {
		t.Error("the test shows nothing")
	}
}
