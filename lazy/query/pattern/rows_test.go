package pattern

import (
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// opened opens a trace and waits until all of it is known.
func opened(t *testing.T, path string, o lazy.Options) *lazy.LazyTraceReader {
	t.Helper()
	r, err := lazy.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// recorded opens a recorded trace: recorded(t, "gson.dump").
func recorded(t *testing.T, name string) *lazy.LazyTraceReader {
	t.Helper()
	return opened(t, formattest.Unpack(t, name+".bin", name+".bin.idx"), lazy.Options{})
}

type row struct {
	lazy.Named
	position lazy.Position
}

// allRows returns all rows of a tree, including threads.
func allRows(t *testing.T, tree *lazy.Tree) (rows []row) {
	t.Helper()
	everyNode(t, tree, func(n *lazy.Node, at lazy.Position) { rows = append(rows, row{tree.Named(n, false), at}) })
	return rows
}

// shownRow is a row with its text as screens show it.
type shownRow struct {
	position lazy.Position
	node     *lazy.Node
	text     string
	wide     string // where there is room for all
}

// shownRows returns all rows of a tree, including threads.
func shownRows(t *testing.T, tree *lazy.Tree) (rows []shownRow) {
	t.Helper()
	everyNode(t, tree, func(n *lazy.Node, at lazy.Position) {
		named := tree.Named(n, true)
		rows = append(rows, shownRow{at, n, string(named.Text), string(format.AppendWithExtras(nil, named.Text, named.Extras))})
	})
	return rows
}

// everyNode visits the nodes of a tree in the order of its rows.
func everyNode(t *testing.T, tree *lazy.Tree, visit func(n *lazy.Node, at lazy.Position)) {
	t.Helper()
	var walk func(n *lazy.Node)
	walk = func(n *lazy.Node) {
		position := n.Position()
		if n.IsThread() {
			position.At = -1
		}
		visit(n, position)
		kids, err := tree.Children(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kids {
			walk(k)
		}
	}
	for i := range tree.ThreadCount() {
		walk(tree.ThreadAt(i))
	}
}
