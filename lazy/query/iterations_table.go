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
	answerRows[*iteration]
	t     *Iterations
	names map[firstCall]string
}

// firstCall is what names a call.
type firstCall struct {
	method int32
	flags  int16
}

// addColumns makes the columns. Calls are known to have thrown if some did.
func (s *iterationRows) addColumns(threw bool) {
	timed := s.t.timed
	add := s.columns.Add
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
	rows := &iterationRows{t: t, names: make(map[firstCall]string)}
	rows.at = func(row *iteration) (HistoryPoint, bool) {
		return atPlace(lazy.Position{Thread: t.loop.Position.Thread, At: row.at}), true
	}
	t.mu.Lock()
	list := slices.Clone(t.rows)
	all, threw, times := t.all, t.threw, new(histogram.Histogram)
	times.Merge(&t.times)
	t.mu.Unlock()
	t.r.WithContext(func(c *format.Context) {
		for i := range list {
			row := &list[i]
			key := firstCall{row.first, row.flags}
			if _, known := rows.names[key]; !known && row.first >= 0 {
				rows.names[key], _ = c.CallName(row.first, row.flags)
			}
			rows.list = append(rows.list, row)
		}
	})
	rows.addColumns(threw > 0 || view.Sort == "threw")
	if view.Sort != "iteration" || !view.Rising {
		rows.columns.Sort(rows.list, view.Sort, view.Rising)
	}
	made := &table.Table{
		Row: "iteration", Title: t.title(all, threw, view.G), Partial: view.Done < 1, Done: view.Done, Empty: "no iterations",
		Columns: rows.columns.Heads(), Rows: rows, Sorted: cmp.Or(view.Sort, "iteration"), Rising: view.Sort == "" || view.Rising,
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
	row = slices.IndexFunc(rows.list, func(it *iteration) bool { return it.at == place.At })
	return row, row >= 0
}
