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
	rows := &answerRows[*difference]{columns: differenceColumns(view.G, d.Took != nil), list: list}
	rows.columns.Sort(rows.list, view.Sort, view.Rising)
	rows.at = func(g *difference) (HistoryPoint, bool) { return g.first, true }
	return &table.Table{
		Row: "change", Title: strings.Join(d.counts.Text(), " "+view.G.Dot+" ") + " " + view.G.Dot + " " + display.Plural(int64(len(list)), "kind") + " of change",
		Partial: view.Done < 1, Done: view.Done, Empty: "the two are equal",
		Sorted: cmp.Or(view.Sort, "places"), Rising: view.Sort != "" && view.Rising,
		Rows: rows, Columns: rows.columns.Heads(),
	}
}

// Text tells how many differences there are, and then how many of each kind.
func (n DifferenceCounts) Text() []string {
	list := []string{display.Plural(n.All(), "difference")}
	for _, of := range []struct {
		n    int64
		kind string
	}{{n.Edited, "edited"}, {n.Removed, "removed"}, {n.Added, "added"}} {
		if of.n > 0 {
			list = append(list, display.Grouped(of.n)+" "+of.kind)
		}
	}
	if text := n.Again(); text != "" {
		list = append(list, text)
	}
	return list
}

// DifferencesSorts returns the keys of the columns by which the table sorts.
func DifferencesSorts() []string { return []string{"places", "more", "kind", "what", "event"} }

func differenceColumns(g *display.Glyphs, timed bool) (list table.Columns[*difference]) {
	list.Add(table.Column{Key: "places", Title: "places", Kind: table.Number}, func(d *difference) table.Value { return table.Int(d.count) })
	if timed {
		for side, c := range [...]table.Column{{Key: "took_old", Title: "A"}, {Key: "took_new", Title: "B"}} {
			c.Kind, c.Priority = table.Duration, 4
			list.Add(c, func(d *difference) table.Value { return table.IntIf(d.took[side], d.took[side] >= 0) })
		}
		addMore(&list, table.Column{Key: "more", Title: "B - A", Kind: table.Duration, Priority: 3}, func(d *difference) table.Value {
			a, b := d.took[0], d.took[1]
			if d.kind != "edited" { // one side has none
				a, b = max(0, a), max(0, b)
			}
			return noisy(b-a, Alike(a, b)).If(a >= 0 && b >= 0 && d.took != [2]int64{-1, -1})
		})
	}
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
