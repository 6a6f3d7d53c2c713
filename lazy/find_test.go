package lazy

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// shown is a trace point as a view shows it.
type shown struct {
	Position
	event int32
	text  string
}

// listing loads all of a tree and returns what it shows, in order.
func listing(t *testing.T, tree *Tree) []shown {
	t.Helper()
	var list []shown
	var stack []*Node
	push := func(n *Node) {
		kids, err := tree.Children(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range slices.Backward(kids) {
			stack = append(stack, k)
		}
	}
	for _, th := range tree.Threads() {
		for push(th); len(stack) > 0; {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			list = append(list, shown{n.Position(), n.Point().Event, string(tree.AppendText(nil, n, true))})
			push(n)
		}
	}
	return list
}

// eachFindable calls f with readers of traces of many kinds, with and without
// an index, in parallel; under the race detector of a third.
func eachFindable(t *testing.T, f func(t *testing.T, r *LazyTraceReader)) {
	ctx := context.Background()
	n := len(t.Name())
	run := func(name string, data, index []byte) {
		for _, idx := range [][]byte{index, nil} {
			if n++; formattest.Race && n%3 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s, index %v", name, idx != nil), func(t *testing.T) {
				t.Parallel()
				r, err := openBytes(data, idx)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				r.r.Opts.Memory = DefaultMemory
				r.Wait(ctx)
				f(t, r)
			})
		}
	}
	for seed := range uint64(9) {
		spec := formattest.Spec{Shape: formattest.Random, N: 300, Seed: seed, Wild: seed%2 == 1}
		if seed >= 6 {
			spec.Version = format.V27
		}
		spec.BlockSize = 1024
		spec.Crash = formattest.Crash(seed % 3)
		data, index := formattest.Bytes(t, spec)
		run(spec.Name(), data, index)
	}
	for _, name := range append(small[:], "threads.stream.bin", "allkinds.dump.bin", "allkinds.v27.dump.bin", "crash.stream.bin") {
		if name == "crash.stream.bin" && (!formattest.Exhaustive() || formattest.Race) {
			continue
		}
		run(name, formattest.Recorded(t, name), formattest.Recorded(t, name+".idx"))
	}
}

// every returns a stride that thins out a long list.
func every(n int) int {
	most := 200
	if formattest.Exhaustive() && !formattest.Race {
		most = 1000
	}
	return 1 + n/most
}

func TestFindEvent(t *testing.T) {
	ctx := context.Background()
	eachFindable(t, func(t *testing.T, r *LazyTraceReader) {
		list := listing(t, r.Tree(false))
		at := make(map[int32][]Position)
		for _, s := range list {
			at[s.event] = append(at[s.event], s.Position)
		}
		tree := r.Tree(false)
		for i := 0; i < len(list); i += every(len(list)) {
			p, err := r.FindEvent(ctx, list[i].event)
			if err != nil {
				t.Fatalf("event %d: %v", list[i].event, err)
			}
			n, err := tree.Reveal(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			if n.IsThread() || n.Point().Event != list[i].event || !slices.Contains(at[list[i].event], n.Position()) {
				t.Fatalf("event %d is not at %+v", list[i].event, p)
			}
		}
		for _, id := range []int32{-1, math.MinInt32, math.MaxInt32} {
			if at[id] == nil {
				if p, err := r.FindEvent(ctx, id); err == nil {
					t.Errorf("event %d, which is not there, at %+v", id, p)
				}
			}
		}
	})
}

// TestReveal reveals every offset: the node is the innermost around it, and
// its surroundings equal those in a tree that was loaded in order.
func TestReveal(t *testing.T) {
	ctx := context.Background()
	eachFindable(t, func(t *testing.T, r *LazyTraceReader) {
		for _, folded := range []bool{false, true} {
			whole := r.Tree(folded)
			listing(t, whole)
			for _, n := range whole.Threads() {
				openAll(whole, n)
			}
			tree := r.Tree(folded)
			for _, th := range whole.Threads() {
				size := th.e.Load().End
				for at := int64(0); at < size; at += int64(every(int(size))) {
					want := th
					for in := th; in != nil; {
						want = in
						p, _ := in.covering(at)
						in = nil
						if p != nil {
							if i := p.node(at + 1); i > 0 && p.nodes[i-1].e.Load().Next > at {
								in = p.nodes[i-1]
							}
						}
					}
					n, err := tree.Reveal(ctx, Position{Thread: th.Thread(), At: at})
					if err != nil {
						t.Fatal(err)
					}
					if n.Position() != want.Position() || n.Depth() != want.Depth() {
						t.Fatalf("offset %d: revealed %+v, %d deep, want %+v, %d deep", at, n.Position(), n.Depth(), want.Position(), want.Depth())
					}
					for up := n.Parent(); up != nil; up = up.Parent() {
						if !tree.IsExpanded(up) {
							t.Fatalf("offset %d: the path is not open", at)
						}
					}
					sameNeighbours(t, tree, whole, n, want)
					if at%97 == 0 {
						tree.Forget(tree.Threads()[0])
					}
				}
			}
		}
	})
}

// openAll expands all loaded nodes.
func openAll(tree *Tree, n *Node) {
	tree.mu.Lock()
	defer tree.mu.Unlock()
	for todo := []*Node{n}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		tree.expand(n)
		for _, p := range n.kids.slabs {
			todo = append(todo, p.nodes...)
		}
	}
}

// sameNeighbours compares a node's loaded siblings with those of a node in another
// tree.
func sameNeighbours(t *testing.T, tree, whole *Tree, n, want *Node) {
	t.Helper()
	if n.IsThread() {
		return
	}
	for _, dir := range []func(*Tree, Row) (Row, bool){(*Tree).NextSibling, (*Tree).PrevSibling} {
		a, b := rowOf(n), rowOf(want)
		for {
			var oka, okb bool
			a, oka = dir(tree, a)
			b, okb = dir(whole, b)
			if oka && a.Gap() {
				break
			}
			if oka != okb {
				t.Fatalf("beside %+v stands %v %+v, want %v %+v", n.Position(), oka, a, okb, b)
			}
			if !oka {
				break
			}
			if a.Node.Position() != b.Node.Position() {
				t.Fatalf("beside %+v stands %+v, want %+v", n.Position(), a.Node.Position(), b.Node.Position())
			}
		}
	}
}
