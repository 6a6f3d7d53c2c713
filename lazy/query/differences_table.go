package query

import (
	"cmp"
	"slices"
	"strings"

	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// Table returns the kinds of change found so far, those with the most places first. A row leads to its first place.
func (d *Differences) Table(view View) *table.Table {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []*difference
	for _, g := range d.groups {
		now := *g
		list = append(list, &now)
	}
	slices.SortFunc(list, func(a, b *difference) int {
		return cmp.Or(cmp.Compare(b.count, a.count), ComparePlaces(a.first.Position, b.first.Position))
	})
	rows := &answerRows[*difference]{columns: differenceColumns(view.G), list: list}
	rows.columns.Sort(rows.list, view.Sort, view.Rising)
	rows.at = func(g *difference) (HistoryPoint, bool) { return g.first, true }
	return &table.Table{
		Row: "change", Title: strings.Join(d.counts.Text(), " "+view.G.Dot+" ") + " " + view.G.Dot + " " + display.Plural(int64(len(list)), "kind") + " of change",
		Partial: view.Done < 1, Done: view.Done, Empty: "the two are equal",
		Sorted: cmp.Or(view.Sort, "places"), Rising: view.Sort != "" && view.Rising,
		Rows: rows, Columns: rows.columns.Heads(),
	}
}

// Text tells how many places differ, and then how many of each kind.
func (n DifferenceCounts) Text() []string {
	text := display.Plural(n.All(), "place") + " differ"
	if n.All() == 1 {
		text += "s"
	}
	list := []string{text}
	for _, of := range []struct {
		n    int64
		kind string
	}{{n.Removed, "removed"}, {n.Added, "added"}, {n.Edited, "edited"}} {
		if of.n > 0 {
			list = append(list, display.Grouped(of.n)+" "+of.kind)
		}
	}
	return list
}

// DifferencesSorts returns the keys of the columns by which the table sorts.
func DifferencesSorts() []string { return []string{"places", "kind", "what", "event"} }

func differenceColumns(g *display.Glyphs) (list table.Columns[*difference]) {
	list.Add(table.Column{Key: "places", Title: "places", Kind: table.Number}, func(d *difference) table.Value { return table.Int(d.count) })
	list.Add(table.Column{Key: "kind", Title: "change", Priority: 1}, func(d *difference) table.Value { return table.Str(d.kind) })
	list.Add(table.Column{Key: "what", Title: "what", Least: 20, Stretch: true}, func(d *difference) table.Value { return table.Str(d.what) })
	list.Add(table.Column{Key: "first", Title: "the first", Priority: 2, Least: 10, Most: 60}, func(d *difference) table.Value {
		list := make([]string, len(d.changes))
		for i, c := range d.changes {
			list[i] = c.Values(g)
		}
		return table.StrIf(strings.Join(list, ", "))
	})
	list.Add(table.Column{Key: "event", Title: "at", Kind: table.Event}, func(d *difference) table.Value { return table.Int(int64(d.first.Event)) })
	return list
}
