package tables

import (
	"os"
	"strings"
	"testing"

	"tracex/lazy/export"
	"tracex/lazy/query/table"
)

// allRows are rows that are read where they are asked for.
type allRows int

func (n allRows) Len() int                { return int(n) }
func (n allRows) Row(i int) []table.Value { return []table.Value{table.Int(int64(i))} }

// TestSavingKeptRows: more rows are written than are kept, wherever the screen had been before.
func TestSavingKeptRows(t *testing.T) {
	const n = 3 * mostKept
	for _, shown := range []int{0, 49, 255} {
		rows := &export.Rows{Table: &table.Table{Rows: newKept(allRows(n), n), Columns: []table.Column{{Key: "n", Title: "n", Kind: table.Number}}}}
		if err := rows.Table.Rows.(table.Loader).Load(t.Context(), 0, shown); err != nil {
			t.Fatal(err)
		}
		to := export.Destination{Path: t.TempDir() + "/t.csv", Mode: 0o600}
		if _, err := rows.Save(t.Context(), rowFormats[0].rows, to, func(_, _ int64) {}); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(to.Path); err != nil || strings.Count(string(b), "\n") != n+1 {
			t.Errorf("%d lines, %v", strings.Count(string(b), "\n"), err)
		}
	}
}
