package query

import (
	"cmp"
	"slices"
	"strconv"

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
	order []int32     // nil for the order of the trace
	names map[firstCall]string
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
		row = int(s.order[row])
	}
	return &s.list[row]
}

func (s *iterationRows) Row(i int) []table.Value {
	row := s.at(i)
	number := func(n int64, known bool) table.Value {
		if !known {
			return table.Value{}
		}
		return table.Int(n)
	}
	values := []table.Value{table.Int(int64(row.number) + 1)}
	if s.t.timed {
		self, ok := row.self()
		values = append(values, number(row.duration, row.duration >= 0), number(self, ok))
	} else {
		values = append(values, number(row.events, row.ended))
	}
	var first, method table.Value
	if row.first >= 0 {
		first, method = table.Str(row.call), table.Str(s.names[firstCall{row.first, row.flags}])
	}
	unended := table.Value{}
	if row.ended && !row.whole {
		unended = table.Int(1).JSON(strconv.AppendBool(nil, true))
	}
	return append(values, number(row.calls, row.ended), number(int64(row.threw), row.ended), first,
		number(row.start, row.duration >= 0), table.Int(int64(row.event)), table.Int(int64(s.t.loop.Position.Thread)+1), method, unended,
		table.Str(lazy.EventHandle(row.event).String()))
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
	rows.sort(view.Sort, view.Rising)
	when := func(shown bool) table.Medium {
		if shown {
			return table.Everywhere
		}
		return table.OnlyData
	}
	made := &table.Table{
		Row: "iteration", Title: t.title(all, threw, view.G), Partial: view.Done < 1, Done: view.Done, Empty: "no iterations",
		Columns: []table.Column{{Key: "iteration", Title: "iteration", Kind: table.Count}}, Rows: rows,
		Sorted: cmp.Or(view.Sort, "iteration"), Rising: view.Sort == "" || view.Rising,
	}
	if t.timed {
		made.Columns = append(made.Columns, table.Column{Key: "duration", Title: "duration", Kind: table.Duration},
			table.Column{Key: "self", Title: "self", Kind: table.Duration, Priority: 4})
		made.Spread = func(int) (string, *histogram.Histogram) { return "durations of all iterations:", times }
	} else {
		made.Columns = append(made.Columns, table.Column{Key: "events", Title: "events", Kind: table.Count})
	}
	made.Columns = append(made.Columns,
		table.Column{Key: "calls", Title: "calls", Kind: table.Count, Priority: 2},
		table.Column{Key: "threw", Title: "threw", Kind: table.Count, Priority: 3, In: when(threw > 0 || view.Sort == "threw")},
		table.Column{Key: "first_call", Title: "first call", Least: 10},
		table.Column{Key: "start", Title: "start", Kind: table.Duration, In: when(t.timed), Priority: 5},
		table.Column{Key: "event", Title: "event", Kind: table.Event, Priority: 1},
		table.Column{Key: "thread", Kind: table.Number, In: table.OnlyData},
		table.Column{Key: "first_method", In: table.OnlyData},
		table.Column{Key: "did_not_end", Kind: table.Number, In: table.OnlyData},
		table.Column{Key: "handle", In: table.OnlyData})
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

// sort puts the rows in order. Those without a value are last.
func (s *iterationRows) sort(key string, rising bool) {
	if key == "" || key == "iteration" && rising {
		return
	}
	value := func(row *iteration) (n int64, known bool) {
		switch key {
		case "duration":
			return row.duration, row.duration >= 0
		case "self":
			return row.self()
		case "events":
			return row.events, row.ended
		case "calls":
			return row.calls, row.ended
		case "threw":
			return int64(row.threw), row.ended
		case "start":
			return row.start, row.duration >= 0
		case "event":
			return int64(row.event), true
		}
		return int64(row.number), true
	}
	if key == "first_call" {
		ranks := s.ranks()
		value = func(row *iteration) (int64, bool) {
			return ranks[row.call], row.first >= 0
		}
	}
	s.order = make([]int32, len(s.list))
	for i := range s.order {
		s.order[i] = int32(i)
	}
	slices.SortStableFunc(s.order, func(a, b int32) int {
		x, known := value(&s.list[a])
		y, also := value(&s.list[b])
		switch {
		case known != also:
			return cmp.Compare(b2i(also), b2i(known))
		case !known:
			return 0
		case rising:
			return cmp.Compare(x, y)
		}
		return cmp.Compare(y, x)
	})
}

// ranks returns the order of the texts of calls.
func (s *iterationRows) ranks() map[string]int64 {
	var names []string
	for i := range s.list {
		names = append(names, s.list[i].call)
	}
	slices.Sort(names)
	ranks := make(map[string]int64, len(names))
	for i, name := range names {
		if _, known := ranks[name]; !known {
			ranks[name] = int64(i)
		}
	}
	return ranks
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
		row = slices.Index(rows.order, int32(row))
	}
	return row, ok
}

func (s *iterationRows) point(row int) (HistoryPoint, bool) {
	return atPlace(lazy.Position{Thread: s.t.loop.Position.Thread, At: s.at(row).at}), true
}
