package uitest

import (
	"testing"

	"tracex/lazy"
)

// Row is a row of the whole tree.
type Row struct {
	Position lazy.Position
	Node     *lazy.Node
	Text     string
}

// EveryRow returns each row that the user could reach, threads included.
func EveryRow(t testing.TB, r *lazy.LazyTraceReader, folded bool) (rows []Row) {
	t.Helper()
	tree := r.Tree(folded)
	todo := tree.Threads()
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		position := n.Position()
		if n.IsThread() {
			position.At = -1
		}
		rows = append(rows, Row{position, n, string(tree.AppendText(nil, n, true))})
		kids, err := tree.Children(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		todo = append(todo, kids...)
	}
	return rows
}
