package query

import (
	"context"
	"errors"
	"testing"

	"tracex/lazy/query/table"
)

// TestReadRows: rows are read a window at a time, those read last are kept, and tables that share them know the same.
func TestReadRows(t *testing.T) {
	var reads int
	var fault error
	kept := new(rowWindows)
	rows := func(n int) *readRows {
		return &readRows{n: n, kept: kept, read: func(_ context.Context, from, to int) (list [][]table.Value, err error) {
			reads++
			for i := from; i < to; i++ {
				list = append(list, []table.Value{table.Int(int64(i))})
			}
			return list, fault
		}}
	}
	few, all := rows(300), rows(20_000)
	if few.Row(0) != nil || few.Load(t.Context(), 290, 400) != nil || few.Row(299) == nil || few.Row(0) != nil || reads != 1 {
		t.Errorf("%d reads", reads)
	}
	if all.Row(290) == nil || all.Row(300) != nil || all.Load(t.Context(), 290, 300) != nil || all.Row(300) == nil || reads != 2 {
		t.Errorf("%d reads of what has grown", reads)
	}
	if err := all.Load(t.Context(), 0, all.Len()); err != nil || all.Row(0) != nil || all.Row(19_999) == nil {
		t.Errorf("all rows are kept, %v", err)
	}
	all.ctx = t.Context() // read where they are asked for
	for i := range all.Len() {
		if row := all.Row(i); row == nil || row[0].Int() != int64(i) {
			t.Fatalf("row %d: %v", i, row)
		}
	}
	fault = errors.New("gone")
	if all.Row(0) != nil || all.Err() != fault || RowsErr(&table.Table{Rows: all}) != fault {
		t.Errorf("%v", all.Err())
	}
}
