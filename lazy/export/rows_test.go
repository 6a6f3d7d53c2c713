package export

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"tracex/lazy/query/table"
)

// lateRows are rows that are known once they have been loaded.
type lateRows struct {
	n     int
	known map[int]bool
	never bool  // they never become known
	fail  error // of loading them
}

func (s *lateRows) Len() int { return s.n }

func (s *lateRows) Row(i int) []table.Value {
	if !s.known[i] {
		return nil
	}
	return []table.Value{table.Int(int64(i))}
}

func (s *lateRows) Load(_ context.Context, from, to int) error {
	clear(s.known) // only so many are kept
	for i := from; i < to; i++ {
		s.known[i] = !s.never
	}
	return s.fail
}

// late returns a table of n rows.
func late(n int) *Rows {
	rows := &lateRows{n: n, known: make(map[int]bool)}
	return &Rows{Table: &table.Table{Rows: rows, Columns: []table.Column{{Key: "n", Title: "n", Kind: table.Number}}}}
}

func none(int64, int64) {}

// TestRows: all rows are written, whatever is known of them before; or those that are named.
func TestSavingRows(t *testing.T) {
	const n = 1000
	for _, numbers := range [][]int{nil, {3, 900, 5, 256}} {
		x := late(n)
		x.Numbers = numbers
		path := t.TempDir() + "/t.csv"
		size, err := x.Save(t.Context(), table.WriteCSV, Destination{Path: path, Mode: 0o600}, none)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil || int64(len(b)) != size {
			t.Fatal(len(b), size, err)
		}
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		if numbers == nil && (len(lines) != n+1 || lines[n] != "999") {
			t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
		}
		if got := strings.Join(lines, " "); numbers != nil && got != "n 3 900 5 256" {
			t.Errorf("%q", got)
		}
	}
}

// TestRowsFail: if rows cannot be read, or it is stopped, no file is left.
func TestRowsFail(t *testing.T) {
	planted := errors.New("planted")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, c := range map[string]struct {
		ctx   context.Context
		never bool
		fail  error
		want  string
	}{
		"error":   {t.Context(), false, planted, "planted"},
		"unknown": {t.Context(), true, nil, "row 1 cannot be read"},
		"stopped": {stopped, false, nil, "canceled"},
	} {
		dir := t.TempDir()
		x := late(9000)
		rows := x.Table.Rows.(*lateRows)
		rows.never, rows.fail = c.never, c.fail
		_, err := x.Save(c.ctx, table.WriteJSON, Destination{Path: dir + "/t.jsonl", Mode: 0o600}, none)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", name, left, err)
		}
	}
}

// lastRows are rows of which only those loaded last are known.
type lastRows struct{ n, from, to int }

func (r *lastRows) Len() int { return r.n }

func (r *lastRows) Row(i int) []table.Value {
	if i < r.from || i >= r.to {
		return nil
	}
	return []table.Value{table.Int(int64(i))}
}

func (r *lastRows) Load(_ context.Context, from, to int) error {
	r.from, r.to = from, to
	return nil
}

// TestSavingKeptRows: more rows are written than are kept, wherever the screen had been before.
func TestSavingKeptRows(t *testing.T) {
	const n = 30_000
	for _, shown := range []int{0, 49, 255} {
		x := &Rows{Table: &table.Table{Rows: &lastRows{n, 0, shown}, Columns: []table.Column{{Key: "n", Title: "n", Kind: table.Number}}}}
		path := t.TempDir() + "/t.csv"
		if _, err := x.Save(t.Context(), table.WriteCSV, Destination{Path: path, Mode: 0o600}, none); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || strings.Count(string(b), "\n") != n+1 {
			t.Errorf("%d lines, %v", strings.Count(string(b), "\n"), err)
		}
	}
}
