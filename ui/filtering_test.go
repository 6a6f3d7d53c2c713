package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/tree"
	"tracex/ui/internal/uitest"
)

// filtered types a filter.
func (d *driver) filtered(text string) *driver {
	return d.keys("& ctrl+u").typed(text).keys("enter")
}

// TestFilterBound: while a filter is typed, the most matches that it can have are told if the trace has a
// summary.
func TestFilterBound(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 3000, Seed: 1})
	r := uitest.Open(t, path, lazy.Options{})
	d := drive(t, r, 100, 24, Options{})
	d.keys("&").typed("method=findCache kind=call")
	if text := message(d); text != "" {
		t.Errorf("%q without a summary", text)
	}
	d.keys("esc")
	if err := query.WriteSummary(t.Context(), r, false, nil); err != nil {
		t.Fatal(err)
	}
	d.keys("&").typed("method=findCache kind=call").has("≤ ", " matches")
	most := message(d)
	d.typed(" method=nothing")
	if text := message(d); strings.Contains(text, "≤") {
		t.Errorf("%q of a filter that does not fit", text)
	}
	d.keys("ctrl+u").typed("method=findCache kind=throw").has("no matches")
	d.keys("ctrl+u").typed("method=findCache kind=call").keys("enter").has(strings.TrimSuffix(strings.TrimPrefix(most, "≤ "), "matches") + "✕")
	d.keys("&").has(most)
}

// TestFilter goes through a question: where is null returned, and by whom?
func TestFilter(t *testing.T) {
	for _, width := range []int{60, 100, 160} {
		d := drive(t, uitest.Recorded(t, "gson.dump"), width, 30, Options{Name: "gson.dump.bin"})
		before := d.screen()
		d.filtered("ret=null")
		if text := d.cursorText(); !strings.HasSuffix(text, ": null") {
			t.Errorf("at %q, not at the first match", text)
		}
		d.golden(fmt.Sprintf("filter-%d", width))
		d.has("ret=null 274 ✕", "match 1 of 274")
		d.keys("n n").has("match 3 of 274").keys("N").has("match 2 of 274")
		d.keys("G").has("match")
		if d.m.tree.Out.Cursor.Left == 0 {
			t.Errorf("the last row is %+v, not what is left out at the end", d.m.tree.Out.Cursor)
		}
		d.keys("g down down down").has("⋯ 9 rows without a match")
		rows := len(d.m.tree.Out.Rows)
		if d.m.tree.Out.Cursor = d.m.tree.Out.Rows[2]; d.m.tree.Out.Cursor.Left == 0 || rows < 20 {
			t.Fatalf("row 3 is %+v", d.m.tree.Out.Cursor)
		}
		d.keys("enter")
		if got := d.screen(); strings.Contains(got, "⋯ 9 rows") || !strings.Contains(got, "new GsonBuilder()") {
			t.Errorf("what is left out is not shown:\n%s", got)
		}
		d.keys("M").has("274 matches · ret=null", "typeTokenCache.get(type): null")
		d.keys("2 j enter").has("match 3 of 274")
		where := d.cursorText()
		d.keys("backspace")
		if got := d.screen(); strings.Contains(got, "without a match") || d.cursorText() != where {
			t.Errorf("at %q, not %q:\n%s", d.cursorText(), where, got)
		}
		d.keys("backspace").has("all rows are shown")
		d.keys("C g l").filtered("ret=null").keys("esc C g").fire(nil)
		if before == "" {
			t.Error("nothing was shown")
		}
	}
}

// TestFilterErrors: errors point at the column, the line stays open, and Tab offers terms made of the row.
func TestFilterErrors(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{})
	d.keys("right & ").typed("ret=null nosuch=1").keys("enter").has("column 10:")
	if d.m.env.Front.Prompt() == nil || d.m.filter.Cur != nil {
		t.Fatal("the line is closed")
	}
	d.keys("ctrl+u tab").has("method=", "calls of this method", "thread=")
	d.keys("enter").has("match 1 of ")
	if d.m.filter.Cur == nil {
		t.Fatal("no filter")
	}
	last := d.m.filter.Text()
	d.keys("&").has("& " + last).keys("esc esc")
	if d.m.filter.Cur != nil {
		t.Fatal("esc does not show all rows")
	}
	d.keys("n").has("no search yet")
	d.filtered("ret=nothing-like-it").has("0 matches", "without a match")
	if rows := d.m.tree.Out.Rows; len(rows) != 1 || rows[0].Left != lazy.LeftOut {
		t.Errorf("rows %+v", rows)
	}
	d.keys("n").has("no matches").keys("& ctrl+u enter")
	if d.m.filter.Cur != nil {
		t.Fatal("an empty filter does not show all rows")
	}
	d.keys(":").typed("find ret=null").keys("enter").has("ret=null 274 ✕")
	d.keys(":").typed("filter ret!=null kind=call").keys("enter").has("& ret!=null kind=call")
}

// TestFilterOnly: the rows shown are the matches, what is around them and what is left out, in both
// views, and wherever the user goes.
func TestFilterOnly(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, text := range []string{"ret=null", "kind=loop", "has(kind=loop) kind=call depth>2", "threw", "in(kind=loop) kind=call", "method=next"} {
		r := uitest.Recorded(t, "gson.dump")
		e, err := filter.Parse(text)
		if err == nil {
			err = query.Check(r, e)
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		d := drive(t, r, 100, 40, Options{}).filtered(text)
		for range 3 {
			find := query.NewFind(r, lazy.Pass{Raw: !d.m.tree.Out.Tree.Folded()}, e, 0)
			if err := find.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			n, _ := find.Set.Count()
			if got, _ := d.m.filter.Cur.Set().Count(); got != n {
				t.Fatalf("%s: %d matches, want %d", text, got, n)
			}
			for i := range n {
				at, _ := find.Set.Place(i)
				if rng.IntN(n/20+1) != 0 {
					continue
				}
				d.run(d.m.tree.Jobs.Show(at))
				d.send(nil)
				if got := d.m.tree.Out.Cursor; got.Node == nil || got.Node.Position() != at {
					t.Fatalf("%s: at %+v, not %v", text, got, at)
				}
				for _, row := range d.m.tree.Out.Rows {
					checkShown(t, d.m.tree.Out, row, find)
				}
			}
			d.keys("r")
		}
	}
}

// checkShown checks that a row is a match, in one, around one, or stands for what is left out.
func checkShown(t *testing.T, o *tree.Outline, row lazy.Row, find *query.Find) {
	t.Helper()
	if row.Left != 0 {
		if row.Parent != nil {
			if at, ok := find.Set.First(row.Parent.Thread(), row.From, row.To); ok {
				t.Fatalf("%+v leaves out a match at %d", row, at)
			}
		}
		return
	}
	if row.Node == nil {
		t.Fatalf("%+v was not loaded", row)
	}
	for n := row.Node; n != nil && !n.IsThread(); n = n.Parent() {
		at := n.Position()
		if _, is := find.Set.First(at.Thread, at.At, at.At+1); is {
			return
		}
	}
	line := o.Tree.Lines([]lazy.Row{row}, false)[0]
	if !line.Around {
		t.Fatalf("%s is shown for no reason", line.Text)
	}
}

// TestFilterResumed: a filter is kept with the session.
func TestFilterResumed(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	d.filtered("ret=null").keys("n n")
	where := d.cursorText()
	d = d.again(t, Options{})
	d.has("& ret=null", "ret=null 274 ✕", "match 3 of 274")
	if d.cursorText() != where {
		t.Errorf("at %q, not %q", d.cursorText(), where)
	}
	d.keys("esc")
	if d = d.again(t, Options{}); d.m.filter.Cur != nil {
		t.Error("a filter that was given up is kept")
	}
	d.keys("&").has("& ").keys("esc")
}

// TestFilterElsewhere: a jump to what does not match shows it, and a search goes to those of its hits that are shown.
func TestFilterElsewhere(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 40, Options{}).filtered("ret=null")
	d.keys(":").typed("1").keys("enter").has("shown all the same")
	if at := d.m.tree.Out.Cursor.Node; at == nil || at.Point().Event != 1 {
		t.Errorf("at %+v", d.m.tree.Out.Cursor)
	}
	d.search("StringWriter", false)
	d.has("/StringWriter", "0 shown of ").keys("n").has("no hit is shown")
	d.keys("esc").search("put(", false)
	if d.keys("n"); !strings.Contains(d.cursorText(), "put(") {
		t.Errorf("at %q", d.cursorText())
	}
	d.keys("esc n").has("match ")
	d.keys("g E").has("expanded").keys("C g")
	if rows := d.m.tree.Out.Rows; len(rows) != 1 {
		t.Errorf("%d rows after everything was collapsed", len(rows))
	}
}

// TestFilterThreads: threads without a match are one row, and Tab goes from thread to thread shown.
func TestFilterThreads(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Random, N: 3000, Seed: 5, Threads: 30}
	d := drive(t, uitest.Open(t, formattest.File(t, spec), lazy.Options{}), 100, 40, Options{})
	d.filtered("thread=7 or thread=20").keys("C g").has("⋯ 6 threads without a match", "⋯ 12 threads without a match", "⋯ 10 threads without a match")
	d.keys("tab")
	first, _ := d.m.tree.Out.Thread()
	d.keys("tab")
	if second, _ := d.m.tree.Out.Thread(); first != 6 || second != 19 {
		t.Errorf("threads %d and %d", first+1, second+1)
	}
	d.keys("tab")
	if again, _ := d.m.tree.Out.Thread(); again != 6 {
		t.Errorf("thread %d", again+1)
	}
}

// TestMarkedWalk: after a mark was chosen from the list, n and N go from mark to mark, and M lists them.
func TestMarkedWalk(t *testing.T) {
	d := driveNoted(t, gsonFile(t), Options{})
	d.keys("l j j m a j j m b").keys("g B enter")
	d.has("marked row 1 of 2").keys("n").has("marked row 2 of 2").keys("n").has("wrapped to the top", "marked row 1 of 2")
	d.keys("M").has("2 marked rows").keys("esc").filtered("ret=null").has("ret=null 274 ✕").keys("n").has("match 2 of 274")
}

// TestFilterShare: going to a part of the thread ends where the filter leaves the rest out.
func TestFilterShare(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{})
	d.filtered("event=60..100")
	left := 0
	for share := 0; share <= 100; share += 10 {
		d.keys(":").typed(fmt.Sprint(share, "%")).keys("enter")
		if d.m.tree.Out.Cursor.Left != 0 {
			left++
		}
	}
	if left == 0 {
		t.Error("the test shows nothing")
	}
}

// TestFilterInTables: the filter of the tree applies to a table as where does, whose title tells so; Backspace
// there ends it. Where it does not apply, the line about it says so.
func TestFilterInTables(t *testing.T) {
	table := func(d *driver) (rows []string) {
		shown, _ := d.m.env.Front.List().(*tables.Sheet).Row()
		for i := range shown.Rows.Len() {
			rows = append(rows, fmt.Sprint(shown.Rows.Row(i)))
		}
		return rows
	}
	for _, c := range []struct{ trace, filter, keys, where string }{
		{"gson.dump", "class=JsonReader", "T", "top where class=JsonReader"},
		{"gson.dump", "ret=null", "T", "top where ret=null"},
		{"gson.dump", "depth>15", ":callers JsonReader.peek", "callers JsonReader.peek where depth>15"},
		{"gson.dump", "ret=null", ":callees Gson.fromJson", "callees Gson.fromJson where ret=null"},
		{"gson.dump", "ret=null", ":calls pkg=com.google.*", "calls pkg=com.google.* ret=null"},
		{"gson.dump", "ret=null", ":top by class where class=Gson", "top by class where ret=null class=Gson"},
		{"gson.dump", "value>10", ":history JsonReader.pos", ""},
		{"kotlin.dump", "in(threw)", "!", "throws where in(threw)"},
		{"threads.dump", "value<4", `:log field=shared: "{value}"`, `log field=shared value<4: "{value}"`},
	} {
		open := func(filter, keys string) *driver {
			d := drive(t, uitest.Recorded(t, c.trace), 160, 30, Options{})
			if filter != "" {
				d.filtered(filter)
			}
			if command, ok := strings.CutPrefix(keys, ":"); ok {
				return d.command(command)
			}
			return d.keys(keys)
		}
		d := open(c.filter, c.keys)
		got := table(d)
		d.has("& "+c.filter, " in the tree")
		if strings.Contains(d.screen(), "does not apply") {
			t.Errorf("%s does not apply to %s:\n%s", c.filter, c.keys, d.screen())
		}
		whole := table(open("", c.keys))
		if slices.Equal(got, whole) {
			t.Errorf("%s changes nothing in %s, which has %d rows", c.filter, c.keys, len(whole))
		}
		if c.where != "" {
			if want := table(open("", ":"+c.where)); !slices.Equal(got, want) {
				t.Errorf("%s with %s: %d rows, want %d of %s, the first\n%s\nwant\n%s", c.keys, c.filter, len(got), len(want), c.where, got[:1], want[:1])
			}
		}
		if !strings.Contains(c.keys, ":log") {
			if d.keys("backspace"); !slices.Equal(table(d), whole) || d.m.filter.Cur != nil {
				t.Errorf("%s, then Backspace: %d rows, want %d", c.keys, len(table(d)), len(whole))
			}
		}
	}
	d := drive(t, uitest.Recorded(t, "gson.dump"), 160, 30, Options{}).filtered("ret=null")
	for _, keys := range []string{"U", "V V", ":state"} {
		if command, ok := strings.CutPrefix(keys, ":"); ok {
			d.command(command)
		} else {
			d.keys(keys)
		}
		d.has("[& ret=null not here ✕]").keys("esc")
	}
	d.filtered("ret=nothing-like-it").command("calls Gson.fromJson").has("no calls: only what the filter matches counts")
}
