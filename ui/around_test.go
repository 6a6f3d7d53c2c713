package ui

import (
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/uitest"
)

// onEvent is an explorer of a recorded trace with its cursor on an event.
func onEvent(t *testing.T, trace string, width, height int, event int32) *driver {
	t.Helper()
	h := lazy.EventHandle(event)
	return drive(t, uitest.Recorded(t, trace), width, height, Options{At: &h})
}

func eventOf(d *driver) int32 { return d.m.tree.Out.Cursor.Node.Point().Event }

// TestAround: U shows what the command prints at the width that the cursor's mark leaves, with the cursor on
// the row of the tree's.
func TestAround(t *testing.T) {
	for _, width := range []int{60, 100, 160} {
		d := onEvent(t, "threads.stream", width, 24, 41).keys("U")
		at, _, err := d.m.env.Trace.Reader.Find(t.Context(), lazy.EventHandle(41))
		if err != nil {
			t.Fatal(err)
		}
		a, err := query.FindAround(t.Context(), d.m.env.Trace.Reader, at, query.AroundOptions{N: 100})
		if err != nil {
			t.Fatal(err)
		}
		of, err := a.Table(t.Context(), query.AroundView{Width: screen.Inside(width) - 2, G: &display.Unicode})
		if err != nil {
			t.Fatal(err)
		}
		command := make(map[string]bool)
		for _, line := range printed(t, of, screen.Inside(width)-2) {
			command[words(line)] = true
		}
		lines := strings.Split(d.screen(), "\n")
		here := false
		for _, line := range lines[4:20] {
			text, cursor := strings.CutPrefix(line, "▌")
			if !command[words(text)] {
				t.Errorf("the command does not print %q", text)
			}
			here = here || cursor && strings.Contains(text, " 41 ")
		}
		if !here {
			t.Errorf("the cursor is not on #41:\n%s", d.screen())
		}
	}
}

// TestAroundKeys: rows of the same thread, more of them, threads left out, other points, and the tree.
func TestAroundKeys(t *testing.T) {
	d := onEvent(t, "threads.stream", 120, 24, 41).keys("U")
	shown := func() (event, thread int64, rows int) {
		s, _ := d.m.env.Front.List().(*tables.Sheet)
		of, row := s.Row()
		v := of.Rows.Row(row)
		return v[of.Column("event")].Int(), v[of.Column("thread")].Int(), of.Rows.Len()
	}
	_, _, rows := shown()
	d.keys("J")
	if event, thread, _ := shown(); event != 43 || thread != 1 {
		t.Errorf("J goes to #%d of thread %d", event, thread)
	}
	d.keys("K K")
	if event, _, _ := shown(); event != 39 {
		t.Errorf("K goes to #%d", event)
	}
	d.keys("+")
	if event, _, more := shown(); event != 41 || more <= rows {
		t.Errorf("+ shows %d rows in place of %d, at #%d", more, rows, event)
	}
	d.keys("j t").has("5 threads") // #42 is of worker-2
	if strings.Contains(d.screen(), "worker-2") {
		t.Errorf("it is still there:\n%s", d.screen())
	}
	d.keys("T").has("worker-2").keys("j .").has("around #42")
	d.keys("j j enter")
	if event := eventOf(d); d.m.env.Front.List() != nil || event == 41 || event == 42 {
		t.Errorf("enter goes to #%d:\n%s", event, d.screen())
	}
}

// TestAroundHistory: H in the table shows the same as on the row of the tree.
func TestAroundHistory(t *testing.T) {
	want := onEvent(t, "threads.stream", 120, 24, 78).keys("H").has("Threads.shared")
	d := onEvent(t, "threads.stream", 120, 24, 78).keys("U H")
	if d.screen() != want.screen() {
		t.Errorf("H in the table shows\n%s\nin the tree\n%s", d.screen(), want.screen())
	}
	d.keys("esc").has("around #78")
	d.keys("esc").keys("U K K K K H")
	if s, _ := d.m.env.Front.List().(*tables.Sheet); s == nil {
		t.Error("the table is gone")
	}
}

// TestAroundFilter: & begins with what fits the row; a wrong filter is refused.
func TestAroundFilter(t *testing.T) {
	d := onEvent(t, "threads.stream", 120, 24, 78).keys("U &").has(":around field=")
	d.keys("enter").has("only field=", "2nd write", "Threads.shared = ")
	if strings.Contains(d.screen(), "s = 0 ") {
		t.Errorf("not narrowed:\n%s", d.screen())
	}
	d.keys("esc esc :").typed("around feild=x").keys("enter").has("there is no field feild").keys("esc")
	d.keys("g U").has("the cursor is on no event")
}

// TestSame: what another thread did at that moment.
func TestSame(t *testing.T) {
	d := onEvent(t, "threads.stream", 100, 20, 41)
	d.keys(":").typed("same worker-1").keys("enter")
	if event := eventOf(d); event != 30 {
		t.Errorf("at #%d:\n%s", event, d.screen())
	}
	d.keys("[ :").typed("same 3").keys("enter")
	if event := eventOf(d); event != 40 {
		t.Errorf("at #%d:\n%s", event, d.screen())
	}
	d.keys(":").typed("same 3").keys("enter").has("the cursor is in this thread")
	d.keys(":").typed("same nobody").keys("enter").has("no thread nobody").keys("esc")
	first := onEvent(t, "threads.stream", 100, 20, 2)
	first.keys(":").typed("same worker-1").keys("enter").has("its first event after")
}

// TestLog: log points add up, their lines lead to the tree, and the session keeps them.
func TestLog(t *testing.T) {
	d := onEvent(t, "threads.stream", 100, 24, 41)
	d.keys(":").typed("log").keys("enter").has("no log points yet")
	d.keys(":").typed(`log method=work: "work {arg.1} -> {ret|exc}"`).keys("enter").has("#30  worker-1", "work 0 -> 0")
	d.keys("+").typed(`field=shared value<4: "  shared {value}"`).keys("enter").has("log · 13 lines", "#78  worker-1", "    shared 0")
	d.keys("j j j enter")
	if event := eventOf(d); event != 78 || d.m.env.Front.List() != nil {
		t.Errorf("at #%d:\n%s", event, d.screen())
	}
	if d.keys("g g n").has("listed event 1 of 13"); eventOf(d) != 30 {
		t.Errorf("n leads to #%d:\n%s", eventOf(d), d.screen())
	}
	if d.keys("N").has("listed event 13 of 13"); eventOf(d) == 30 {
		t.Errorf("N leads to #%d:\n%s", eventOf(d), d.screen())
	}
	d.keys(":").typed("log").keys("enter").has("log · 13 lines").keys("esc")
	if s := d.m.session(); s == nil || len(s.Log) != 2 || !strings.HasPrefix(s.Log[1], "field=shared") {
		t.Errorf("the session is %+v", s)
	}
	d.keys(":").typed(`log method=work: "work {agr}"`).keys("enter").has("column 21: there is no field agr").keys("esc")
	d.keys(":").typed("drop method=work").keys("enter")
	if d.keys(":").typed("log").keys("enter").has("steps: drop method=work"); strings.Contains(d.screen(), "work 0 -> 0") {
		t.Errorf("calls that are dropped have lines:\n%s", d.screen())
	}
	d.keys("esc").keys("U").has("[drop method=work not here ✕]").keys("esc Z")
	d.keys(":").typed("log -").keys("enter").has("no log points are left")
}
