// Package tracetest reads recorded traces for tests, and checks them. It does not import package
// recorder, whose own tests use it too.
package tracetest

import (
	"os"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
)

// Load reads a whole trace, which must have no fault.
func Load(tb testing.TB, path string) *eager.Forest {
	tb.Helper()
	forest := LoadDamaged(tb, path)
	if forest.Problem != nil {
		tb.Fatal(forest.Problem)
	}
	return forest
}

// LoadDamaged is Load for a trace that may lack its end.
func LoadDamaged(tb testing.TB, path string) *eager.Forest {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	forest, err := eager.Load(f)
	if err != nil {
		tb.Fatal(err)
	}
	return forest
}

// Points calls f for each trace point of a forest, with its depth.
func Points(tb testing.TB, forest *eager.Forest, f func(thread *eager.Thread, p *format.Point, depth int)) {
	tb.Helper()
	var visit func(thread *eager.Thread, n eager.Node, depth int)
	visit = func(thread *eager.Thread, n eager.Node, depth int) {
		var p format.Point
		if err := n.Point(&p); err != nil {
			tb.Fatal(err)
		}
		f(thread, &p, depth)
		for child := range n.Children() {
			visit(thread, child, depth+1)
		}
	}
	for _, thread := range forest.Threads {
		for root := range thread.Roots() {
			visit(thread, root, 0)
		}
	}
}
