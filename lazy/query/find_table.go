package query

import (
	"context"
	"fmt"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// Table returns the points found so far, in the order of the trace. Any goroutine may use it.
func (f *Find) Table(v View) *table.Table {
	kept, beyond := f.Set.Count()
	_, timed := f.r.Times()
	rows := &foundRows{f: f, columns: foundColumns(timed, v.G)}
	rows.readRows = readRows{v.Read, kept, rows.read, &f.rows}
	t := &table.Table{
		Row:     "event",
		Title:   f.title(int64(kept)+beyond, v),
		Partial: v.Done < 1, Done: v.Done,
		Empty: "nothing matches",
		Rows:  rows, Columns: rows.columns.Heads(),
	}
	if beyond > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s more were counted and are not listed: narrow the filter down", display.Grouped(beyond)))
	}
	if n := f.undated.Load(); n > 0 {
		t.Notes = append(t.Notes, display.Plural(n, "event")+" of threads without times are left out: nothing is known of when they happened")
	}
	if n, _ := f.Set.Count(); f.first > 0 && n >= f.first {
		t.Notes = append(t.Notes, fmt.Sprintf("stopped after the first %s", display.Grouped(int64(f.first))))
	}
	t.Notes = append(t.Notes, filterDoubts(f.r, f.where)...)
	return t
}

func (f *Find) title(n int64, v View) string {
	if f.one != "" {
		title := display.Grouped(n) + " " + f.several
		if n == 1 {
			title = "1 " + f.one
		}
		if f.of != "" {
			title += " " + v.G.Dot + " " + f.of
		}
		return title
	}
	title := display.Plural(n, "match")
	if n != 1 {
		title = display.Grouped(n) + " matches"
	}
	if f.where != nil && !f.where.Empty() {
		title += " " + v.G.Dot + " " + f.where.String()
	}
	return title
}

// foundRows are the rows of a table of places.
type foundRows struct {
	readRows
	f       *Find
	columns table.Columns[*Point]
}

func (s *foundRows) point(row int) (HistoryPoint, bool) {
	at, ok := s.f.Set.Place(row)
	return atPlace(at), ok
}

func (s *foundRows) read(ctx context.Context, from, to int) (rows [][]table.Value, err error) {
	var at []lazy.Position
	for i := from; i < to; i++ {
		p, ok := s.f.Set.Place(i)
		if !ok {
			break
		}
		at = append(at, p)
	}
	scope := s.f.scope
	scope.Raw = s.f.pass.Raw
	points, err := read(ctx, s.f.r, &scope, false, at)
	for i := range points {
		rows = append(rows, s.columns.Row(&points[i]))
	}
	return rows, err
}

// foundColumns are the columns of points.
func foundColumns(timed bool, g *display.Glyphs) (list table.Columns[*Point]) {
	list.Add(table.Column{Key: "event", Title: "event", Kind: table.Event}, func(p *Point) table.Value { return table.Int(int64(p.Event)) })
	list.Add(table.Column{Key: "thread", Title: "thread", Kind: table.Number, Priority: 3}, func(p *Point) table.Value { return table.Int(int64(p.Position.Thread) + 1) })
	list.Add(table.Column{Key: "start", Title: "start", Kind: table.Duration, Priority: 4, In: table.OnlyData}, func(p *Point) table.Value { return table.IntIf(p.Time.Start, p.Timed) })
	list.Add(table.Column{Key: "duration", Title: "duration", Kind: table.Duration, Priority: 1, In: table.When(timed)}, (*Point).duration)
	list.Add(table.Column{Key: "text", Title: "what", Least: 20, Stretch: true}, func(p *Point) table.Value { return table.Styled(p.Text, p.Spans) })
	list.Add(table.Column{Key: "path", Title: "in", Priority: 2, Least: 10, Most: 60, CutMiddle: true}, func(p *Point) table.Value {
		return table.StrIf(strings.Join(p.Path, " "+g.Crumb+" "))
	})
	list.Add(table.Column{Key: "handle", In: table.OnlyData}, func(p *Point) table.Value { return table.Str(lazy.EventHandle(p.Event).String()) })
	return list
}
