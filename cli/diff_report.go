package cli

import (
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
		if x.found, err = t.found(ctx, x.r, a, b); err != nil {
			return err
		}
	}
	return x.show(ctx)
}

// show prints the changes that were found, and checks what was expected.
func (x *diffReport) show(ctx context.Context) (err error) {
	switch {
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
		c := &x.counts
		all := c.Differences()
		return display.Grouped(n) + " of " + display.Plural(all, "place") + " that " + agree(all, "differ") + " " + agree(n, "match")
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

// agree returns the form of a verb that goes with n things.
func agree(n int64, verb string) string {
	switch {
	case n != 1:
		return verb
	case strings.HasSuffix(verb, "ch"):
		return verb + "es"
	}
	return verb + "s"
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
	var parts []string
	for _, k := range []diffKind{{"moved", x.counts.Moved}, {"renamed", x.counts.Renamed}} {
		if k.n > 0 {
			parts = append(parts, display.Grouped(k.n)+" "+k.name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (removed and added again: " + strings.Join(parts, ", ") + ")"
}

// text prints the changes with what is around them.
func (x *diffReport) text(ctx context.Context) error {
	t := newDiffText(x.stdout)
	t.all, t.most = x.whole, int64(x.limit)
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
	out := tableFlags{json: x.json}
	more, err := out.write(x.app, made, x.limit)
	x.tellMore(more)
	return err
}

// groups returns the table of the kinds of changes, with where the first of each is in the two traces.
func (x *diffReport) groups() (*table.Table, error) {
	made := x.found.Table(query.View{Done: 1, G: &display.Unicode})
	event := made.Column("event")
	if x.stored { // it is where the change is in the diff
		made.Row, made.Columns = "group", slices.Clone(made.Columns)
		made.Columns[made.Column("kind")].Key = "change"
		return made, nil
	}
	columns := append(slices.Delete(slices.Clone(made.Columns), event, event+1), table.Column{Key: "old", Title: "old"}, table.Column{Key: "new", Title: "new"})
	columns[made.Column("kind")].Key = "change" // in JSON, kind is what a line is
	var rows table.List
	for i := range made.Rows.Len() {
		row := slices.Clone(made.Rows.Row(i))
		at := int32(row[event].Int())
		row = slices.Delete(row, event, event+1)
		for side := range 2 {
			handle, _, err := x.handle(at, side)
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

// handle returns where a row of a diff is in the old or the new trace, and in which thread, from 1; "" if it is not there.
func (x *diffReport) handle(event int32, side int) (handle string, thread int32, err error) {
	p, err := x.pairs.Of(event)
	if err != nil || p.At[side] < 0 {
		return "", 0, err
	}
	return lazy.PositionHandle(lazy.Position{Thread: p.Thread[side], At: p.At[side]}).String(), p.Thread[side] + 1, nil
}
