package lazy

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/lazy/internal/index"
)

// growing is a reader whose trace becomes known bit by bit, as the test decides.
type growing struct {
	*LazyTraceReader
	t    *testing.T
	scan *index.Scan
}

func newGrowing(t *testing.T, data []byte, memory int64) *growing {
	r := inMemory(data, memory)
	w := r.r
	w.Ctx = format.NewContext(w.Data.Version())
	w.Cancel = func() {}
	close(w.Done)
	t.Cleanup(func() { r.Close() })
	return &growing{r, t, index.NewScan(w.Data, w.AddReference)}
}

// grow makes about n more bytes known and reports whether there is more.
func (g *growing) grow(n int64) bool {
	g.t.Helper()
	var more bool
	err := g.r.Use(func() error {
		var err error
		more, err = g.scan.Advance(context.Background(), n)
		return err
	})
	if err != nil {
		g.t.Fatal(err)
	}
	g.r.Publish(g.scan.View(!more))
	return more
}

// prefix returns the known part as the eager loader prints it.
func (g *growing) prefix() string {
	g.t.Helper()
	f, err := eager.Load(bytes.NewReader(g.r.Data.Bytes()[:g.scan.Offset()]))
	if err != nil {
		g.t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.Print(&out, PrintOptions{Verbose: true}); err != nil {
		g.t.Fatal(err)
	}
	return out.String()
}

// walkAll expands all nodes, loads all gaps, from ends chosen by rng, and returns
// the nodes from top to bottom.
func walkAll(t *testing.T, tree *Tree, rng *rand.Rand) (nodes []*Node) {
	t.Helper()
	ctx := context.Background()
	row, ok := tree.First()
	for loads := 0; ok; {
		if !row.Gap() {
			loads = 0
			nodes = append(nodes, row.Node)
			tree.Expand(row.Node)
			row, ok = tree.Next(row)
			continue
		}
		if loads++; loads > 1000 {
			t.Fatalf("the gap %+v does not go away", row)
		}
		if err := tree.Load(ctx, row, End(rng.IntN(2))); err != nil {
			t.Fatal(err)
		}
		// The row that follows the last node now.
		if row, ok = tree.Next(rowOf(nodes[len(nodes)-1])); !ok {
			return nodes
		}
	}
	return nodes
}

// textOfNodes prints nodes as the eager loader does: a node whose end is not
// known looks like one without an end.
func textOfNodes(tree *Tree, nodes []*Node) string {
	iterations := make(map[*Node]int32)
	for _, n := range nodes {
		if p := n.Point(); p != nil && p.Class == format.ClassIteration {
			iterations[n.Parent()]++
		}
	}
	var out []byte
	empty := func(i int) bool { return i+1 == len(nodes) || nodes[i+1].IsThread() }
	trees := 0
	for i, n := range nodes {
		if n.IsThread() && !empty(i) {
			trees++
		}
	}
	tree.r.WithContext(func(c *format.Context) {
		for i, n := range nodes {
			if n.IsThread() {
				if empty(i) && (trees < 2 || c.Version() >= format.V27) {
					continue // it then has no line
				}
				out = fmt.Appendf(out, "# Thread %d", n.Thread()+1)
				if trees > 1 {
					name := ""
					if th := c.Thread(n.Thread()); th != nil {
						name = th.Name
					}
					out = append(format.AppendPlain(append(out, " ("...), name), ')')
				}
				out = append(out, '\n')
				continue
			}
			f := *n.Footer()
			if n.State() == StatePending {
				f = format.Unfinished(n.Point().Class)
				if n.Point().Class == format.ClassLoop {
					f.Iterations = iterations[n]
				}
			}
			out = append(out, strings.Repeat("  ", n.Depth()-1)...)
			out = append(c.AppendText(out, n.Point(), &f, n.around(), true), '\n')
		}
	})
	return string(out)
}

// eachGrowing calls f with the data of traces of many kinds.
func eachGrowing(t *testing.T, f func(t *testing.T, data []byte, rng *rand.Rand)) {
	seeds := uint64(10)
	if formattest.Race || testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		spec := formattest.Spec{Shape: formattest.Random, N: 250, Seed: seed, Wild: seed%2 == 1}
		spec.BlockSize = 512 << (seed % 3)
		spec.Crash = formattest.Crash(seed % 3)
		if seed >= seeds/2 {
			spec.Version = format.V27
		}
		t.Run(spec.Name(), func(t *testing.T) {
			data, _ := formattest.Bytes(t, spec)
			f(t, data, rand.New(rand.NewPCG(seed, 1)))
		})
	}
	for _, name := range small {
		t.Run(name, func(t *testing.T) { f(t, formattest.Recorded(t, name), rand.New(rand.NewPCG(1, 2))) })
	}
}

// TestGrowingTree: at each moment the raw tree shows what is known, and rows shown
// earlier stay where they were.
func TestGrowingTree(t *testing.T) {
	eachGrowing(t, func(t *testing.T, data []byte, rng *rand.Rand) {
		g := newGrowing(t, data, 64<<20)
		tree := g.Tree(false)
		var before []*Node
		for more := true; more; {
			more = g.grow(rng.Int64N(600) + 1)
			tree.Refresh()
			nodes := walkAll(t, tree, rng)
			formattest.SameText(t, []byte(textOfNodes(tree, nodes)), []byte(g.prefix()))
			i := 0
			for _, n := range nodes {
				if i < len(before) && n == before[i] {
					i++
				}
			}
			if i < len(before) {
				t.Fatalf("at %d: node %d of %d that was shown is not in its place", g.scan.Offset(), i, len(before))
			}
			before = nodes
		}
	})
}

// TestGrowingViews: trees that grew, including folded ones and ones with a small budget,
// show in the end the same as a new tree. At all times positions can be found and
// revealed, and children counted.
func TestGrowingViews(t *testing.T) {
	ctx := context.Background()
	eachGrowing(t, func(t *testing.T, data []byte, rng *rand.Rand) {
		for _, folded := range []bool{false, true} {
			for _, memory := range []int64{64 << 20, 16 << 10} {
				g := newGrowing(t, data, memory)
				tree := g.Tree(folded)
				for more := true; more; {
					more = g.grow(rng.Int64N(2000) + 1)
					if rng.IntN(3) == 0 {
						continue // the tree is not refreshed
					}
					tree.Refresh()
					for _, th := range tree.Threads() {
						p, err := g.FindFraction(th.Thread(), rng.Float64())
						if err != nil {
							t.Fatal(err)
						}
						n, err := tree.Reveal(ctx, p)
						if err != nil {
							t.Fatal(err)
						}
						kids, err := tree.Children(ctx, n)
						if err != nil {
							t.Fatal(err)
						}
						count, exact, err := tree.CountChildren(ctx, n, 0)
						if err != nil || exact != (n.State() != StatePending) || count != int64(len(kids)) {
							t.Fatalf("%d children, exact %v, %d loaded: %v", count, exact, len(kids), err)
						}
						if folded && rng.IntN(2) == 0 {
							tree.Collapse(n)
						}
					}
				}
				tree.Refresh()
				// A node that was expanded when its end became known stays as it is.
				for _, th := range tree.Threads() {
					tree.Forget(th)
				}
				all := func(tree *Tree) string { return treeText(t, tree, ways(t, tree)["all"]) }
				formattest.SameText(t, []byte(all(tree)), []byte(all(g.Tree(folded))))
				st := tree.Stats()
				for _, th := range tree.Threads() {
					tree.Forget(th)
				}
				if after := tree.Stats(); after.Loaded != 0 || after.Bytes != 0 {
					t.Fatalf("all forgotten of %+v, but %+v", st, after)
				}
			}
		}
	})
}

// TestGrownWhileRead: children read before the tree grew, but attached later, do not
// add anything that is no longer true.
func TestGrownWhileRead(t *testing.T) {
	eachGrowing(t, func(t *testing.T, data []byte, rng *rand.Rand) {
		for _, folded := range []bool{false, true} {
			g := newGrowing(t, data, 64<<20)
			tree := g.Tree(folded)
			for more := true; more; {
				more = g.grow(rng.Int64N(1500) + 1)
				tree.Refresh()
				for _, th := range tree.Threads() {
					tree.Expand(th)
					gap, ok := tree.LastChild(th)
					if !ok || !gap.Gap() {
						continue
					}
					tree.mu.Lock()
					from, to, ord, ok := th.gap(gap.From)
					tree.mu.Unlock()
					if !ok {
						t.Fatal("a gap that is none")
					}
					var s *childRun
					if err := tree.read(th, func(l *nodeReader) error {
						var err error
						s, err = l.forward(context.Background(), from, to, ord, slabNodes)
						return err
					}); err != nil {
						t.Fatal(err)
					}
					more = more && g.grow(rng.Int64N(1500)+1)
					tree.Refresh()
					tree.mu.Lock()
					tree.memory.attach(th, s, tree.now)
					tree.mu.Unlock()
				}
			}
			tree.Refresh()
			fresh := g.Tree(folded)
			for i, th := range tree.Threads() {
				got, err := tree.Children(context.Background(), th)
				if err != nil {
					t.Fatal(err)
				}
				want, err := fresh.Children(context.Background(), fresh.Threads()[i])
				if err != nil {
					t.Fatal(err)
				}
				same := slices.EqualFunc(got, want, func(a, b *Node) bool {
					return a.Position() == b.Position() && a.State() == b.State() && a.e.Load().Next == b.e.Load().Next
				})
				if !same {
					t.Fatalf("thread %d: %d roots, want %d, or others", th.Thread(), len(got), len(want))
				}
			}
		}
	})
}
