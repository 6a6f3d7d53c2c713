package lazy

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/internal/walk"
	"tracex/lazy/literal"
)

func TestNestedDeep(t *testing.T) {
	t.Parallel()
	depth := 20_000
	if formattest.Exhaustive() {
		depth = 100_000
	}
	path := formattest.File(t, formattest.Spec{Shape: formattest.Deep, N: depth, Seed: 1})
	for name, from := range map[string]string{"with index": path, "without": withoutIndex(t, path)} {
		t.Run(name, func(t *testing.T) { nestedDeep(t, from, depth) })
	}
}

// nestedDeep prints a trace of nested calls, goes to the innermost,
// and forgets everything.
func nestedDeep(t *testing.T, from string, depth int) {
	t.Parallel()
	r := ready(t, from, Options{NoWrite: true})
	var w countWriter
	if err := r.Print(context.Background(), &w, PrintOptions{Folded: true}, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	if int64(w) < int64(depth)*int64(depth) { // two spaces per level
		t.Fatalf("printed only %d bytes", w)
	}
	tree := r.Tree(true)
	s := r.r.Known.Load().Streams.At(0)
	var innermost int64
	r.r.Use(func() error { innermost = s.Cells.At(0).Start - 1; return nil })
	n, err := tree.Reveal(context.Background(), Position{Thread: s.Thread, At: innermost})
	if err != nil {
		t.Fatal(err)
	}
	if n.Depth() < depth-10 {
		t.Fatalf("revealed %d deep", n.Depth())
	}
	row := rowOf(n)
	for range 200 {
		var ok bool
		if row, ok = tree.Prev(row); !ok {
			t.Fatal("no row above")
		}
	}
	if rows := tree.Rows(row, 100); len(rows) != 100 {
		t.Fatalf("%d rows", len(rows))
	}
	tree.Keep(rowOf(n))
	tree.CollapseAll(tree.Threads()[0])
	tree.Forget(tree.Threads()[0])
	if st := tree.Stats(); st.Loaded != 0 || st.Bytes != 0 {
		t.Fatalf("forgotten, but %+v", st)
	}
}

// TestManyChildren expands nodes with up to five million direct children,
// at both ends and in the middle.
func TestManyChildren(t *testing.T) {
	t.Parallel()
	for shape, n := range map[formattest.Shape]int{
		formattest.Wide: 2_000_000, formattest.WideCalls: 1_000_000, formattest.WideLeaves: 5_000_000,
	} {
		t.Run(string(shape), func(t *testing.T) {
			t.Parallel()
			if !formattest.Exhaustive() || formattest.Race {
				n /= 25
			}
			r := ready(t, formattest.File(t, formattest.Spec{Shape: shape, N: n, Seed: 1}), Options{NoWrite: true, Memory: 8 << 20})
			tree := r.Tree(true)
			node := widest(t, tree)
			ctx := context.Background()
			tree.Expand(node)
			for _, end := range []End{AtStart, AtEnd} {
				row, _ := tree.FirstChild(node)
				if end == AtEnd {
					row, _ = tree.LastChild(node)
				}
				if err := tree.Load(ctx, row, end); err != nil {
					t.Fatal(err)
				}
			}
			first, _ := tree.FirstChild(node)
			last, _ := tree.LastChild(node)
			if first.Gap() || last.Gap() {
				t.Fatal("an end is not loaded")
			}
			mid, err := r.FindFraction(node.Thread(), 0.5)
			if err != nil {
				t.Fatal(err)
			}
			in, err := tree.Reveal(ctx, mid)
			if err != nil || in.Parent() != node && in.Parent().Parent() != node {
				t.Fatalf("the middle is not in the node: %v", err)
			}
			count, exact, err := tree.CountChildren(ctx, node, 0)
			if err != nil || !exact || count < int64(n) || count > int64(n)+10 {
				t.Fatalf("%d children, exact %v: %v", count, exact, err)
			}
			c, err := tree.Child(ctx, node, count-1)
			if err != nil || c.Position() != last.Node.Position() {
				t.Fatalf("the child with the last number is not the last: %v", err)
			}
			if st := tree.Stats(); st.Bytes > st.Budget {
				t.Fatalf("over the budget: %+v", st)
			}
		})
	}
}

// widest returns the node with the most children, among the first of each level.
func widest(t *testing.T, tree *Tree) *Node {
	t.Helper()
	ctx := context.Background()
	n := tree.Threads()[0]
	for {
		kids, err := tree.Range(ctx, n, 0, 50)
		if err != nil {
			t.Fatal(err)
		}
		if len(kids) == 50 {
			return n
		}
		var next *Node
		for _, k := range kids {
			if e := k.e.Load(); next == nil || e.End-e.Start > next.e.Load().End-next.e.Load().Start {
				next = k
			}
		}
		if next == nil {
			t.Fatal("no node with many children")
		}
		n = next
	}
}

func TestThousandThreads(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: 1000, Seed: 2})
	want := eagerText(t, path, true)
	for _, from := range []string{path, withoutIndex(t, path)} {
		r := ready(t, from, Options{NoWrite: true})
		tree := r.Tree(true)
		if got := len(tree.Threads()); got != 1000 {
			t.Fatalf("%d threads", got)
		}
		formattest.SameText(t, []byte(treeText(t, tree, ways(t, tree)["all"])), []byte(want))
	}
}

// TestBudgetHolds walks a trace from end to end, expanding every call, with memory
// for a fraction of it.
func TestBudgetHolds(t *testing.T) {
	n, memory := 30_000, int64(2<<20)
	if formattest.Race {
		n, memory = n/5, memory/4
	}
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: n, Seed: 4})
	r := ready(t, path, Options{NoWrite: true, Memory: memory})
	tree := r.Tree(true)
	ctx := context.Background()
	row, _ := tree.First()
	var text []byte
	seen := 0
	for ok := true; ok; {
		tree.Rows(row, 40)
		if row.Gap() {
			if err := tree.Load(ctx, row, AtStart); err != nil {
				t.Fatal(err)
			}
			gap := row
			if row = tree.Resolve(gap); row.Parent == gap.Parent && row.From >= gap.From {
				continue
			}
			// Nothing was in the gap: this row has been seen.
		} else {
			seen++
			text = append(tree.AppendText(text, row.Node, true), '\n')
			if !row.Node.Leaf() {
				tree.Expand(row.Node)
			}
		}
		if st := tree.Stats(); st.Bytes > st.Budget {
			t.Fatalf("after %d rows: %d bytes", seen, st.Bytes)
		}
		row, ok = tree.Next(row)
	}
	lines := strings.Split(eagerText(t, path, true), "\n")
	var want []byte
	for _, l := range lines[:len(lines)-1] {
		want = append(append(want, strings.TrimPrefix(strings.TrimLeft(l, " "), "# ")...), '\n')
	}
	formattest.SameText(t, bytes.Replace(text, []byte("Thread 1 (main)"), []byte("Thread 1"), 1), want)
	if st := tree.Stats(); st.Forgotten == 0 {
		t.Fatal("nothing was forgotten")
	}
}

// TestManyReaders uses readers and trees from many goroutines at once.
func TestManyReaders(t *testing.T) {
	a := formattest.Unpack(t, "threads.stream.bin", "threads.stream.bin.idx")
	b := formattest.Unpack(t, "kotlin.dump.bin")
	wants := map[string]string{a: eagerText(t, a, true), b: eagerText(t, b, true)}
	shared := map[string]*LazyTraceReader{a: ready(t, a, Options{Memory: 64 << 10}), b: ready(t, b, Options{Memory: 64 << 10, NoWrite: true})}
	trees := map[string]*Tree{a: shared[a].Tree(true), b: shared[b].Tree(true)}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for path, want := range wants {
				r := shared[path]
				if i%2 == 0 {
					var err error
					if r, err = Open(path, Options{NoWrite: true}); err != nil {
						t.Error(err)
						return
					}
					defer r.Close()
					r.Wait(context.Background())
				}
				var out bytes.Buffer
				if err := r.Print(context.Background(), &out, PrintOptions{Folded: true, Verbose: true}, PrintRange{}); err != nil || out.String() != want {
					t.Errorf("%d bytes printed, want %d: %v", out.Len(), len(want), err)
				}
				useTree(t, trees[path], i)
			}
		})
	}
	wg.Wait()
}

// useTree walks, expands, collapses and forgets, while other goroutines do the same.
func useTree(t *testing.T, tree *Tree, seed int) {
	ctx := context.Background()
	row, _ := tree.First()
	for step := range 400 {
		switch {
		case row.Gap():
			if err := tree.Load(ctx, row, End(step%2)); err != nil {
				t.Error(err)
				return
			}
			row = tree.Resolve(row)
		case (step+seed)%37 == 0:
			tree.Forget(row.Node)
		case (step+seed)%11 == 0:
			tree.Collapse(row.Node)
		default:
			tree.Expand(row.Node)
			tree.CountChildren(ctx, row.Node, 100)
			tree.AppendText(nil, row.Node, true)
			row.Node.Offset()
		}
		tree.Rows(row, 20)
		next, ok := tree.Next(tree.Resolve(row))
		if !ok {
			next, _ = tree.First()
		}
		row = next
	}
}

func TestCloseWhileReading(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 50_000, Seed: 5})
	r := open(t, path, Options{NoWrite: true})
	tree := r.Tree(false)
	var wg sync.WaitGroup
	wg.Go(func() { r.Print(context.Background(), new(countWriter), PrintOptions{}, PrintRange{}) })
	wg.Go(func() { useTree(&testing.T{}, tree, 1) })
	r.Close()
	wg.Wait()
	if err := r.Print(context.Background(), os.Stderr, PrintOptions{}, PrintRange{}); err == nil && len(r.Threads()) > 0 {
		t.Fatal("a closed trace can be printed")
	}
	if r.Close() != nil {
		t.Fatal("closing twice")
	}
}

// aroundCounter is a Collector that counts the containers with which parts begin, and all points.
type aroundCounter struct{ parts, around, points int }

func (c *aroundCounter) Visitor() Visitor               { return new(aroundCounter) }
func (c *aroundCounter) Reset()                         { *c = aroundCounter{} }
func (c *aroundCounter) Begin(_ int32, all []PassFrame) { c.parts++; c.around += len(all) }
func (c *aroundCounter) Enter(*PassPoint)               { c.points++ }
func (c *aroundCounter) Leaf(*PassPoint)                { c.points++ }
func (c *aroundCounter) Exit(*PassPoint)                {}

func (c *aroundCounter) Merge(v Visitor) error {
	part := v.(*aroundCounter)
	c.parts += part.parts
	c.around += part.around
	c.points += part.points
	return nil
}

// TestDeepParts: what the parts of a pass begin with does not add up in a deep recursion.
func TestDeepParts(t *testing.T) {
	t.Parallel()
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Deep, N: 20_000, Seed: 1}), Options{NoWrite: true})
	var want aroundCounter
	small := walk.PassCut{Bytes: 4096, Approach: 64, Width: 2}
	for i, p := range []Pass{{}, walk.CutPass(Pass{}, small), walk.CutPass(Pass{Among: func() ([]literal.Text, bool) { return []literal.Text{literal.Exact("\x00")}, false }}, small)} {
		c := new(aroundCounter)
		p.Collect = []Collector{c}
		if err := r.Pass(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = *c
		}
		if c.points != want.points || c.points < 20_000 || c.parts < 2 && i > 0 {
			t.Errorf("visited %d of %d points in %d parts", c.points, want.points, c.parts)
		}
		if c.around > 2*c.points {
			t.Errorf("%d parts with %d points begin with %d calls", c.parts, c.points, c.around)
		}
	}
}
