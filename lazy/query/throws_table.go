package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// throwsTable makes the tables of a Throws.
type throwsTable struct {
	groups []*Group
	names  []string
	shown  map[string]string // of classes, see shownClasses
	rows   []*throwRow
	list   []Thrown
	all    int64
	where  string // for the title
	grows  bool   // the trace: calls that have not ended may still do
	g      *display.Glyphs
}

// Table returns the table of what has been merged so far.
func (t *Throws) Table(view View) *table.Table {
	t.mu.Lock()
	defer t.mu.Unlock()
	x, rows := t.tabled(view.G), new(placedRows)
	out := &table.Table{Row: "row", Title: x.title(), Partial: view.Done < 1, Done: view.Done, Empty: "no exceptions"}
	var list table.List
	if view.List {
		out.Row, out.Columns = "exception", exceptionColumns
		for i := range x.list {
			list = append(list, x.exception(&x.list[i]))
		}
		if more := t.all - int64(len(t.list)); more > 0 {
			out.Notes = []string{fmt.Sprintf("only the first %s exceptions are listed, of %s", display.Grouped(int64(len(t.list))), display.Grouped(t.all))}
		}
	} else {
		for _, row := range x.rows {
			list = append(list, x.row(row))
		}
		out.Columns, out.Sorted, out.Rising = throwColumns, cmp.Or(view.Sort, "count"), view.Sort != "" && view.Rising
		for _, i := range x.order(list, view) {
			rows.List = append(rows.List, list[i])
			rows.at = append(rows.at, HistoryPoint{lazy.Position{Thread: x.rows[i].first.Thread, At: x.rows[i].first.At}, x.rows[i].first.Event})
		}
	}
	if t.muted > 0 {
		out.Notes = append(out.Notes, display.Plural(t.muted, "exception")+" that did not come out of merged calls: not listed")
	}
	if t.undated > 0 {
		out.Notes = append(out.Notes, display.Plural(t.undated, "exception")+" of threads without times are left out: nothing is known of when they were thrown")
	}
	if out.Rows = list; !view.List {
		out.Rows = rows
	}
	return out
}

// tabled returns what makes tables of what has been merged so far, with the rows in the usual order. The Throws is locked.
func (t *Throws) tabled(g *display.Glyphs) *throwsTable {
	x := &throwsTable{groups: t.groups.list(), list: t.list, all: t.all, where: t.scope.about(g), grows: grows(t.r), g: g}
	x.names = names(x.groups)
	for _, row := range t.rows {
		x.rows = append(x.rows, row)
	}
	x.shown = shownClasses(x.rows)
	slices.SortFunc(x.rows, func(a, b *throwRow) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.class, b.class), cmp.Compare(a.first.Thread, b.first.Thread),
			cmp.Compare(a.first.Event, b.first.Event))
	})
	return x
}

// ThrowsSorts returns the keys of the columns by which the table sorts.
func ThrowsSorts() []string {
	return []string{"count", "exception", "thrown_in", "caught_in", "ended", "event"}
}

// order returns the order of rows, which are in the usual one.
func (x *throwsTable) order(list table.List, view View) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	if view.Sort == "" || view.Sort == "count" && !view.Rising {
		return order
	}
	column := slices.IndexFunc(throwColumns, func(c table.Column) bool { return c.Key == view.Sort })
	slices.SortStableFunc(order, func(a, b int) (by int) {
		switch r, s := x.rows[a], x.rows[b]; {
		case view.Sort == "count":
			by = cmp.Compare(r.count, s.count)
		case view.Sort == "ended":
			by = cmp.Or(cmp.Compare(r.most, s.most), cmp.Compare(r.least, s.least))
		case view.Sort == "event":
			by = cmp.Or(cmp.Compare(r.first.Event, s.first.Event), cmp.Compare(r.first.Thread, s.first.Thread))
		case column >= 0:
			by = strings.Compare(list[a][column].Text(), list[b][column].Text())
		}
		if view.Rising {
			return by
		}
		return -by
	})
	return order
}

// title counts the exceptions.
func (x *throwsTable) title() string {
	var by [Replaced + 1]int64
	classes := make(map[string]bool)
	for _, row := range x.rows {
		by[row.outcome] += row.count
		if row.outcome != Exited {
			classes[x.shown[row.class]] = true
		}
	}
	of := strconv.Itoa(len(classes)) + " classes"
	if len(classes) == 1 {
		of = "1 class"
	}
	text := "exceptions" + x.where + " " + x.g.Dot + " none"
	if n := x.all - by[Exited]; n > 0 {
		text = "exceptions" + x.where + " " + x.g.Dot + " " + display.Plural(n, "exception") + " of " + of
	}
	for o, what := range []string{"caught", "left the outermost recorded call", "in calls that " + map[bool]string{false: "never ended", true: "have not ended yet"}[x.grows], "ended by " + goexitClass, "replaced by another"} {
		if by[o] > 0 {
			text += " " + x.g.Dot + " " + display.Grouped(by[o]) + " " + what
		}
	}
	return text
}

// The columns of identity are the same in both tables.
var identityColumns = []table.Column{
	{Key: "class", Title: "class", In: table.OnlyData},
	{Key: "exception", Title: "class", Least: 12, CutMiddle: true, In: table.OnlyShown, Style: format.StyleException},
	{Key: "thrown_in", Title: "thrown in", Least: 12, CutMiddle: true, Style: format.StyleMethod},
	{Key: "caught_in", Title: "caught in", Least: 12, CutMiddle: true, Style: format.StyleMethod},
	{Key: "outcome", In: table.OnlyData},
	{Key: "thrown_class", In: table.OnlyData}, {Key: "thrown_method", In: table.OnlyData}, {Key: "thrown_merged", In: table.OnlyData},
	{Key: "caught_class", In: table.OnlyData}, {Key: "caught_method", In: table.OnlyData}, {Key: "caught_merged", In: table.OnlyData},
}

var throwColumns = slices.Concat([]table.Column{{Key: "count", Title: "count", Kind: table.Count}}, identityColumns, []table.Column{
	{Key: "ended", Title: "ended", In: table.OnlyShown, Align: table.Right, Priority: 2},
	{Key: "passed", Kind: table.Count, In: table.OnlyData}, {Key: "passed_most", Kind: table.Count, In: table.OnlyData},
	{Key: "event", Title: "first", Kind: table.Event, Priority: 3}, {Key: "thread", Kind: table.Number, In: table.OnlyData},
})

var exceptionColumns = slices.Concat([]table.Column{{Key: "event", Title: "event", Kind: table.Event}, {Key: "thread", Title: "thread", Kind: table.Number, Priority: 2}},
	identityColumns, []table.Column{
		{Key: "ended", Title: "ended", In: table.OnlyShown, Align: table.Right, Priority: 2},
		{Key: "passed", Kind: table.Count, In: table.OnlyData},
		{Key: "catch", Title: "catch", Kind: table.Event, Priority: 3},
	})

// identity returns the values of identityColumns.
func (x *throwsTable) identity(class string, in, where inCall, how Outcome) []table.Value {
	yes := func(b bool) table.Value {
		if !b {
			return table.Value{}
		}
		return table.Str("true").JSON([]byte("true"))
	}
	known := func(text string) table.Value {
		if text == "" {
			return table.Value{}
		}
		return table.Str(text)
	}
	name := func(in inCall, none string) (shown, class, method table.Value) {
		switch {
		case in.group < 0 && in.merged:
			return table.Str("(merged calls)"), class, method
		case in.group < 0:
			return table.Str(none), class, method
		}
		g := x.groups[in.group]
		text := x.names[in.group]
		if in.merged {
			text = "below " + text
		}
		return table.Str(text), known(g.Class), known(g.Method)
	}
	thrown, thrownClass, thrownMethod := name(in, "(not recorded)")
	caught, caughtClass, caughtMethod := name(where, "(outside of calls)")
	switch how {
	case Left:
		caught = table.Str(x.g.None + " (left " + caught.Text() + ")")
		caughtClass, caughtMethod = table.Value{}, table.Value{}
	case Exited:
		caught = table.Str(x.g.None + " (ended " + caught.Text() + ")")
		caughtClass, caughtMethod = table.Value{}, table.Value{}
	case Replaced:
		caught = table.Str(x.g.None + " (replaced in " + caught.Text() + ")")
		caughtClass, caughtMethod = table.Value{}, table.Value{}
	case Unknown:
		caught = table.Str("? (" + caught.Text() + " " + map[bool]string{false: "never ended", true: "has not ended yet"}[x.grows] + ")")
		caughtClass, caughtMethod = table.Value{}, table.Value{}
	}
	return []table.Value{known(class), table.Str(cmp.Or(x.shown[class], class, "(unknown class)")), thrown, caught, table.Str(how.String()),
		thrownClass, thrownMethod, yes(in.merged), caughtClass, caughtMethod, yes(where.merged)}
}

// row returns the values of throwColumns.
func (x *throwsTable) row(r *throwRow) []table.Value {
	ended := display.Plural(r.least, "call")
	if r.most > r.least {
		ended = display.Grouped(r.least) + " to " + display.Plural(r.most, "call")
	}
	return slices.Concat([]table.Value{table.Int(r.count)}, x.identity(r.class, r.in, r.where, r.outcome),
		[]table.Value{table.Str(ended), table.Int(r.least), table.Int(r.most), table.Int(int64(r.first.Event)), table.Int(int64(r.first.Thread) + 1)})
}

// exception returns the values of exceptionColumns.
func (x *throwsTable) exception(e *Thrown) []table.Value {
	caught := table.Value{}
	if e.Catch >= 0 {
		caught = table.Int(int64(e.Catch))
	}
	return slices.Concat([]table.Value{table.Int(int64(e.Event)), table.Int(int64(e.Thread) + 1)}, x.identity(e.Class, inCall{e.In, e.InMerged}, inCall{e.Where, e.WhereMerged}, e.Outcome),
		[]table.Value{table.Str(display.Plural(e.Passed, "call")), table.Int(e.Passed), caught})
}
