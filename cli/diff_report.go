package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/diff"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// diffReport is what is printed of a diff.
type diffReport struct {
	*diffCommand
	a, b   diffSide
	counts diff.Counts
	found  *query.Differences // nil with --stat and no filter
	r      *lazy.LazyTraceReader
	pairs  *diff.Pairs
	stored bool   // nothing is known of the two traces but the diff
	file   string // the name of a stored diff
}

// report prints a diff that has run, in the shape that the flags say, and checks what was expected.
func (t *diffCommand) report(ctx context.Context, d *diff.Diff, a, b diffSide) (err error) {
	x := diffReport{diffCommand: t, a: a, b: b, counts: d.Counts()}
	if !(t.stat || t.write != "" && t.by == "" && !t.md && !t.json) || t.filters.given() {
		p := t.newProgress("writing")
		x.r, x.pairs, err = d.Open(ctx, p.Update)
		p.End()
		if err != nil {
			return spoolHint(err, "")
		}
		defer func() { err = errors.Join(err, x.r.Close(), x.pairs.Close()) }()
		if x.found, err = t.found(ctx, x.r, x.took(), a, b); err != nil {
			return err
		}
	}
	return x.show(ctx)
}

// show prints the changes that were found, and checks what was expected.
func (x *diffReport) show(ctx context.Context) (err error) {
	switch {
	case x.first:
		if found, err := x.firstOf(ctx); !found || err != nil {
			return err
		}
	case x.by != "":
		err = x.table(ctx)
	case x.md:
		err = x.markdown(ctx)
	case x.found == nil || x.diffCommand.stat:
		err = x.stat()
	case x.json:
		err = x.lines(ctx)
	default:
		err = x.text(ctx)
	}
	if err != nil {
		return err
	}
	if n := x.differences(); x.exitCode && n > 0 {
		return &unexpectedError{counted(n, "difference") + " between " + x.a.title() + " and " + x.b.title()}
	}
	return nil
}

// title is the name of a side in messages.
func (s *diffSide) title() string {
	if s.at.given {
		return s.name + s.at.handle.String()
	}
	return s.name
}

// differences returns how many changes count.
func (x *diffReport) differences() int64 {
	if x.filters.given() {
		return x.found.Counts().All()
	}
	return x.counts.Differences()
}

// summary tells how much is different, in one line.
func (x *diffReport) summary() string {
	n := x.differences()
	if x.stored && n == 0 && !x.filters.given() {
		return "equal"
	}
	if n == 0 && x.counts.Differences() == 0 {
		text := "equal: " + display.Plural(x.counts.Calls[1], "call")
		if q := x.counts.Quiet; q > 0 {
			text += ", but for " + display.Plural(q, "difference") + " that do not count"
		}
		return text
	}
	text := display.Plural(n, "difference")
	if x.filters.given() {
		verb := " match"
		if n == 1 {
			verb = " matches"
		}
		return display.Grouped(n) + " of " + display.Plural(x.counts.Differences(), "difference") + verb
	}
	var parts []string
	for _, k := range x.kinds() {
		if k.n > 0 {
			parts = append(parts, display.Grouped(k.n)+" "+k.name)
		}
	}
	text += ": " + strings.Join(parts, ", ") + x.again()
	if !x.stored {
		text += "; " + x.equal()
	}
	return text
}

// equal tells how many calls are equal.
func (x *diffReport) equal() string {
	return display.Portion(x.counts.EqualShare()) + " of " + display.Grouped(x.counts.Calls[0]) + " and " + display.Plural(x.counts.Calls[1], "call") + " are equal"
}

// diffKind is how many changes there are of a kind.
type diffKind struct {
	name string
	n    int64
}

func (x *diffReport) kinds() []diffKind {
	c := &x.counts
	return []diffKind{{"edited", c.Edited}, {"removed", c.Removed}, {"added", c.Added}}
}

// again tells how many of what was removed was added again, in another place or under another name.
func (x *diffReport) again() string {
	n := query.DifferenceCounts{Moved: x.counts.Moved, Renamed: x.counts.Renamed}
	if text := n.Again(); text != "" {
		return " (" + text + ")"
	}
	return ""
}

// text prints the changes with what is around them.
func (x *diffReport) text(ctx context.Context) error {
	t := newDiffText(x.stdout)
	t.all, t.chosen, t.most = x.whole, x.filters.given(), int64(x.limit)
	if x.r.ThreadList().Len() > 1 {
		t.heading = x.heading
	}
	title := printable(x.a.title()) + " → " + printable(x.b.title())
	if x.stored {
		title = printable(x.file) + ": " + title
	}
	fmt.Fprintf(t.w, "%s\n%s\n", title, x.summary())
	if err := x.walk(ctx, t); err != nil {
		return err
	}
	err := t.w.Flush()
	x.tellMore(x.more(t.told))
	return err
}

// more returns how many changes a larger limit would list, after some were told.
func (x *diffReport) more(told int64) int {
	kept, _ := x.found.Set.Count()
	return kept - int(told)
}

// walk walks over the changes, as many as a sink wants. It remarks if these are all that can be listed, and there are more.
func (x *diffReport) walk(ctx context.Context, sink diffSink) error {
	err := walkDiff(ctx, x.r, true, x.found.Set, sink)
	if errors.Is(err, errEnoughChanges) {
		return nil
	}
	if kept, beyond := x.found.Set.Count(); err == nil && beyond > 0 {
		x.remark("output is limited", fmt.Errorf("%s after the first %s are not listed", counted(beyond, "difference"), display.Grouped(int64(kept))))
	}
	return err
}

// heading returns the line above the changes of a thread.
func (x *diffReport) heading(thread int32) string {
	text := "# Thread " + strconv.Itoa(int(thread)+1)
	if info, ok := x.r.ThreadInfo(thread); ok && info.Name != "" {
		text += " (" + string(format.AppendEscaped(nil, info.Name)) + ")"
	}
	return text
}

// table prints how often each kind of change occurs, or each method has one.
func (x *diffReport) table(ctx context.Context) error {
	made, err := x.groups()
	if err != nil {
		return err
	}
	if x.by == "method" {
		m := &methodChanges{rows: make(map[string]*methodChange)}
		if err := x.walk(ctx, m); err != nil {
			return err
		}
		made = m.table(made.Title)
	}
	return x.writeTable(made)
}

// writeTable prints a table.
func (t *diffCommand) writeTable(made *table.Table) error {
	out := tableFlags{json: t.json}
	more, err := out.write(t.app, made, t.limit)
	t.tellMore(more)
	return err
}

// showTimes prints how long each method took on both sides, which needs no comparison of what they did.
func (t *diffCommand) showTimes(ctx context.Context, a, b diffSide) error {
	side := func(word string, s *diffSide) query.TopSide {
		of := query.TopSide{Word: word, Name: printable(s.title()), R: s.r}
		if s.at.given {
			of.Below = &s.at.handle
		}
		return of
	}
	d := query.NewTopDiff(side("old", &a), side("new", &b), false, t.filters.only)
	if !d.Sorts(cmp.Or(t.sort, "calls")) {
		return withoutBoth("--sort " + t.sort)
	}
	p := t.newProgress("reading")
	err := d.Run(ctx, p.Update)
	p.End()
	if err = filterError(err); err != nil {
		return err
	}
	if err = t.remarkSides(a, b); err != nil {
		return err
	}
	return t.writeTable(d.Table(query.View{Sort: t.sort, Rising: t.sort == "name", Done: 1, G: &display.Unicode}))
}

// withoutBoth refuses what needs times of both sides.
func withoutBoth(what string) error {
	return &usageError{"not both traces have times: " + what + " cannot be used", ""}
}

// groups returns the table of the kinds of changes, with where the first of each is in the two traces.
func (x *diffReport) groups() (*table.Table, error) {
	sort := map[string]string{"change": "kind", "time": "more"}[x.sort]
	if sort == "more" && x.found.Took == nil {
		return nil, withoutBoth("--sort time")
	}
	made := x.found.Table(query.View{Sort: cmp.Or(sort, x.sort), Rising: x.sort == "change" || x.sort == "what", Done: 1, G: &display.Unicode})
	event := made.Column("event")
	if x.stored { // it is where the change is in the diff
		made.Row, made.Columns = "group", slices.Clone(made.Columns)
		made.Columns[made.Column("kind")].Key = "change"
		made.Sorted = cmp.Or(x.sort, made.Sorted)
		return made, nil
	}
	columns := append(slices.Delete(slices.Clone(made.Columns), event, event+1), table.Column{Key: "old", Title: "old"}, table.Column{Key: "new", Title: "new"})
	columns[made.Column("kind")].Key = "change" // in JSON, kind is what a line is
	if x.sort == "change" {
		made.Sorted = "change"
	}
	for key, title := range map[string]string{"took_old": "time old", "took_new": "time new", "more": "new - old"} {
		if i := made.Column(key); i >= 0 {
			columns[i].Title = title // old and new are where the first is
		}
	}
	var rows table.List
	for i := range made.Rows.Len() {
		row := slices.Clone(made.Rows.Row(i))
		at := int32(row[event].Int())
		row = slices.Delete(row, event, event+1)
		for side := range 2 {
			handle, _, err := x.handle(at, side)
			if m, ok := x.r.Moves().Of(at); ok && handle == "" && err == nil {
				handle, _, err = x.handle(m.Partner, side)
			}
			if err != nil {
				return nil, err
			}
			row = append(row, table.StrIf(handle))
		}
		rows = append(rows, row)
	}
	made.Row, made.Columns, made.Rows = "group", columns, rows
	return made, nil
}

// took returns what tells how long an event took on both sides; nil if not both have times.
func (x *diffReport) took() tookOf {
	for _, r := range []*lazy.LazyTraceReader{x.a.r, x.b.r} {
		if _, timed := r.Times(); !timed {
			return nil
		}
	}
	return func(event int32) ([2]int64, error) {
		p, err := x.pairs.Of(event)
		return p.Took, err
	}
}

// handle returns where a row of a diff is in the old or the new trace, and in which thread, from 1; "" if it is not there.
func (x *diffReport) handle(event int32, side int) (handle string, thread int32, err error) {
	p, err := x.pairs.Of(event)
	if err != nil || p.At[side] < 0 {
		return "", 0, err
	}
	return lazy.PositionHandle(lazy.Position{Thread: p.Thread[side], At: p.At[side]}).String(), p.Thread[side] + 1, nil
}
