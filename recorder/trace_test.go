package recorder

import (
	"os"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/eager"
)

// loadedSoFar reads an incomplete trace: it may lack its end.
func loadedSoFar(t *testing.T, path string) *eager.Forest {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	forest, err := eager.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	return forest
}

// loaded reads a whole trace, checks its index, and returns it.
func loaded(t *testing.T, path string) *eager.Forest {
	t.Helper()
	forest := loadedSoFar(t, path)
	if forest.Problem != nil {
		t.Fatal(forest.Problem)
	}
	if _, err := lazy.VerifyIndex(t.Context(), path, "", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".tim"); err == nil {
		checkTimes(t, path, true)
	}
	return forest
}

// points calls f for each trace point of a forest, with its depth.
func points(t *testing.T, forest *eager.Forest, f func(thread *eager.Thread, p *format.Point, depth int)) {
	t.Helper()
	var visit func(thread *eager.Thread, n eager.Node, depth int)
	visit = func(thread *eager.Thread, n eager.Node, depth int) {
		var p format.Point
		if err := n.Point(&p); err != nil {
			t.Fatal(err)
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
