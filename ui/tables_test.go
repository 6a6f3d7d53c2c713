package ui

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/table"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/uitest"
)

// methods is a table of n methods.
func methods(n int) *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("top · by self time · %d methods", n), Sorted: "self",
		Columns: []table.Column{
			{Key: "self", Title: "self", Kind: table.Duration}, {Key: "share", Title: "share", Kind: table.Share, Priority: 1},
			{Key: "calls", Title: "calls", Kind: table.Count, Priority: 2}, {Key: "method", Title: "method"},
		},
		Notes: []string{"3 calls had not ended"},
	}
	var rows table.List
	for i := range n {
		rows = append(rows, []table.Value{table.Int(int64((n - i) * 1_234_567)), table.Float(float64(n-i) / float64(n*n)), table.Int(int64(i + 1)), table.Str(fmt.Sprintf("Class.method%d(…)", i))})
	}
	t.Rows = rows
	return t
}

// sorted is a source that shows a table which is complete.
type sorted struct {
	tables.Answer
	whole *table.Table
	now   atomic.Pointer[table.Table]
}

func static(t *table.Table) *sorted {
	s := &sorted{whole: t}
	s.now.Store(t)
	return s
}

func (s *sorted) Table() *table.Table { return s.now.Load() }

func (s *sorted) Orders() []string { return nil }

func (s *sorted) Sort(_ context.Context, key string, rising bool) error {
	s.now.Store(uitest.Sorted(s.whole, key, rising))
	return nil
}

// keyed is a table with a key.
type keyed struct {
	*sorted
	key tables.Key
	do  func(row int) tea.Cmd
}

func (k keyed) Keys() []tables.Key {
	k.key.Do = func(_ *table.Table, row int) tea.Cmd { return k.do(row) }
	return []tables.Key{k.key}
}

// TestTable shows a table over the tree, another over it, and goes back to the tree as it was.
func TestTable(t *testing.T) {
	d := drive(t, uitest.Open(t, unpackFlat(t), lazy.Options{NoWrite: true}), 100, 20, Options{}).keys("j j")
	before := d.screen()
	var chosen []int
	second := methods(3)
	there := func(int) tea.Cmd {
		d.m.env.Say("there")
		return nil
	}
	d.run(d.m.tables.Show(keyed{static(methods(50)), tables.Key{Name: "enter", Brief: "its calls", Help: "its calls"}, func(row int) tea.Cmd {
		chosen = append(chosen, row)
		return d.m.tables.Show(keyed{static(second), tables.Key{Name: "enter", Brief: "shows it", Leaves: true}, there})
	}}))
	d.send(nil)
	d.golden("table")
	d.keys("2 j enter").has("3 methods", "Class.method2(…)", "row 1 of 3", "Enter shows it")
	if len(chosen) != 1 || chosen[0] != 2 {
		t.Errorf("chosen: %v", chosen)
	}
	d.keys("?").has("keys of this table", "sort by the next column").keys("esc")
	d.keys("esc").has("50 methods", "row 3 of 50").keys("/ d 4 9 enter").has(" 1 of 50 ", "Class.method49(…)").keys("esc S").has("▲ self", "row 1 of 50")
	d.keys("q")
	if got := d.screen(); got != before {
		t.Errorf("the tree is not as it was:\n%s\nbefore:\n%s", got, before)
	}
	d.run(d.m.tables.Show(keyed{static(second), tables.Key{Name: "enter", Leaves: true}, there}))
	d.keys("enter")
	if got := d.screen(); d.m.env.Front.List() != nil || !strings.Contains(got, "there") || d.m.tables.Busy() {
		t.Errorf("the table is still open:\n%s", got)
	}
}
