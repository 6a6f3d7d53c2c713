package query

import (
	"cmp"
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
)

// IterationSorts are the columns that one can sort by: those of all traces, of traces without times,
// and of traces with times.
func IterationSorts(timed bool) []string {
	if timed {
		return []string{"iteration", "duration", "self", "calls", "threw", "first_call", "start"}
	}
	return []string{"iteration", "events", "calls", "threw", "first_call"}
}

// IterationsRise reports whether the natural order of a column begins with the smallest value.
func IterationsRise(key string) bool {
	return key == "iteration" || key == "first_call" || key == "start"
}

// iterationRows are the rows of a table.
type iterationRows struct {
	t     *Iterations
	list  []iteration // its first rows do not change any more
	order []int       // nil for the order of the trace
	names map[firstCall]string
	cols  table.Columns[*iteration]
}

// firstCall is what names a call.
type firstCall struct {
	method int32
	flags  int16
}

func (s *iterationRows) Len() int { return len(s.list) }

// at returns the iteration of a row.
func (s *iterationRows) at(row int) *iteration {
	if s.order != nil {
		row = s.order[row]
	}
	return &s.list[row]
}

func (s *iterationRows) Row(i int) []table.Value { return s.cols.Row(s.at(i)) }

// columns makes the columns. Calls are known to have thrown if some did.
func (s *iterationRows) columns(threw bool) {
	timed := s.t.timed
	add := s.cols.Add
	add(table.Column{Key: "iteration", Title: "iteration", Kind: table.Count}, func(row *iteration) table.Value { return table.Int(int64(row.number) + 1) })
	if timed {
		add(table.Column{Key: "duration", Title: "duration", Kind: table.Duration}, func(row *iteration) table.Value {
			return table.IntIf(row.duration, row.duration >= 0)
		})
		add(table.Column{Key: "self", Title: "self", Kind: table.Duration, Priority: 4}, func(row *iteration) table.Value { return table.IntIf(row.self()) })
	} else {
		add(table.Column{Key: "events", Title: "events", Kind: table.Count}, func(row *iteration) table.Value { return table.IntIf(row.events, row.ended) })
	}
	add(table.Column{Key: "calls", Title: "calls", Kind: table.Count, Priority: 2}, func(row *iteration) table.Value { return table.IntIf(row.calls, row.ended) })
	add(table.Column{Key: "threw", Title: "threw", Kind: table.Count, Priority: 3, In: table.When(threw)}, func(row *iteration) table.Value {
		return table.IntIf(int64(row.threw), row.ended)
	})
	add(table.Column{Key: "first_call", Title: "first call", Least: 10}, func(row *iteration) table.Value {
		return table.Str(row.call).If(row.first >= 0)
	})
	add(table.Column{Key: "start", Title: "start", Kind: table.Duration, In: table.When(timed), Priority: 5}, func(row *iteration) table.Value {
		return table.IntIf(row.start, row.duration >= 0)
	})
	add(table.Column{Key: "event", Title: "event", Kind: table.Event, Priority: 1}, func(row *iteration) table.Value { return table.Int(int64(row.event)) })
	add(table.Column{Key: "thread", Kind: table.Number, In: table.OnlyData}, func(*iteration) table.Value {
		return table.Int(int64(s.t.loop.Position.Thread) + 1)
	})
	add(table.Column{Key: "first_method", In: table.OnlyData}, func(row *iteration) table.Value {
		return table.Str(s.names[firstCall{row.first, row.flags}]).If(row.first >= 0)
	})
	add(table.Column{Key: "did_not_end", Kind: table.Number, In: table.OnlyData}, func(row *iteration) table.Value {
		return table.Truth(true).If(row.ended && !row.whole)
	})
	add(table.Column{Key: "handle", In: table.OnlyData}, func(row *iteration) table.Value { return table.Str(lazy.EventHandle(row.event).String()) })
}

// self is the time of an iteration without that of the calls in it.
func (row *iteration) self() (ns int64, known bool) {
	if row.duration < 0 || row.vague {
		return 0, false
	}
	return max(0, row.duration-row.inner), true
}

// Table returns the table of what has been merged so far. Any goroutine may use it.
func (t *Iterations) Table(view View) *table.Table {
	t.mu.Lock()
	rows := &iterationRows{t: t, list: slices.Clone(t.rows), names: make(map[firstCall]string)}
	all, threw, times := t.all, t.threw, new(histogram.Histogram)
	times.Merge(&t.times)
	t.mu.Unlock()
	t.r.WithContext(func(c *format.Context) {
		for i := range rows.list {
			row := &rows.list[i]
			key := firstCall{row.first, row.flags}
			if _, known := rows.names[key]; !known && row.first >= 0 {
				rows.names[key], _ = c.CallName(row.first, row.flags)
			}
		}
	})
	rows.columns(threw > 0 || view.Sort == "threw")
	if view.Sort != "" && (view.Sort != "iteration" || !view.Rising) {
		rows.order = rows.cols.Order(len(rows.list), func(i int) *iteration { return &rows.list[i] }, view.Sort, view.Rising)
	}
	made := &table.Table{
		Row: "iteration", Title: t.title(all, threw, view.G), Partial: view.Done < 1, Done: view.Done, Empty: "no iterations",
		Columns: rows.cols.Heads(), Rows: rows, Sorted: cmp.Or(view.Sort, "iteration"), Rising: view.Sort == "" || view.Rising,
	}
	if t.timed {
		made.Spread = func(int) (string, *histogram.Histogram) { return "durations of all iterations:", times }
	}
	if more := all - int64(len(rows.list)); more > 0 {
		made.Notes = append(made.Notes, display.Grouped(more)+" more were counted and are not listed")
	}
	return made
}

// title tells what the table is about.
func (t *Iterations) title(all, threw int64, g *display.Glyphs) string {
	text := "iterations of the loop " + lazy.EventHandle(t.loop.Event).String()
	if t.loop.In != "" {
		text += " in " + t.loop.In
	}
	text += " " + g.Dot + " " + display.Plural(all, "iteration")
	if threw > 0 {
		text += " " + g.Dot + " calls threw in " + display.Grouped(threw)
	}
	return text
}

// Places returns where the iterations found so far are.
func (t *Iterations) Places(bool) *places.Set { return t.Set }

// RowOf returns the row of the iteration at a place in one of its tables.
func (t *Iterations) RowOf(made *table.Table, place lazy.Position) (row int, ok bool) {
	rows, ok := made.Rows.(*iterationRows)
	if !ok {
		return 0, false
	}
	row, ok = slices.BinarySearchFunc(rows.list, place.At, func(it iteration, at int64) int { return cmp.Compare(it.at, at) })
	if ok && rows.order != nil {
		row = slices.Index(rows.order, row)
	}
	return row, ok
}

func (s *iterationRows) point(row int) (HistoryPoint, bool) {
	return atPlace(lazy.Position{Thread: s.t.loop.Position.Thread, At: s.at(row).at}), true
}
