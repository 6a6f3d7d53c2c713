package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// throwsTable makes the tables of a Throws.
type throwsTable struct {
	groups []*Group
	names  []string
	shown  map[string]string // of classes, see shownClasses
	rows   []*throwRow
	all    int64
	where  string // for the title
	grows  bool   // the trace: calls that have not ended may still do
	g      *display.Glyphs
}

// Table returns the table of what has been merged so far.
func (t *Throws) Table(view View) *table.Table {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := t.tabled(view.G)
	out := &table.Table{Row: "row", Title: x.title(), Partial: view.Done < 1, Done: view.Done, Empty: "no exceptions"}
	rows := &answerRows[*throwRow]{columns: x.columns(view.List)}
	if view.List {
		out.Row = "exception"
		for i := range t.list {
			rows.list = append(rows.list, t.list[i].row())
		}
		if more := t.all - int64(len(t.list)); more > 0 {
			out.Notes = []string{fmt.Sprintf("only the first %s exceptions are listed, of %s", display.Grouped(int64(len(t.list))), display.Grouped(t.all))}
		}
	} else {
		rows.list = x.rows
		rows.columns.Sort(rows.list, view.Sort, view.Rising)
		rows.at = func(row *throwRow) (HistoryPoint, bool) { return row.first.point(), true }
		out.Sorted, out.Rising = cmp.Or(view.Sort, "count"), view.Sort != "" && view.Rising
	}
	if t.muted > 0 {
		out.Notes = append(out.Notes, display.Plural(t.muted, "exception")+" that did not come out of merged calls: not listed")
	}
	if t.undated > 0 {
		out.Notes = append(out.Notes, display.Plural(t.undated, "exception")+" of threads without times are left out: nothing is known of when they were thrown")
	}
	out.Columns, out.Rows = rows.columns.Heads(), rows
	return out
}

// tabled returns what makes tables of what has been merged so far, with the rows in the usual order. The Throws is locked.
func (t *Throws) tabled(g *display.Glyphs) *throwsTable {
	x := &throwsTable{groups: t.groups.list(), all: t.all, where: t.scope.about(g), grows: grows(t.r), g: g}
	x.names = names(x.groups)
	for _, row := range t.rows {
		now := *row
		x.rows = append(x.rows, &now)
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

// columns returns the columns of rows, or of exceptions one by one.
func (x *throwsTable) columns(single bool) (list table.Columns[*throwRow]) {
	number := func(of func(r *throwRow) int64) func(*throwRow) table.Value {
		return func(r *throwRow) table.Value { return table.Int(of(r)) }
	}
	event := number(func(r *throwRow) int64 { return int64(r.first.Event) })
	thread := number(func(r *throwRow) int64 { return int64(r.first.Thread) + 1 })
	passed := number(func(r *throwRow) int64 { return r.least })
	if single {
		list.Add(table.Column{Key: "event", Title: "event", Kind: table.Event}, event)
		list.Add(table.Column{Key: "thread", Title: "thread", Kind: table.Number, Priority: 2}, thread)
	} else {
		list.Add(table.Column{Key: "count", Title: "count", Kind: table.Count}, number(func(r *throwRow) int64 { return r.count }))
	}
	x.identity(&list)
	list.AddBy(table.Column{Key: "ended", Title: "ended", In: table.OnlyShown, Align: table.Right, Priority: 2}, func(r *throwRow) table.Value {
		if r.most > r.least {
			return table.Str(display.Grouped(r.least) + " to " + display.Plural(r.most, "call"))
		}
		return table.Str(display.Plural(r.least, "call"))
	}, func(r, s *throwRow) int { return cmp.Or(cmp.Compare(r.most, s.most), cmp.Compare(r.least, s.least)) })
	list.Add(table.Column{Key: "passed", Kind: table.Count, In: table.OnlyData}, passed)
	if single {
		list.Add(table.Column{Key: "catch", Title: "catch", Kind: table.Event, Priority: 3}, func(r *throwRow) table.Value {
			return table.IntIf(int64(r.first.Catch), r.first.Catch >= 0)
		})
		return list
	}
	list.Add(table.Column{Key: "passed_most", Kind: table.Count, In: table.OnlyData}, number(func(r *throwRow) int64 { return r.most }))
	list.AddBy(table.Column{Key: "event", Title: "first", Kind: table.Event, Priority: 3}, event, func(r, s *throwRow) int {
		return cmp.Or(cmp.Compare(r.first.Event, s.first.Event), cmp.Compare(r.first.Thread, s.first.Thread))
	})
	list.Add(table.Column{Key: "thread", Kind: table.Number, In: table.OnlyData}, thread)
	return list
}

// identity adds the columns that tell exceptions apart.
func (x *throwsTable) identity(list *table.Columns[*throwRow]) {
	text := func(key string, of func(r *throwRow) string) {
		list.Add(table.Column{Key: key, In: table.OnlyData}, func(r *throwRow) table.Value { return table.StrIf(of(r)) })
	}
	shown := func(key, title string, style format.Style, in table.Medium, of func(r *throwRow) string) {
		list.Add(table.Column{Key: key, Title: title, Least: 12, CutMiddle: true, In: in, Style: style}, func(r *throwRow) table.Value { return table.Str(of(r)) })
	}
	list.Add(table.Column{Key: "class", Title: "class", In: table.OnlyData}, func(r *throwRow) table.Value { return table.StrIf(r.class) })
	shown("exception", "class", format.StyleException, table.OnlyShown, func(r *throwRow) string { return cmp.Or(x.shown[r.class], r.class, "(unknown class)") })
	shown("thrown_in", "thrown in", format.StyleMethod, table.Everywhere, func(r *throwRow) string { return x.call(r.in, "(not recorded)") })
	shown("caught_in", "caught in", format.StyleMethod, table.Everywhere, x.caught)
	text("outcome", func(r *throwRow) string { return r.outcome.String() })
	text("thrown_class", func(r *throwRow) string { return x.group(r.in).Class })
	text("thrown_method", func(r *throwRow) string { return x.group(r.in).Method })
	list.Add(table.Column{Key: "thrown_merged", In: table.OnlyData}, func(r *throwRow) table.Value { return table.Yes(r.in.merged) })
	catcher := func(r *throwRow) *Group {
		if r.outcome != Caught {
			return new(Group)
		}
		return x.group(r.where)
	}
	text("caught_class", func(r *throwRow) string { return catcher(r).Class })
	text("caught_method", func(r *throwRow) string { return catcher(r).Method })
	list.Add(table.Column{Key: "caught_merged", In: table.OnlyData}, func(r *throwRow) table.Value { return table.Yes(r.where.merged) })
}

// group returns the group of a call; an empty one outside of calls.
func (x *throwsTable) group(in inCall) *Group {
	if in.group < 0 {
		return new(Group)
	}
	return x.groups[in.group]
}

// call names a call; none is what is outside of calls.
func (x *throwsTable) call(in inCall, none string) string {
	switch {
	case in.group < 0 && in.merged:
		return "(merged calls)"
	case in.group < 0:
		return none
	case in.merged:
		return "below " + x.names[in.group]
	}
	return x.names[in.group]
}

// caught tells where exceptions were caught, or what became of them.
func (x *throwsTable) caught(r *throwRow) string {
	where := x.call(r.where, "(outside of calls)")
	switch r.outcome {
	case Left:
		return x.g.None + " (left " + where + ")"
	case Exited:
		return x.g.None + " (ended " + where + ")"
	case Replaced:
		return x.g.None + " (replaced in " + where + ")"
	case Unknown:
		return "? (" + where + " " + map[bool]string{false: "never ended", true: "has not ended yet"}[x.grows] + ")"
	}
	return where
}

// shownClasses returns how tables show classes of exceptions, by their full names: by the short one or, if several have
// that, by the shortest end of the full one that no other has. A panic of Go may have a text instead, which stays whole:
// panic: shop.Order{ID:2}.
func shownClasses(rows []*throwRow) map[string]string {
	shown, alike := make(map[string]string), make(map[string][]string)
	for _, row := range rows {
		class := row.class
		if _, known := shown[class]; known {
			continue
		}
		shown[class] = class
		if strings.ContainsAny(class, " \"{(") {
			continue
		}
		short := format.ShortClass(class)
		if shown[class] = short; short != class {
			alike[short] = append(alike[short], class)
		}
	}
	for _, classes := range alike {
		for _, class := range classes {
			if len(classes) > 1 {
				shown[class] = endOf(class, classes)
			}
		}
	}
	return shown
}

// endOf returns the shortest end of the full name of a class, from a dot or a slash on, that none of the others has.
func endOf(class string, all []string) string {
	for at := len(class); ; {
		at = strings.LastIndexAny(class[:max(at, 0)], "./")
		end, count := class[at+1:], 0
		for _, other := range all {
			if other == end || strings.HasSuffix(other, "."+end) || strings.HasSuffix(other, "/"+end) {
				count++
			}
		}
		if count <= 1 || at < 0 {
			return end
		}
	}
}
