package lazy

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// somePlaces are places, sorted, of which those before a position are known.
type somePlaces struct {
	at   map[int32][]int64
	ids  []int32
	upto Position
	all  bool // all are known
}

func (p *somePlaces) known(thread int32) []int64 {
	list := p.at[thread]
	return list[:firstAt(list, p.Known(thread))]
}

func (p *somePlaces) First(thread int32, from, to int64) (int64, bool) {
	list := p.known(thread)
	if i := firstAt(list, from); i < len(list) && list[i] < to {
		return list[i], true
	}
	return 0, false
}

func (p *somePlaces) Last(thread int32, from, to int64) (int64, bool) {
	list := p.known(thread)
	if i := firstAt(list, to); i > 0 && list[i-1] >= from {
		return list[i-1], true
	}
	return 0, false
}

func (p *somePlaces) NextThread(id int32) (int32, bool) {
	for _, thread := range p.ids {
		if thread >= id && len(p.known(thread)) > 0 {
			return thread, true
		}
	}
	return 0, false
}

func (p *somePlaces) PrevThread(id int32) (int32, bool) {
	for _, thread := range slices.Backward(p.ids) {
		if thread <= id && len(p.known(thread)) > 0 {
			return thread, true
		}
	}
	return 0, false
}

func (p *somePlaces) Known(thread int32) int64 {
	switch {
	case p.all || thread < p.upto.Thread:
		return math.MaxInt64
	case thread == p.upto.Thread:
		return p.upto.At
	}
	return -1
}

// plainNode is a node of a tree that is loaded as a whole.
type plainNode struct {
	at       Position // -1 for a thread
	end      int64    // where the next child begins
	duration int64
	kids     []*plainNode

	container bool
	call      bool
	below     int64         // in an edited tree: durations of what is directly in it
	merged    int64         // there: points that are merged in the place of its children
	around    format.Parent // what its text needs to know of the container around it
}

func loadPlain(t *testing.T, tree *Tree) (threads []*plainNode) {
	t.Helper()
	var below func(n *Node, into *plainNode)
	below = func(n *Node, into *plainNode) {
		kids, err := tree.Children(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range kids {
			p := &plainNode{at: c.Position(), end: c.e.Load().Next, duration: weightOf(c), container: c.e.Load().Container(), call: c.Point().Class == format.ClassCall}
			if !n.IsThread() {
				p.around = format.ParentOf(n.Point())
			}
			into.kids = append(into.kids, p)
			below(c, p)
		}
	}
	for _, n := range tree.Threads() {
		p := &plainNode{at: placeOf(n)}
		threads = append(threads, p)
		below(n, p)
	}
	return threads
}

// plainView calculates the rows of a tree that shows only some places, by their definition.
type plainView struct {
	places   *somePlaces
	too      map[Position]bool
	opened   map[Position]bool // children that the user wants to see
	expanded map[Position]bool // by the user, where everything is shown
	folded   map[Position]bool // by the user, around places
	sorted   map[Position]bool
}

// plainRow is a row as text: a node, or the number of rows left out.
func (v *plainView) place(n *plainNode) bool {
	_, ok := slices.BinarySearch(v.places.known(n.at.Thread), n.at.At)
	return n.at.At >= 0 && ok || v.too[n.at]
}

// has reports whether there is a place in a node.
func (v *plainView) has(n *plainNode) bool {
	return slices.ContainsFunc(n.kids, func(c *plainNode) bool { return v.place(c) || v.has(c) })
}

func (v *plainView) rows(threads []*plainNode) (rows []string) {
	root := &plainNode{kids: threads, at: Position{Thread: -1, At: -1}}
	v.in(&rows, root, false, 0)
	return rows
}

// in appends the rows in a node. free means that everything in it is shown.
func (v *plainView) in(rows *[]string, n *plainNode, free bool, depth int) {
	kids := n.kids
	sorted := v.sorted[n.at] && len(kids) > 0
	if sorted {
		kids = slices.Clone(kids)
		slices.SortStableFunc(kids, func(a, b *plainNode) int {
			shown := func(n *plainNode) int64 {
				if free || v.shown(n) {
					return n.duration
				}
				return math.MinInt64
			}
			return cmp.Compare(shown(b), shown(a))
		})
	}
	left := 0
	flush := func() {
		if left > 0 {
			*rows = append(*rows, fmt.Sprintf("%*s+%d", depth, "", left))
		}
		left = 0
	}
	for _, c := range kids {
		if !free && !v.shown(c) {
			left++
			continue
		}
		flush()
		*rows = append(*rows, fmt.Sprintf("%*s@%d+%d", depth, "", c.at.Thread, c.at.At))
		open := free || v.place(c) || v.opened[c.at]
		if open && v.expanded[c.at] || !open && !v.folded[c.at] {
			v.in(rows, c, open, depth+1)
		}
	}
	flush()
}

func (v *plainView) shown(n *plainNode) bool { return v.place(n) || v.opened[n.at] || v.has(n) }

// walked walks over all rows, loads and counts what is missing, until nothing is.
func walked(t *testing.T, tree *Tree, down bool) (rows []Row) {
	t.Helper()
	first, next, end := tree.First, tree.Next, AtStart
	if !down {
		first, next, end = tree.Last, tree.Prev, AtEnd
	}
	r, ok := first()
	for steps := 0; ok; steps++ {
		if steps > 200_000 {
			t.Fatal("the rows do not end")
		}
		again := r.Gap()
		if again {
			if err := tree.Load(t.Context(), r, end); err != nil {
				t.Fatal(err)
			}
		}
		if l := tree.Lines([]Row{r}, false)[0]; r.Left != 0 && !l.LeftKnown {
			if err := ShownIn(tree).Count(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			again = true
		}
		if again {
			// What is loaded may have made the row before longer.
			if n := len(rows); n > 0 && rows[n-1].Left != 0 {
				rows = rows[:n-1]
			}
			if len(rows) == 0 {
				r, ok = first()
			} else {
				r, ok = next(rows[len(rows)-1])
			}
			continue
		}
		rows = append(rows, r)
		r, ok = next(r)
	}
	if !down {
		slices.Reverse(rows)
	}
	return rows
}

// shownTexts writes rows as plainView.rows does.
func shownTexts(t *testing.T, tree *Tree, rows []Row) (list []string) {
	t.Helper()
	for i, l := range tree.Lines(rows, false) {
		if l.Left != 0 && !l.LeftKnown { // of very many rows
			if err := ShownIn(tree).Count(t.Context(), rows[i]); err != nil {
				t.Fatal(err)
			}
			l = tree.Lines(rows[i:i+1], false)[0]
		}
		switch {
		case l.Node != nil:
			list = append(list, fmt.Sprintf("%*s@%d+%d", l.Depth, "", l.Node.Thread(), placeOf(l.Node).At))
		default:
			list = append(list, fmt.Sprintf("%*s+%d", l.Depth, "", l.LeftRows))
		}
	}
	return list
}

// plainCheck compares a tree with the definition.
type plainCheck struct {
	t       *testing.T
	rng     *rand.Rand
	tree    *Tree
	threads []*plainNode
	nodes   map[Position]*plainNode
	all     []*plainNode // besides threads
	view    plainView
	places  *somePlaces
}

func (c *plainCheck) flat(list []*plainNode) {
	for _, n := range list {
		c.nodes[n.at] = n
		if n.at.At >= 0 {
			c.all = append(c.all, n)
		}
		c.flat(n.kids)
	}
}

// choose chooses places: each with a chance of one in n.
func (c *plainCheck) choose(n int) {
	p := &somePlaces{at: make(map[int32][]int64), all: true}
	var known []*plainNode
	for _, x := range c.all {
		if c.rng.IntN(n) == 0 {
			p.at[x.at.Thread] = append(p.at[x.at.Thread], x.at.At)
			known = append(known, x)
		}
	}
	for _, th := range c.threads {
		p.ids = append(p.ids, th.at.Thread)
	}
	if len(known) > 0 && c.rng.IntN(3) == 0 {
		p.all, p.upto = false, known[c.rng.IntN(len(known))].at
	}
	c.places = p
	c.view = plainView{places: p, too: map[Position]bool{}, opened: map[Position]bool{}, expanded: map[Position]bool{}, folded: map[Position]bool{}, sorted: map[Position]bool{}}
	ShownIn(c.tree).Only(p)
}

// rows compares the rows of the tree, from both ends, with the definition, and returns them.
func (c *plainCheck) rows(what string) []Row {
	c.t.Helper()
	want := c.view.rows(c.threads)
	down := walked(c.t, c.tree, true)
	if got := shownTexts(c.t, c.tree, down); !slices.Equal(got, want) {
		c.t.Fatalf("%s: rows\n%q, want\n%q", what, got, want)
	}
	if up := walked(c.t, c.tree, false); !slices.Equal(up, down) {
		c.t.Fatalf("%s: walking up\n%+v, walking down\n%+v", what, up, down)
	}
	for _, r := range down {
		if r.Left != 0 {
			id, to := r.To-1, int64(math.MaxInt64)
			if r.Parent != nil {
				id, to = int64(r.Parent.Thread()), r.To
			} else {
				id = int64(c.threads[id].at.Thread)
				to = c.tree.ThreadAt(int(r.To - 1)).e.Load().End
			}
			if open := c.places.Known(int32(id)) < to; open != (r.Left == LeftOpen) {
				c.t.Fatalf("%s: %+v is left %d", what, r, r.Left)
			}
		}
		if at := c.tree.Resolve(r); at != r {
			c.t.Fatalf("%s: %+v resolves to %+v", what, r, at)
		}
	}
	return down
}

// act does something that a user could do with a row.
func (c *plainCheck) act(rows []Row) (what string) {
	r := rows[c.rng.IntN(len(rows))]
	if r.Left != 0 {
		n := []*plainNode{}
		switch {
		case r.Parent == nil:
			n = c.threads[r.From:r.To]
		case c.view.sorted[placeOf(r.Parent)]:
			for _, k := range c.nodes[placeOf(r.Parent)].kids {
				if !c.view.shown(k) {
					n = append(n, k)
				}
			}
		default:
			for _, k := range c.nodes[placeOf(r.Parent)].kids {
				if k.at.At >= r.From && k.at.At < r.To {
					n = append(n, k)
				}
			}
		}
		if c.rng.IntN(2) == 0 {
			ShownIn(c.tree).Open(r)
			for _, k := range n {
				c.view.opened[k.at] = true
			}
			return "open"
		}
		k := n[c.rng.IntN(len(n))]
		node, err := c.tree.Reveal(c.t.Context(), k.at)
		if err != nil {
			c.t.Fatal(err)
		}
		if ShownIn(c.tree).Has(node) {
			c.t.Fatalf("%v is left out, but shown", k.at)
		}
		if ShownIn(c.tree).Add(node); !ShownIn(c.tree).Has(node) {
			c.t.Fatalf("%v is not shown", k.at)
		}
		if node.IsThread() {
			c.view.opened[k.at] = true
		} else {
			c.view.too[k.at] = true
		}
		return "show too"
	}
	n := r.Node
	at := placeOf(n)
	around := c.tree.Lines([]Row{r}, false)[0].Around
	switch c.rng.IntN(4) {
	case 0:
		if len(c.nodes[at].kids) == 0 {
			break
		}
		if c.tree.IsExpanded(n) {
			c.tree.Collapse(n)
		} else {
			c.tree.Expand(n)
		}
		if around {
			c.view.folded[at] = !c.view.folded[at]
		} else {
			c.view.expanded[at] = !c.view.expanded[at]
		}
		return "toggle"
	case 1:
		if len(c.nodes[at].kids) == 0 {
			break
		}
		c.tree.CollapseAll(n)
		var below func(x *plainNode)
		below = func(x *plainNode) {
			c.view.expanded[x.at] = false
			if around {
				c.view.folded[x.at] = true
			}
			for _, k := range x.kids {
				below(k)
			}
		}
		below(c.nodes[at])
		return "collapse all"
	case 2:
		if _, timed := c.tree.r.Times(); !timed || len(c.nodes[at].kids) == 0 {
			break
		}
		order := OrderWeight
		if c.view.sorted[at] {
			order = OrderCalls
		}
		if err := c.tree.Sort(c.t.Context(), n, order, nil); err != nil {
			c.t.Fatal(err)
		}
		c.view.sorted[at] = order == OrderWeight
		return "sort"
	}
	// What is loaded goes, and with it what the user has expanded there, and its order.
	open := c.tree.IsExpanded(n)
	c.tree.Forget(n)
	if open && !around {
		c.tree.Expand(n)
	}
	var below func(x *plainNode)
	below = func(x *plainNode) {
		for _, k := range x.kids {
			c.view.expanded[k.at], c.view.sorted[k.at] = false, false
			below(k)
		}
	}
	below(c.nodes[at])
	return "forget"
}

// TestShow compares the rows of a tree that shows only some places with their definition, while a
// user expands, collapses, sorts, opens and unloads.
func TestShow(t *testing.T) {
	corpus(t, func(t *testing.T, path string) { showing(t, path, Options{NoWrite: true}, nil) })
}

// TestShowTimed is TestShow with times, and with many threads.
func TestShowTimed(t *testing.T) {
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Random, N: 600, Seed: 21, Timed: true, Threads: 3},
		{Shape: formattest.WideCalls, N: 700, Seed: 22, Timed: true},
		{Shape: formattest.Random, N: 900, Seed: 23, Threads: 40},
		{Shape: formattest.Deep, N: 120, Seed: 24, Timed: true},
	} {
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			showing(t, formattest.File(t, spec), Options{NoWrite: true}, nil)
		})
	}
}

func showing(t *testing.T, path string, o Options, e Edits) {
	r := ready(t, path, o)
	for _, folded := range []bool{true, false} {
		c := &plainCheck{
			t: t, rng: rand.New(rand.NewPCG(uint64(r.r.Known.Load().Streams.Len()), 7)), tree: newTree(r.r, folded, e), threads: loadPlain(t, newTree(r.r, folded, e)),
			nodes: make(map[Position]*plainNode),
		}
		c.flat(c.threads)
		most, rounds, acts := 2000, 3, 6
		switch {
		case formattest.Exhaustive():
			most = 1 << 20
		case formattest.Race:
			most, rounds, acts = 1000, 2, 3
		}
		if len(c.all) > most {
			t.Skip("the plain calculation takes long")
		}
		for _, n := range []int{2, 20, 300, len(c.all) + 1}[:rounds] {
			c.choose(n)
			what := fmt.Sprintf("folded %v, one in %d, all known %v", folded, n, c.places.all)
			rows := c.rows(what)
			for range acts {
				if len(rows) == 0 {
					break
				}
				did := c.act(rows)
				what += ", " + did
				rows = c.rows(what)
			}
			ShownIn(c.tree).Only(nil)
			for r, ok := c.tree.First(); ok; r, ok = c.tree.Next(r) {
				if r.Left != 0 {
					t.Fatalf("%+v, although all is shown", r)
				}
			}
			c.tree = newTree(r.r, folded, e)
		}
	}
}
