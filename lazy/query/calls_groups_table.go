package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/table"
)

// GroupSorts are the keys of columns that a table of groups can be sorted by, besides that of the
// values.
var GroupSorts = []string{"calls", "total", "mean", "p99", "max", "threw", "value"}

// groupRows are the rows of a table with a row for each value.
type groupRows struct {
	rows  [][]table.Value
	times []histogram.Histogram
	keys  []string
}

// Len returns the number of values.
func (g *groupRows) Len() int { return len(g.rows) }

func (g *groupRows) Row(i int) []table.Value { return g.rows[i] }

// GroupOf returns what limits calls to those of a row in a table of groups; nil for any other table.
func GroupOf(t *table.Table, by string, row int) *OnlyCalls {
	row = table.Original(t, row)
	g, ok := table.Unsorted(t).(*groupRows)
	if !ok || row < 0 || row >= len(g.keys) {
		return nil
	}
	return &OnlyCalls{By: by, Key: g.keys[row], Text: g.rows[row][0].Text()}
}

// groupTable makes a table with a row for each value. c.mu must be held.
func (c *Calls) groupTable(t *table.Table, v View, shape *callsShape) {
	g := c.groups
	t.Row, t.Title = "group", c.title(shape.what, v.G)+" "+v.G.Dot+" "+c.groupTitle()
	rows := &groupRows{}
	t.Columns, t.Rows = c.groupColumns(shape, v.G), rows
	list := slices.Clone(g.list)
	slices.SortFunc(list, func(a, b *callGroup) int {
		if c.about.order == "value" {
			order := compareValues(&a.value, &b.value)
			if !c.about.rising && a.value.kind != valueAbsent && b.value.kind != valueAbsent {
				order = -order
			}
			return order
		}
		return cmp.Or(cmp.Compare(b.calls, a.calls), compareValues(&a.value, &b.value))
	})
	for _, x := range list {
		rows.rows = append(rows.rows, c.groupRow(x, v.G))
		rows.keys = append(rows.keys, x.key)
		if c.about.timed {
			var times histogram.Histogram
			times.Merge(&x.times)
			rows.times = append(rows.times, times)
		}
	}
	if c.about.timed {
		all := t.Spread
		t.Spread = func(row int) (string, *histogram.Histogram) {
			if row < 0 {
				return all(row)
			}
			return "durations of the row:", &rows.times[row]
		}
	}
	if g.gone > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("more than %s values differ: those with few calls are not listed, %s in all",
			display.Grouped(int64(g.most)), display.Plural(c.sums.ended-g.listed(), "call")))
	}
	if g.within > 0 {
		t.Notes = append(t.Notes, display.Plural(g.within, "call")+" within others of these count only in the total of those")
	}
	c.r.WithContext(func(ctx *format.Context) {
		for _, note := range doubtNotes(ctx, func(yield func(int32) bool) {
			for _, x := range list {
				if !yield(hashIn(x.value.text)) {
					return
				}
			}
		}) {
			if !slices.Contains(t.Notes, note) { // of the filter
				t.Notes = append(t.Notes, note)
			}
		}
	})
	t.Sorted, t.Rising = c.about.order, c.about.rising
	switch {
	case t.Sorted == "value":
		t.Sorted = c.about.by.key()
		return
	case t.Sorted == "calls" && !t.Rising:
		return
	}
	if sorted, err := table.Sort(context.Background(), t, t.Sorted, t.Rising); err == nil {
		*t = *sorted
	}
}

// compareValues puts values in order, those that are absent last.
func compareValues(a, b *callValue) int {
	if a.kind == valueAbsent || b.kind == valueAbsent {
		return cmp.Compare(b2i(a.kind == valueAbsent), b2i(b.kind == valueAbsent))
	}
	return a.compare(b)
}

// groupTitle tells what a row is.
func (c *Calls) groupTitle() string {
	n := display.Plural(int64(len(c.groups.list)), "value")
	if c.groups.gone > 0 {
		n = "more than " + n
	}
	return fmt.Sprintf("by %s: %s", c.about.by.word(), n)
}

// byTitle is the title of the column of values.
func (c *Calls) byTitle(shape *callsShape) string {
	switch by := &c.about.by; {
	case by.path != "":
		return by.word()
	case by.kind == columnIter:
		return "iteration"
	}
	switch by := &c.about.by; by.kind {
	case columnArg:
		return shape.args[by.arg-1].title
	case columnIn:
		return "in " + strings.TrimPrefix(by.name, "in:")
	case columnCaller:
		return "called by"
	case columnCalling:
		return "calling call"
	case columnThread:
		return "thread"
	case columnThrew:
		return "ended by"
	default:
		return by.key()
	}
}

// groupColumns returns the columns of a table with a row for each value.
func (c *Calls) groupColumns(shape *callsShape, g *display.Glyphs) []table.Column {
	by := &c.about.by
	value := table.Column{Key: by.key(), Title: c.byTitle(shape), CutMiddle: true, Least: 8, Most: 60}
	if by.kind == columnArg && by.path == "" && shape.args[by.arg-1].number {
		value.Align = table.Right
	}
	list := []table.Column{value,
		{Key: "calls", Title: "calls", Kind: table.Count},
		{Key: "share", Title: "share", Kind: table.Share, Priority: 3}}
	if c.about.timed {
		list = append(list,
			table.Column{Key: "total", Title: "total", Kind: table.Duration, Priority: 1},
			table.Column{Key: "mean", Title: "mean", Kind: table.Duration, Priority: 4},
			table.Column{Key: "p99", Title: g.About + "p99", Kind: table.Duration, Priority: 6},
			table.Column{Key: "max", Title: "max", Kind: table.Duration, Priority: 2})
	}
	in := table.Everywhere
	if by.kind == columnResult {
		in = table.OnlyData
	}
	threw := table.Column{Key: "threw", Title: "threw", Kind: table.Count, Priority: 4}
	if c.about.order != "threw" && !slices.ContainsFunc(c.groups.list, func(x *callGroup) bool { return x.threw > 0 }) {
		threw.In = table.OnlyData
	}
	return append(list, threw,
		table.Column{Key: "results", Title: "results", In: in, Priority: 5, Least: 12, Stretch: true},
		table.Column{Key: "unended", Kind: table.Count, In: table.OnlyData},
		table.Column{Key: "first", Title: "first", Kind: table.Event, In: table.OnlyData},
		table.Column{Key: "longest", Title: "longest", Kind: table.Event, In: table.OnlyData},
		table.Column{Key: "around", Title: "around", Kind: table.Event, In: table.OnlyData})
}

// groupRow returns the values of a row.
func (c *Calls) groupRow(x *callGroup, g *display.Glyphs) []table.Value {
	bound := table.Exact
	if x.before > 0 {
		bound = table.AtLeast
	}
	count := func(n int64) table.Value { return table.Int(n).Is(bound) }
	value := table.Value{}
	if x.value.kind != valueAbsent {
		value = table.Str(x.value.shown(g.Threw)).JSON(x.value.appendJSON(nil))
	}
	row := []table.Value{value, count(x.calls), share(x.calls, c.sums.ended)}
	if x.before > 0 {
		row[2] = row[2].Is(bound)
	}
	if c.about.timed {
		if x.times.Count() > 0 {
			about := bound
			if bound != table.Exact {
				about = table.About
			}
			row = append(row, count(x.total), table.Int(x.took/int64(x.times.Count())).Is(about),
				table.Int(x.times.Quantile(0.99)).Is(about), count(x.times.Max()))
		} else {
			row = append(row, table.Value{}, table.Value{}, table.Value{}, table.Value{})
		}
	}
	results := table.Value{}
	if text := x.results.text(g); text != "" {
		results = table.Str(text)
	}
	row = append(row, count(x.threw), results)
	unended, longest, around := table.Value{}, table.Value{}, table.Value{}
	if x.unended > 0 {
		unended = count(x.unended)
	}
	if x.times.Count() > 0 {
		longest = table.Int(int64(x.longest))
	}
	if x.value.kind == valueCall {
		around = table.Int(int64(x.value.event))
	}
	return append(row, unended, table.Int(int64(x.first)), longest, around)
}

// text tells the range of numbers if there are more than three, and how often others occur.
func (r *resultCounts) text(g *display.Glyphs) string {
	list := slices.Clone(r.list)
	slices.SortStableFunc(list, func(a, b resultCount) int { return cmp.Compare(b.calls, a.calls) })
	var parts []string
	numbers := 0
	for i := range list {
		if list[i].value.number() {
			numbers++
		}
	}
	spread := r.numbers && (numbers > 3 || r.replaced > 0)
	if spread {
		parts = append(parts, r.low.shown("")+" "+g.More+" "+r.high.shown(""))
	}
	listed := 0
	for i := range list {
		c := &list[i]
		if spread && c.value.number() {
			continue
		}
		if listed++; listed > 3 {
			parts = append(parts, g.More)
			break
		}
		sign := ""
		if c.before > 0 {
			sign = g.AtLeast
		}
		text := c.value.shown("")
		if len(list) > 1 || c.before > 0 {
			text += " (" + sign + display.Grouped(c.calls) + ")"
		}
		parts = append(parts, text)
	}
	if listed <= 3 && r.replaced > 0 && r.others && (len(parts) == 0 || parts[len(parts)-1] != g.More) {
		parts = append(parts, g.More)
	}
	return strings.Join(parts, ", ")
}
