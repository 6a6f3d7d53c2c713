package query

import (
	"context"
	"fmt"
	"sync"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// FindView is how the result of a Find is shown.
type FindView struct {
	Done float64 // how much of the data has been read, from 0 to 1
	G    *display.Glyphs
}

// Table returns the points found so far, in the order of the trace. Rows are read from the trace when
// they are asked for, a few hundred at a time; ctx ends that, and rows that could not be read are not
// known. Any goroutine may use the table.
func (f *Find) Table(ctx context.Context, v FindView) *table.Table {
	kept, beyond := f.Set.Count()
	_, timed := f.r.Times()
	t := &table.Table{
		Row:     "event",
		Title:   f.title(int64(kept)+beyond, v),
		Partial: v.Done < 1, Done: v.Done,
		Empty: "nothing matches",
		Rows:  &foundRows{ctx: ctx, f: f, n: kept, timed: timed, g: v.G},
		Columns: []table.Column{
			{Key: "event", Title: "event", Kind: table.Event},
			{Key: "thread", Title: "thread", Kind: table.Number, Priority: 3},
			{Key: "start", Title: "start", Kind: table.Duration, Priority: 4, In: table.OnlyData},
			{Key: "duration", Title: "duration", Kind: table.Duration, Priority: 1},
			{Key: "text", Title: "what", Kind: table.Text, Least: 20, Stretch: true},
			{Key: "path", Title: "in", Kind: table.Text, Priority: 2, Least: 10, Most: 60, CutMiddle: true},
			{Key: "handle", Kind: table.Text, In: table.OnlyData},
		},
	}
	if !timed {
		t.Columns[3].In = table.OnlyData
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

func (f *Find) title(n int64, v FindView) string {
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

// windowRows is how many rows are read at once.
const windowRows = 256

// foundRows are the rows of a table of places. It keeps the rows read last.
type foundRows struct {
	ctx   context.Context
	f     *Find
	n     int
	timed bool
	g     *display.Glyphs

	mu   sync.Mutex
	from int // of rows
	rows [][]table.Value
	err  error
}

// Len returns how many places there are.
func (s *foundRows) Len() int { return s.n }

// Row returns a row; nil if it could not be read.
func (s *foundRows) Row(i int) []table.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i < s.from || i >= s.from+len(s.rows) {
		if s.err != nil {
			return nil
		}
		s.from, s.rows = i-i%windowRows, nil
		if s.err = s.read(s.from); s.err != nil {
			return nil
		}
	}
	if i -= s.from; i < len(s.rows) {
		return s.rows[i]
	}
	return nil
}

func (s *foundRows) read(from int) error {
	var at []lazy.Position
	for i := from; i < min(from+windowRows, s.n); i++ {
		p, ok := s.f.Set.Place(i)
		if !ok {
			break
		}
		at = append(at, p)
	}
	scope := s.f.scope
	scope.Raw = s.f.pass.Raw
	points, err := read(s.ctx, s.f.r, &scope, false, at)
	if err != nil {
		return err
	}
	s.rows = make([][]table.Value, 0, len(points))
	for i := range points {
		s.rows = append(s.rows, s.row(&points[i]))
	}
	return nil
}

func (s *foundRows) row(p *Point) []table.Value {
	row := make([]table.Value, 7)
	row[0], row[1] = table.Int(int64(p.Event)), table.Int(int64(p.Position.Thread)+1)
	if p.Timed {
		row[2], row[3] = table.Int(p.Time.Start), p.duration()
	}
	row[4] = table.Styled(p.Text, p.Spans)
	if len(p.Path) > 0 {
		path := ""
		for i, name := range p.Path {
			if i > 0 {
				path += " " + s.g.Crumb + " "
			}
			path += name
		}
		row[5] = table.Str(path)
	}
	row[6] = table.Str(lazy.EventHandle(p.Event).String())
	return row
}

// Err returns why rows of a table that Table returned could not be read; nil if they could.
func (s *foundRows) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// RowsErr returns why rows of a table of found points, calls or log lines could not be read, nil if all
// that were asked for could.
func RowsErr(t *table.Table) error {
	if s, ok := t.Rows.(interface{ Err() error }); ok {
		return s.Err()
	}
	return nil
}
