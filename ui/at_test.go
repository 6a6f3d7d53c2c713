package ui

import (
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestAt: P shows what the command prints at the width that the cursor's mark leaves, with the cursor on the row of the
// tree's thread, and Enter goes to the call there.
func TestAt(t *testing.T) {
	r := timedTrace(t, timedSpec)
	var h lazy.Handle
	for _, width := range []int{60, 100, 160} {
		d := drive(t, r, width, 24, Options{}).keys("E 9 j")
		h = lazy.PositionHandle(d.m.tree.Out.Cursor.Node.Position())
		thread := d.m.tree.Out.Cursor.Node.Thread()
		d.keys("P").has("at #", "in a call")
		a := query.NewAt(r, query.AtOptions{Place: &h})
		if err := a.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		of := a.Table(query.View{Done: 1, Read: t.Context(), G: &display.Unicode})
		command := make(map[string]bool)
		for _, line := range printed(t, of, screen.Inside(width)-2) {
			command[words(line)] = true
		}
		here := false
		for _, line := range strings.Split(d.screen(), "\n")[4 : 4+of.Rows.Len()] {
			text, cursor := strings.CutPrefix(line, "▌")
			if !command[words(text)] {
				t.Errorf("the command does not print %q", text)
			}
			here = here || cursor
		}
		row, ok := a.RowOf(of, lazy.Position{Thread: thread})
		p, _ := query.PointAt(of, row)
		d.keys("O").has("the thread waits for none")
		if d.keys("enter"); !here || !ok || d.m.tree.Out.Cursor.Node.Position() != p.Position {
			t.Errorf("%v, %v: Enter leads to %q", here, ok, d.cursorText())
		}
	}
}

// TestAtTyped: a time, an event or nothing names the moment; other places are refused, and so is a trace without times.
func TestAtTyped(t *testing.T) {
	r := timedTrace(t, timedSpec)
	d := drive(t, r, 120, 24, Options{})
	for typed, has := range map[string]string{
		"at 0s": "at 0s · ", "at 1ms 2us": "at 1.002ms · ", "at #0": "at #0 · ", "at @1": "at @1 · ", "at": "at @1 · ",
		"at 1h2m": "no thread was in a call",
	} {
		d.keys("g :").typed(typed).keys("enter").has(has).keys("esc")
	}
	for typed, has := range map[string]string{"at 50%": "no moment 50%", "at t1": "no moment t1", "at x": "no moment x"} {
		d.keys(":").typed(typed).keys("enter").has(has).keys("esc")
	}
	d.keys(":").typed("at #99999999").keys("enter").has("no event 99999999")
	drive(t, uitest.Recorded(t, "gson.dump"), 120, 24, Options{}).keys("j P").has("this trace has no times: what threads were in")
}
