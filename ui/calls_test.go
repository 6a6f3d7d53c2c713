package ui

import (
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/uitest"
)

// callsOf returns the table of calls as the command makes it.
func callsOf(t *testing.T, r *lazy.LazyTraceReader, o query.CallsOptions) *table.Table {
	t.Helper()
	c, err := query.NewCalls(r, query.Scope{}, o)
	if err == nil {
		err = c.Run(t.Context(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.Table(query.View{Done: 1, Read: t.Context(), G: &display.Unicode})
}

// TestCalls: a shows what the command prints, in any order and grouped; also from another table.
func TestCalls(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 110, 20, Options{}) // without bars
	shows := func(o query.CallsOptions) {
		t.Helper()
		want := callsOf(t, d.m.env.Trace.Reader, o)
		lines := strings.Split(d.screen(), "\n")
		for i, line := range printed(t, want, 107)[1:min(10, want.Rows.Len()+2)] {
			if got, want := words(strings.TrimPrefix(lines[i+3], "▌")), words(line); got != want {
				t.Errorf("line %d:\n%s\nthe command prints\n%s", i+1, got, want)
			}
		}
		d.has(want.Title)
	}
	const method = "JsonReader.nextNonWhitespace"
	d.keys("T /").typed(method).keys("enter a")
	shows(query.CallsOptions{What: method})
	d.keys("S")
	shows(query.CallsOptions{What: method, Reverse: true})
	d.keys("s")
	shows(query.CallsOptions{What: method, Sort: "events"})
	d.keys("s")
	shows(query.CallsOptions{What: method, Sort: "arg.1"})
	d.keys("p")
	shows(query.CallsOptions{What: method, By: "arg.1"})
	d.keys("s")
	shows(query.CallsOptions{What: method, By: "arg.1", Sort: "threw"})
	d.keys("j enter").has("arg.1 is false · 2 calls").keys("esc p").has("by ret: ").keys("esc esc esc esc")
	if d.m.env.Front.List() != nil {
		t.Fatalf("still open:\n%s", d.screen())
	}
	d.keys(":").typed("calls Gson.getAdapter by caller").keys("enter")
	shows(query.CallsOptions{What: "Gson.getAdapter", By: "caller"})
	d.keys("q :").typed("calls class=Gson threw").keys("enter")
	shows(query.CallsOptions{What: "class=Gson threw"})
	d.keys("q :").typed("calls Gson.getAdaptr").keys("enter").has("the trace has no method Gson.getAdaptr; the nearest: Gson.getAdapter")
	d.keys(":").typed("calls Gson.getAdapter by ret col iter").keys("enter").has("by and col exclude each other")
	d.keys(":").typed("calls Gson.getAdapter by colour").keys("enter").has("calls cannot be grouped by colour; there are arg.1, ret")
	d.keys("! a").has("calls of Gson.fromJson")
}

// TestCallsFrom: the table of the calls of the cursor's method begins on the cursor's call.
func TestCallsFrom(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 20, Options{}).keys("/").typed("JsonReader.peek(").keys("enter n n")
	for range 4 {
		n := d.keys("n a").m.tree.Out.Cursor.Node
		list, _ := d.m.env.Front.List().(*tables.Sheet)
		of, row := list.Row()
		if event := of.Rows.Row(row)[of.Column("event")].Int(); event != int64(n.Point().Event) {
			t.Errorf("the cursor is on row %d of %s, event %d, not %d", row+1, of.Title, event, n.Point().Event)
		}
		d.keys("esc")
	}
}

// TestCallsWalk: Enter goes to a call; n and N go on in the table, until there is a search.
func TestCallsWalk(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 120, 20, Options{})
	d.keys(":").typed("calls JsonReader.peek").keys("enter")
	found := callsOf(t, d.m.env.Trace.Reader, query.CallsOptions{What: "JsonReader.peek"})
	event := func(row int) int32 { return int32(found.Rows.Row(row)[found.Column("event")].Int()) }
	at := func(row int) {
		t.Helper()
		if n := d.m.tree.Out.Cursor.Node; n == nil || n.Point().Event != event(row) {
			t.Fatalf("the cursor is on %s, want #%d", d.cursorText(), event(row))
		}
	}
	last := found.Rows.Len() - 1
	d.keys("j j enter")
	at(2)
	d.keys("n").has("call of JsonReader.peek 4 of 31")
	at(3)
	d.keys("N N N N")
	at(last)
	d.keys("n")
	at(0)
	d.keys("j n") // from a place between two calls
	at(1)
	d.keys("3 n")
	at(4)
	d.keys("j N")
	at(4)
	d.keys("/").typed("toJson").keys("enter")
	if d.keys("n"); !strings.Contains(d.cursorText(), "toJson") {
		t.Errorf("n goes to %s", d.cursorText())
	}
}

// TestCallsStop: Esc ends the pass and keeps the table; only then it closes it.
func TestCallsStop(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{})
	d.keys("T")
	_, pass := d.m.Update(keys.Press("a")) // which has not begun
	d.has("Esc stops", "partial")
	d.keys("esc").has("Esc back")
	d.run(pass)
	d.has("calls of ", "partial")
	if alarmed(d) {
		t.Error(message(d))
	}
	d.keys("esc").has("top · ")
}

// TestCallsColumns: the number of the iteration and captured fields become columns by a command, over the
// table too.
func TestCallsColumns(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 140, 30, Options{})
	d.keys(":").typed("calls TypeAdapterFactory.create col iter").keys("enter").has("calls of TypeAdapterFactory.create", "iteration")
	d.keys(":").typed("col line").keys("enter").has("iteration", "line ─")
	d.keys(":").typed("col depth").keys("enter").has("calls have no column depth").keys("esc esc esc esc")
	d.keys(":").typed("calls TypeAdapterFactory.create by iter").keys("enter").has("by iter: ")
}
