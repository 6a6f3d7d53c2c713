package lazy

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"tracex/format/formattest"
)

// eachTimed runs a benchmark on a generated trace of each size, without and
// with times.
func eachTimed(b *testing.B, shape formattest.Shape, f func(b *testing.B, path string)) {
	for _, n := range sizes(b) {
		for _, timed := range []bool{false, true} {
			path := formattest.File(b, formattest.Spec{Shape: shape, N: n, Seed: 1, Timed: timed})
			b.Run(fmt.Sprintf("calls=%d,times=%v", n, timed), func(b *testing.B) { f(b, path) })
		}
	}
}

// wide returns a tree and its node that has all calls as children.
func wide(b *testing.B, path string, folded bool) (*Tree, *Node) {
	tree := ready(b, path, Options{NoWrite: true}).Tree(folded)
	root, err := tree.Child(context.Background(), tree.Threads()[0], 0)
	if err != nil {
		b.Fatal(err)
	}
	return tree, root
}

// BenchmarkTimedFirstRows measures the time until the first screen is drawn, with the
// duration of each row.
func BenchmarkTimedFirstRows(b *testing.B) {
	eachTimed(b, formattest.Calls, func(b *testing.B, path string) {
		for b.Loop() {
			r := open(b, path, Options{NoWrite: true})
			t := r.Tree(true)
			top, _ := t.First()
			if _, err := t.Child(context.Background(), top.Node, 0); err != nil {
				b.Fatal(err)
			}
			t.Expand(top.Node)
			for _, row := range t.Rows(top, 40) {
				if !row.Gap() {
					row.Node.Time()
				}
			}
			b.StopTimer()
			r.Close()
			b.StartTimer()
		}
	})
}

// BenchmarkTimedOpen measures the time until the whole trace is known.
func BenchmarkTimedOpen(b *testing.B) {
	eachTimed(b, formattest.Calls, func(b *testing.B, path string) {
		for b.Loop() {
			r := open(b, path, Options{NoWrite: true})
			r.Wait(context.Background())
			r.Close()
		}
	})
}

// BenchmarkTime gets the time of some nodes.
func BenchmarkTime(b *testing.B) {
	eachTimed(b, formattest.WideCalls, func(b *testing.B, path string) {
		tree, root := wide(b, path, false)
		nodes, err := tree.Range(context.Background(), root, 1000, 1000)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			for _, n := range nodes {
				n.Time()
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(nodes)), "ns/node")
	})
}

// BenchmarkTimedCount counts the children of one call, with their total time if the trace
// has times.
func BenchmarkTimedCount(b *testing.B) {
	eachTimed(b, formattest.WideCalls, func(b *testing.B, path string) {
		perChild(b, path, func(t *Tree, n *Node) error {
			_, _, err := t.CountChildren(context.Background(), n, 0)
			return err
		})
	})
}

// BenchmarkLongest finds the longest child of one call; without
// times it finds none.
func BenchmarkLongest(b *testing.B) {
	eachTimed(b, formattest.WideCalls, func(b *testing.B, path string) {
		perChild(b, path, func(t *Tree, n *Node) error {
			_, _, err := t.Longest(context.Background(), n, nil)
			return err
		})
	})
}

// BenchmarkSort sorts all children of one call.
func BenchmarkSort(b *testing.B) {
	eachTimed(b, formattest.WideCalls, func(b *testing.B, path string) {
		perChild(b, path, func(t *Tree, n *Node) error {
			if _, ok := t.r.Times(); !ok {
				b.Skip("no times to sort by")
			}
			return t.Sort(context.Background(), n, OrderWeight, nil)
		})
	})
}

// perChild runs f on a new tree each time, and reports the time and the memory kept
// for each child of the one call.
func perChild(b *testing.B, path string, f func(t *Tree, n *Node) error) {
	var children, kept int64
	for b.Loop() {
		b.StopTimer()
		tree, root := wide(b, path, false)
		before := heap()
		b.StartTimer()
		if err := f(tree, root); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		kept = heap() - before
		var err error
		if children, _, err = tree.CountChildren(context.Background(), root, 0); err != nil {
			b.Fatal(err)
		}
		tree.r.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(children), "ns/child")
	b.ReportMetric(float64(kept)/(1<<20), "kept-MiB")
}

// heap returns the size of the heap in use, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
