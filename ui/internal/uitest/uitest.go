// Package uitest helps tests of the explorer and of its parts: it opens traces and writes files.
package uitest

import (
	"os"
	"testing"
	"testing/fstest"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/table"
)

// Open opens a trace and waits until all of it is known.
func Open(t testing.TB, path string, o lazy.Options) *lazy.LazyTraceReader {
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

// Recorded opens a recorded trace: Recorded(t, "gson.dump").
func Recorded(t testing.TB, name string) *lazy.LazyTraceReader {
	t.Helper()
	return Open(t, formattest.Unpack(t, name+".bin", name+".bin.idx"), lazy.Options{})
}

// Row is a row of the whole tree.
type Row struct {
	Node *lazy.Node
	Text string
}

// EveryRow returns each row that the user could reach, threads included.
func EveryRow(t testing.TB, r *lazy.LazyTraceReader, folded bool) (rows []Row) {
	t.Helper()
	tree := r.Tree(folded)
	todo := tree.Threads()
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		rows = append(rows, Row{n, string(tree.AppendText(nil, n, true))})
		kids, err := tree.Children(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		todo = append(todo[:len(todo)-1], kids...)
	}
	return rows
}

// WriteFiles writes files, by their paths, and returns the directory that contains them.
func WriteFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := make(fstest.MapFS)
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o755}
	}
	if err := os.CopyFS(dir, all); err != nil {
		t.Fatal(err)
	}
	return dir
}

// FakePrograms sets up a PATH of its own, with programs that keep their input and their arguments in files beside
// them, or fail.
func FakePrograms(t *testing.T, works map[string]bool) (dir string) {
	t.Helper()
	files := make(map[string]string)
	for name, ok := range works {
		files[name] = "#!/bin/sh\nexit 1\n"
		if ok {
			files[name] = "#!/bin/sh\necho \"$@\" > $0.args\n/bin/cat > $0.text\n"
		}
	}
	dir = WriteFiles(t, files)
	t.Setenv("PATH", dir)
	return dir
}

// Sorted returns a table with its rows in the order of the column with a key.
func Sorted(t *table.Table, key string, rising bool) *table.Table {
	var columns table.Columns[int]
	for i, c := range t.Columns {
		columns.Add(c, func(row int) (v table.Value) {
			if values := t.Rows.Row(row); values != nil {
				v = values[i]
			}
			return v
		})
	}
	sorted, order := *t, make([]int, t.Rows.Len())
	for i := range order {
		order[i] = i
	}
	columns.Sort(order, key, rising)
	sorted.Sorted, sorted.Rising, sorted.Rows = key, rising, ordered{t.Rows, order}
	return &sorted
}

// ordered is rows in another order.
type ordered struct {
	table.Source
	order []int
}

func (o ordered) Row(i int) []table.Value { return o.Source.Row(o.order[i]) }
