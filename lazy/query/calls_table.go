package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/compact"
	"tracex/lazy/query/display"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/table"
)

// Table returns the table of what was found so far. Any goroutine may use it.
func (c *Calls) Table(v View) *table.Table {
	shape, gaps := c.shape(), append(gapNotes(c.r, c.about.timed), filterDoubts(c.r, c.where)...)
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &table.Table{Partial: v.Done < 1, Done: v.Done, Empty: "no calls", Notes: append(c.notes(), gaps...)}
	if c.about.timed {
		times := new(histogram.Histogram)
		times.Merge(&c.sums.times)
		t.Spread = func(int) (string, *histogram.Histogram) { return "durations of all calls:", times }
	}
	if c.groups != nil {
		c.groupTable(t, v, &shape)
		return t
	}
	t.Row, t.Title = "call", c.title(shape.what, v.G)
	t.Sorted, t.Rising = c.about.sort.key(), c.about.rising
	rows := &callRows{c: c, extra: c.about.extraColumns(), order: c.list.order, g: v.G}
	rows.readRows = readRows{v.Read, c.list.arranged, rows.read, new(rowWindows)}
	if rows.order != nil {
		rows.n = rows.order.Len()
	}
	rows.addColumns(&shape)
	t.Columns, t.Rows = rows.columns.Heads(), rows
	if more := c.sums.calls - int64(rows.n); more > 0 {
		t.Notes = append(t.Notes, c.missing(more, rows.n))
	}
	return t
}

// missing tells why calls have no row.
func (c *Calls) missing(more int64, rows int) string {
	switch {
	case c.list.beyond > 0 && c.list.texts.cut == nil && rows == c.list.n:
		return fmt.Sprintf("%s more were counted and are not listed: narrow them down with a filter", display.Grouped(more))
	case c.list.texts.cut != nil:
		return fmt.Sprintf("only the first %s are sorted: too many values differ; %s more are not listed", display.Grouped(int64(rows)), display.Grouped(more))
	}
	return fmt.Sprintf("the first %s so far; %s more", display.Grouped(int64(rows)), display.Grouped(more))
}

// RowOf returns the row of the call at a place in one of its tables, if that is in the order of the trace.
func (c *Calls) RowOf(t *table.Table, at lazy.Position) (row int, ok bool) {
	rows, is := t.Rows.(*callRows)
	if _, ok = c.Set.First(at.Thread, at.At, at.At+1); !ok || !is || rows.c != c || rows.order != nil {
		return 0, false
	}
	row = c.Set.Index(at)
	return row, row < rows.n
}

// Found returns how many calls were found.
func (c *Calls) Found() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sums.calls
}

// Extremes returns the fewest and the most calls of a row, of a table of groups. sure is false if values
// were forgotten that may have more or fewer.
func (c *Calls) Extremes() (fewest, most int64, sure bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.groups == nil {
		return 0, 0, true
	}
	return c.groups.extremes()
}

// callRow is a row of a table with a row for each call.
type callRow struct {
	*Point
	weight int64         // own time or, without times, points
	extra  []table.Value // of the extra columns
}

// addColumns makes the columns.
func (s *callRows) addColumns(shape *callsShape) {
	about := &s.c.about
	add := s.columns.Add
	text := func(v StyledValue) table.Value { return table.Styled(v.Text, v.Spans).JSON(v.JSON).If(v.Text != "") }
	weight := func(r callRow) table.Value { return table.IntIf(r.weight, r.weight != compact.Unknown) }
	if about.timed {
		add(table.Column{Key: "duration", Title: "duration", Kind: table.Duration}, func(r callRow) table.Value { return r.duration() })
		add(table.Column{Key: "self", Title: "self", Kind: table.Duration, Priority: 8}, weight)
	} else {
		add(table.Column{Key: "events", Title: "events", Kind: table.Count, Priority: 2}, weight)
	}
	add(table.Column{Key: "call", Title: "call", In: table.When(shape.several), Least: 10, CutMiddle: true, Style: format.StyleMethod}, func(r callRow) table.Value {
		return table.Str(r.Call.Name)
	})
	for i, a := range shape.args {
		column := table.Column{Key: fmt.Sprintf("arg_%d", i+1), Title: a.title, Priority: min(1+i, 7), Most: 40, Worth: a.text}
		if a.number {
			column.Align = table.Right
		}
		add(column, func(r callRow) table.Value {
			if i >= len(r.Call.Args) {
				return table.Value{}
			}
			return text(r.Call.Args[i])
		})
	}
	add(table.Column{Key: "result", Title: "result", Most: 40}, func(r callRow) table.Value {
		switch v := r.Call; {
		case v.Threw:
			return inStyle(s.g.Threw+thrownName(v.Exception), format.StyleException).JSON([]byte("null"))
		case v.Unended:
			return inStyle(neverEnded(v.Pending), format.StyleUnfinished).JSON([]byte("null"))
		default:
			return text(v.Result)
		}
	})
	add(table.Column{Key: "receiver", Title: "receiver", In: table.When(s.c.sums.objects), Priority: 5, Most: 32}, func(r callRow) table.Value { return text(r.Call.Receiver) })
	add(table.Column{Key: "thread_name", Title: "thread", In: table.When(about.threads > 1), Priority: 4, Most: 24}, func(r callRow) table.Value {
		return threadNamed(cmp.Or(r.Thread, threadNumber(r.Position.Thread)))
	})
	add(table.Column{Key: "caller", Title: "called by", Priority: 3, CutMiddle: true, Style: format.StyleMethod}, func(r callRow) table.Value { return table.StrIf(r.Call.Caller) })
	add(table.Column{Key: "start", Title: "start", Kind: table.Duration, In: table.When(about.timed), Priority: 9}, func(r callRow) table.Value {
		return table.IntIf(r.Time.Start, r.Timed)
	})
	add(table.Column{Key: "event", Title: "event", Kind: table.Event, Priority: 1}, func(r callRow) table.Value { return table.Int(int64(r.Event)) })
	for i, col := range s.extra {
		column := table.Column{Key: col.key(), Title: col.word(), Most: 40}
		switch col.kind {
		case columnIter:
			column.Title = "iteration"
		case columnIn:
			column.Key = col.word() // there may be several
		}
		add(column, func(r callRow) table.Value {
			if i >= len(r.extra) {
				return table.Value{}
			}
			return r.extra[i]
		})
	}
	add(table.Column{Key: "line", Title: "line", In: table.When(about.lines()), Priority: 6}, func(r callRow) table.Value { return table.StrIf(r.Call.Line) })
	data := func(key string, kind table.Kind, value func(r callRow) table.Value) {
		add(table.Column{Key: key, Kind: kind, In: table.OnlyData}, value)
	}
	data("thread", table.Number, func(r callRow) table.Value { return table.Int(int64(r.Position.Thread) + 1) })
	data("class", table.Text, func(r callRow) table.Value { return table.StrIf(r.Call.Class) })
	data("method", table.Text, func(r callRow) table.Value { return table.StrIf(r.Call.Method) })
	data("threw", table.Number, func(r callRow) table.Value { return table.Truth(r.Call.Threw) })
	data("exception", table.Text, func(r callRow) table.Value { return table.StrIf(r.Call.Exception) })
	data("did_not_end", table.Number, func(r callRow) table.Value { return table.Truth(true).If(r.Call.Unended) })
	data("handle", table.Text, func(r callRow) table.Value { return table.Str(lazy.EventHandle(r.Event).String()) })
}

// notes tells what the numbers do not tell.
func (c *Calls) notes() (list []string) {
	if n := c.sums.unended; n > 0 {
		text := notEnded(n, grows(c.r))
		if c.about.timed {
			text += ": their durations are not known"
		}
		list = append(list, text)
	}
	if n := c.sums.untimed; n > 0 {
		list = append(list, "the trace has no time for "+display.Plural(n, "call"))
	}
	return list
}

// callRows are the rows of a table with a row for each call.
type callRows struct {
	readRows
	c       *Calls
	order   *compact.Order // as in callsList
	columns table.Columns[callRow]
	g       *display.Glyphs
	extra   []callColumn
}

func (s *callRows) point(row int) (p HistoryPoint, ok bool) {
	list, _ := s.places(row, row+1)
	if len(list) == 0 {
		return p, false
	}
	return atPlace(list[0]), true
}

// places returns the places of rows and their weights.
func (s *callRows) places(from, to int) (at []lazy.Position, weights []int64) {
	rows := make([]uint32, 0, to-from)
	if s.order != nil {
		rows = s.order.AppendRows(rows, from, to)
	} else {
		for i := from; i < to; i++ {
			rows = append(rows, uint32(i))
		}
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	for _, row := range rows {
		p, weight, ok := s.c.list.place(row)
		if !ok {
			break
		}
		at, weights = append(at, p), append(weights, weight)
	}
	return at, weights
}

func (s *callRows) read(ctx context.Context, from, to int) ([][]table.Value, error) {
	rows := make([][]table.Value, to-from)
	at, weights := s.places(from, to)
	points, err := read(ctx, s.c.r, &s.c.scope, true, at)
	if err != nil {
		return nil, err
	}
	extra, err := readExtra(ctx, s.c, s.extra, s.g, at)
	if err != nil {
		return nil, err
	}
	for i := range at {
		if len(points) > 0 && points[0].Position == at[i] {
			rows[i] = s.columns.Row(callRow{&points[0], weights[i], extra[at[i]]})
			points = points[1:]
		} else {
			rows[i] = make([]table.Value, len(s.columns))
		}
	}
	return rows, nil
}

// extraColumns returns the columns that a table with a row for each call has only if they are asked for,
// or sort it.
func (a *callsAbout) extraColumns() []callColumn {
	var list []callColumn
	for _, col := range append(slices.Clone(a.cols), a.sort) {
		extra := col.part() || col.kind == columnIter || col.kind == columnIn || col.kind == columnCalling
		if extra && !slices.ContainsFunc(list, func(c callColumn) bool { return c.word() == col.word() }) {
			list = append(list, col)
		}
	}
	return list
}

// lines reports whether the line of each call is asked for, or sorts the table.
func (a *callsAbout) lines() bool {
	return a.sort.kind == columnLine || slices.ContainsFunc(a.cols, func(c callColumn) bool { return c.kind == columnLine })
}

// readExtra reads the values of columns of calls at places.
func readExtra(ctx context.Context, of *Calls, cols []callColumn, g *display.Glyphs, at []lazy.Position) (map[lazy.Position][]table.Value, error) {
	if len(cols) == 0 {
		return nil, nil
	}
	found := make(map[lazy.Position][]table.Value)
	list, err := readAt(ctx, of.r, &of.scope, at, func() look[placedValues] {
		part := &callsPart{of: of} // evaluates
		return look[placedValues]{
			begin: func(thread int32) { part.thread, part.iterations = thread, part.iterations[:0] },
			around: func(p *lazy.PassPoint) error {
				part.iteration(p)
				return nil
			},
			at: func(p *lazy.PassPoint) (placedValues, bool, error) {
				values, err := part.extra(p, cols, g)
				return placedValues{placeOf(p), values}, p.Class == format.ClassCall, err
			},
		}
	})
	for _, x := range list {
		found[x.at] = x.values
	}
	return found, err
}

// placedValues are values of a call and where it is.
type placedValues struct {
	at     lazy.Position
	values []table.Value
}

// extra returns the values of a call in columns; none for other points.
func (v *callsPart) extra(p *lazy.PassPoint, cols []callColumn, g *display.Glyphs) (values []table.Value, err error) {
	if p.Class != format.ClassCall {
		return nil, nil
	}
	for i := range cols {
		value, err := v.value(p, &cols[i])
		if err != nil {
			return nil, err
		}
		if value.kind == valueAbsent {
			values = append(values, table.Value{})
			continue
		}
		values = append(values, table.Str(value.shown(g.Threw)).JSON(value.appendJSON(nil)))
	}
	return values, nil
}
