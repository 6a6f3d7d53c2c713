package query

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// WriteStacks writes the first threads, all if limit is 0, each with its callers below, the innermost first: as many as
// [AtOptions.Whole] asks for. more is how many threads are left out.
func (a *At) WriteStacks(ctx context.Context, w io.Writer, limit int, g *display.Glyphs) (more int, err error) {
	out := bufio.NewWriter(w)
	t := a.Table(View{Done: 1, G: g})
	l := table.NewLayout(t, 0, 0, g)
	say := func(text string) { fmt.Fprintln(out, l.Note(text).Text) }
	say(t.Title)
	s := t.Rows.(*atRows)
	n := s.Len()
	if limit > 0 && n > limit {
		n, more = limit, n-limit
	}
	for from := 0; from < n; from += windowRows {
		rows, err := a.rows(ctx, s.list[from:min(n, from+windowRows)])
		if err != nil {
			return more, err
		}
		for i := range rows {
			fmt.Fprintln(out)
			rows[i].tell(say, s.columns, g)
		}
		if err := out.Flush(); err != nil {
			return more, err
		}
	}
	if n == 0 {
		say(t.Empty)
	}
	if more > 0 {
		fmt.Fprintln(out)
		say(g.More + " " + display.Plural(int64(more), "more thread"))
	}
	if len(t.Notes) > 0 {
		fmt.Fprintln(out)
	}
	for _, note := range t.Notes {
		say(note)
	}
	return more, out.Flush()
}

// tell says which thread it is, what that was in, and the callers.
func (x *AtRow) tell(say func(string), columns table.Columns[*AtRow], g *display.Glyphs) {
	head := fmt.Sprintf("thread %d", int64(x.Thread)+1)
	if x.Name != "" {
		head += " " + g.Dot + " " + shortThread(x.Name)
	}
	if v := columns.Get(x, "elapsed"); v.Known() {
		t := table.Table{Columns: []table.Column{{Kind: table.Duration}}, Rows: table.List{{v}}}
		head += " " + g.Dot + " for " + t.RowText(0, g)
	}
	if x.By != "" {
		head += " " + g.Dot + " waits for " + x.By
	}
	say(head)
	say("    " + columns.Get(x, "text").Text())
	for i := len(x.Path) - 1; i >= 0; i-- {
		say("    " + x.Path[i])
	}
	if x.Left > 0 {
		say("    " + g.More + " " + display.Plural(int64(x.Left), "more caller"))
	}
}
