package ui

import (
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/uitest"
)

// at drives the explorer of a recorded trace to an event.
func atEvent(t *testing.T, r *lazy.LazyTraceReader, event string) *driver {
	t.Helper()
	return drive(t, r, 113, 24, Options{}).keys(":").typed(event).keys("enter")
}

// TestHistory: H on a write shows what the command prints, with a mark at it; Enter goes to a row's
// event, W shows all objects.
func TestHistory(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	d := atEvent(t, r, "6278")
	n := d.m.tree.Out.Cursor.Node
	h := func(text string) *query.History {
		l, err := query.ParseLocation(t.Context(), r, text, "")
		if err != nil {
			t.Fatal(err)
		}
		h := query.NewHistory(r, query.Scope{}, query.HistoryOptions{
			Location: l, Here: &query.HistoryPoint{Position: n.Position(), Event: 6278}, Keep: 1000,
		})
		if err := h.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		return h
	}
	spots, _, err := query.LocationsAt(t.Context(), r, false, n.Position())
	if err != nil || len(spots) != 1 {
		t.Fatal(spots, err)
	}
	d.keys("H")
	shows := func(text string, rows int) {
		t.Helper()
		want := h(text).Table(query.View{Done: 1, G: &display.Unicode})
		lines := strings.Split(d.screen(), "\n")
		for i, line := range printed(t, want, 110)[2 : 2+rows] {
			if got, want := words(strings.TrimPrefix(lines[i+4], "▌")), words(line); got != want {
				t.Errorf("line %d:\n%s\nthe command prints\n%s", i+1, got, want)
			}
		}
		d.has(want.Title)
	}
	shows(spots[0].Text, 14)
	d.has("●    #6278", "1 ▃▆▃▆█▆▃▆█▆█▆▃▁ 4; smallest 1 at #6371, largest 4 at #5180")
	d.keys("W")
	shows(spots[0].Wider, 15)
	d.keys("esc j j enter")
	d.has("event with a value ", " of 14")
	if text := d.cursorText(); d.m.env.Front.List() != nil || d.m.tree.Out.Cursor.Node.Handle().String() != "#4926" {
		t.Errorf("Enter goes to %s", text)
	}
}

// TestHistorySorted: a history is sorted by value and by time, and keys lead to the smallest and the largest number in each order.
func TestHistorySorted(t *testing.T) {
	d := atEvent(t, uitest.Recorded(t, "gson.dump"), "6278").keys("H")
	events := func(list ...string) {
		t.Helper()
		for i, line := range strings.Split(d.screen(), "\n")[4 : 4+len(list)] {
			if !strings.Contains(line, " "+list[i]+" ") {
				t.Errorf("row %d is %s, not %s", i+1, line, list[i])
			}
		}
	}
	d.has("▲ event").keys("M").has("▌      #5180", "row 5 of 14").keys("m").has("▌      #6371", "row 14 of 14")
	d.keys("s").has("▲ value")
	events("#6371", "#4248", "#4926", "#5523", "#6339", "#4713", "#5061", "#5473", "#5647", "#6137", "#6302", "#5180", "#5906", "#6278")
	d.keys("M").has("▌    #5180", "row 12 of 14").keys("m").has("row 1 of 14")
	d.click("called by", "value").has("▼ value")
	events("#5180", "#5906", "#6278", "#4713", "#5061")
	d.has("●  #6278").keys("m").has("▌    #6371", "row 14 of 14")
	d.keys("k enter")
	if eventOf(d) != 6339 {
		t.Errorf("Enter goes to %q", d.cursorText())
	}
	d.keys(":").typed("6278").keys("enter H s s S").has("▼ event")
	events("#6371", "#6339", "#6302", "#6278")
	d.click("called by", "called by").has("this table is not sorted by that column")
	d.keys("esc :").typed("history title").keys("enter m").has("no two numbers of one field here differ")
}

// TestHistoryWrites: the keys for the write before and after go there, from the tree and from the table.
func TestHistoryWrites(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	for _, c := range []struct{ keys, to string }{
		{",", "#6137"}, {".", "#6302"}, {", ,", "#5906"}, {"H [", "#6137"}, {"H ]", "#6302"}, {"H G [", "#6137"},
	} {
		d := atEvent(t, r, "6278").keys(c.keys)
		if got := d.m.tree.Out.Cursor.Node.Handle().String(); got != c.to {
			t.Errorf("%s goes to %s, expected %s: %s", c.keys, got, c.to, message(d))
		}
	}
	d := atEvent(t, r, "4248").keys(",")
	if got := d.m.tree.Out.Cursor.Node.Handle().String(); got != "#4248" || !strings.Contains(message(d), "no write of it was recorded there") {
		t.Errorf("at %s: %s", got, message(d))
	}
	d.keys(":").typed("after").keys("enter")
	if got := d.m.tree.Out.Cursor.Node.Handle().String(); got != "#4713" {
		t.Errorf(":after goes to %s", got)
	}
}

// TestHistoryChoice: on a call with several objects, a digit chooses one; names that lead nowhere are
// answered with near ones.
func TestHistoryChoice(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	d := drive(t, r, 112, 24, Options{}).keys(":").typed("search fromJson").keys("enter n n n H")
	d.fire(env.PrefixWaited{})
	text := d.screen()
	if !strings.Contains(text, " history of ") || !strings.Contains(text, "│ 1  ") {
		t.Fatalf("%s: %s", d.cursorText(), text)
	}
	_, second, _ := strings.Cut(text, "│ 2  ")
	second, _, _ = strings.Cut(second, " ")
	d.keys("2").has("history · " + second + " ·")
	if _, ok := d.m.env.Front.List().(*tables.Sheet); !ok {
		t.Error("no table")
	}
	d.keys("esc H x")
	if d.m.env.Front.List() != nil || !strings.Contains(message(d), "x is none of 1  2") {
		t.Error(message(d))
	}
	d.keys(":").typed("history stakSize").keys("enter").has("the nearest: stackSize")
	d.keys(":").typed("history stackSize").keys("enter").has("JsonReader.stackSize")
	d.keys(":").typed("history JsonReader.stackSize").keys("enter").has("21 writes")
}

// TestState: :state shows the values as last seen, and Enter goes to the event that set one.
func TestState(t *testing.T) {
	d := atEvent(t, uitest.Recorded(t, "gson.dump"), "6278").keys(":").typed("state").keys("enter")
	d.has("state before #6278 · in JsonReader.push #6277", "not seen before", "stackSize")
	d.keys("/").typed("stackSize").keys("enter enter")
	if got := d.m.tree.Out.Cursor.Node.Handle().String(); got != "#6137" {
		t.Errorf("Enter goes to %s", got)
	}
}

// TestStateInDetails: the details have the state before the row, that of each row as the cursor moves.
func TestStateInDetails(t *testing.T) {
	d := atEvent(t, uitest.Recorded(t, "gson.dump"), "6278")
	d.resize(140, 60)
	d.keys("d")
	d.has("before it  in JsonReader.push #6277", "argument   1 = 3  #6277", "stackSize = 3  #6137", "was not seen before")
	d.keys(":").typed("6277").keys("enter")
	if text := d.screen(); strings.Contains(text, "in JsonReader.push #6277") {
		t.Errorf("the state is that of another row:\n%s", text)
	}
	d.has("before it  in JsonReader.")
}
