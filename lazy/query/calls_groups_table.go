package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/table"
)

// groupRows are the rows of a table with a row for each value.
type groupRows struct{ answerRows[*callGroup] }

// GroupOf returns what limits calls to those of a row in a table of groups; nil for any other table.
func GroupOf(t *table.Table, by string, row int) *OnlyCalls {
	g, ok := t.Rows.(*groupRows)
	if !ok || row < 0 || row >= len(g.list) {
		return nil
	}
	return &OnlyCalls{By: by, Key: g.list[row].key, Text: g.columns[0].Value(g.list[row]).Text()}
}

// groupTable makes a table with a row for each value. c.mu must be held.
func (c *Calls) groupTable(t *table.Table, v View, shape *callsShape) {
	g := c.groups
	t.Row, t.Title = "group", c.title(shape.what, v.G)+" "+v.G.Dot+" "+c.groupTitle()
	list := make([]*callGroup, len(g.list))
	for i, x := range g.list {
		now := *x
		now.times = histogram.Histogram{}
		now.times.Merge(&x.times)
		now.results.list = slices.Clone(x.results.list)
		list[i] = &now
	}
	rows := &groupRows{answerRows[*callGroup]{columns: c.groupColumns(shape, v.G), list: list}}
	t.Columns, t.Rows = rows.columns.Heads(), rows
	if t.Sorted, t.Rising = c.about.order, c.about.rising; t.Sorted == "value" {
		t.Sorted = c.about.by.key()
	}
	slices.SortFunc(list, func(a, b *callGroup) int {
		return cmp.Or(cmp.Compare(b.calls, a.calls), compareValues(&a.value, &b.value))
	})
	rows.columns.Sort(list, t.Sorted, t.Rising)
	if c.about.timed {
		all := t.Spread
		t.Spread = func(row int) (string, *histogram.Histogram) {
			if row < 0 {
				return all(row)
			}
			return "durations of the row:", &list[row].times
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
	case by.part():
		return by.word()
	case by.kind == columnIter:
		return "iteration"
	}
	switch by := &c.about.by; by.kind {
	case columnArg:
		return shape.args[by.at.Number-1].title
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
func (c *Calls) groupColumns(shape *callsShape, g *display.Glyphs) (list table.Columns[*callGroup]) {
	by, ended := &c.about.by, c.sums.ended
	value := table.Column{Key: by.key(), Title: c.byTitle(shape), CutMiddle: true, Least: 8, Most: 60}
	if by.kind == columnArg && !by.part() && shape.args[by.at.Number-1].number {
		value.Align = table.Right
	}
	add := list.Add
	count := func(of func(x *callGroup) int64) func(*callGroup) table.Value {
		return func(x *callGroup) table.Value { return x.bound(table.Int(of(x)), table.AtLeast) }
	}
	took := func(is table.Bound, of func(x *callGroup) int64) func(*callGroup) table.Value {
		return func(x *callGroup) table.Value {
			if x.times.Count() == 0 {
				return table.Value{}
			}
			return x.bound(table.Int(of(x)), is)
		}
	}
	list.AddBy(value, func(x *callGroup) table.Value {
		return table.Str(x.value.shown(g.Threw)).JSON(x.value.appendJSON(nil)).If(x.value.kind != valueAbsent)
	}, func(x, o *callGroup) int { return x.value.compare(&o.value) })
	add(table.Column{Key: "calls", Title: "calls", Kind: table.Count}, count(func(x *callGroup) int64 { return x.calls }))
	add(table.Column{Key: "share", Title: "share", Kind: table.Share, Priority: 3}, func(x *callGroup) table.Value {
		return x.bound(share(x.calls, ended), table.AtLeast)
	})
	if c.about.timed {
		add(table.Column{Key: "total", Title: "total", Kind: table.Duration, Priority: 1}, took(table.AtLeast, func(x *callGroup) int64 { return x.total }))
		add(table.Column{Key: "mean", Title: "mean", Kind: table.Duration, Priority: 4}, took(table.About, func(x *callGroup) int64 { return x.took / int64(x.times.Count()) }))
		add(table.Column{Key: "p99", Title: g.About + "p99", Kind: table.Duration, Priority: 6}, took(table.About, func(x *callGroup) int64 { return x.times.Quantile(0.99) }))
		add(table.Column{Key: "max", Title: "max", Kind: table.Duration, Priority: 2}, took(table.AtLeast, func(x *callGroup) int64 { return x.times.Max() }))
	}
	threw := c.about.order == "threw" || slices.ContainsFunc(c.groups.list, func(x *callGroup) bool { return x.threw > 0 })
	add(table.Column{Key: "threw", Title: "threw", Kind: table.Count, Priority: 4, In: table.When(threw)}, count(func(x *callGroup) int64 { return x.threw }))
	add(table.Column{Key: "results", Title: "results", In: table.When(by.kind != columnResult), Priority: 5, Least: 12, Stretch: true}, func(x *callGroup) table.Value {
		return table.StrIf(x.results.text(g))
	})
	add(table.Column{Key: "unended", Kind: table.Count, In: table.OnlyData}, func(x *callGroup) table.Value {
		return x.bound(table.Int(x.unended), table.AtLeast).If(x.unended > 0)
	})
	add(table.Column{Key: "first", Title: "first", Kind: table.Event, In: table.OnlyData}, func(x *callGroup) table.Value { return table.Int(int64(x.first)) })
	add(table.Column{Key: "longest", Title: "longest", Kind: table.Event, In: table.OnlyData}, func(x *callGroup) table.Value {
		return table.IntIf(int64(x.longest), x.times.Count() > 0)
	})
	add(table.Column{Key: "around", Title: "around", Kind: table.Event, In: table.OnlyData}, func(x *callGroup) table.Value {
		return table.IntIf(int64(x.value.event), x.value.kind == valueCall)
	})
	return list
}

// bound marks a number that calls may be missing in, as the group came late.
func (x *callGroup) bound(v table.Value, is table.Bound) table.Value {
	if x.before > 0 {
		return v.Is(is)
	}
	return v
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
