package follow

import (
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/uitest"
)

// newest follows to the newest row, and loads the gaps in the way; moved is false if there is
// no move.
func newest(t *testing.T, f *Follow, o *outline.Outline, k Facts) (moved bool) {
	t.Helper()
	goal := f.Next(o.Tree, k)
	if goal == nil {
		return false
	}
	for gap, end, wait := goal(o); wait; gap, end, wait = goal(o) {
		if err := o.Tree.Load(t.Context(), gap, end); err != nil {
			t.Fatal(err)
		}
	}
	f.Put(o.Cursor)
	return true
}

// TestNext: the cursor goes to the last row once for each growth, until the user moves it.
func TestNext(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	o := outline.New(r.Tree(true))
	o.Height = 10
	f := New(true, o.Cursor)
	k := Facts{Reader: r, Generation: 1, Now: time.Unix(1000, 0)}
	k.Busy = true
	if newest(t, &f, o, k) {
		t.Error("it interrupts another move")
	}
	k.Busy = false
	if !newest(t, &f, o, k) {
		t.Fatal("no move to the newest row")
	}
	th := o.Tree.ThreadAt(0)
	if last, ok := o.Tree.LastChild(th); !ok || o.Cursor.Node == th || o.Cursor != last || !o.Tree.IsExpanded(th) {
		t.Errorf("the cursor is at %+v, the last row is %+v", o.Cursor, last)
	}
	if newest(t, &f, o, k) {
		t.Error("a move though nothing has grown")
	}
	k.Generation++
	if !newest(t, &f, o, k) || !f.On() {
		t.Error("no move after growth")
	}
	f.Moved(o.Cursor)
	if !f.On() {
		t.Error("it stops though the cursor has not moved")
	}
	if f.Moved(outline.RowOf(th)); f.On() {
		t.Error("the user has moved the cursor, and it follows")
	}
	k.Generation++
	if newest(t, &f, o, k) {
		t.Error("a move while it does not follow")
	}
	f.Begin(o, k.Now)
	if !f.On() || !newest(t, &f, o, k) {
		t.Error("it does not begin again")
	}
	o = outline.New(r.Tree(false))
	o.Height = 10
	if f.Rebase(o.Cursor); !newest(t, &f, o, k) {
		t.Error("no move in another tree")
	}
}

// TestTurn: the end of a recording, and its beginning again, are noticed once.
func TestTurn(t *testing.T) {
	growing := lazy.Status{Growth: lazy.Growth{On: true}}
	f := New(true, lazy.Row{})
	if c := f.Turn(growing); c != (Change{}) {
		t.Errorf("%+v at the start", c)
	}
	again := growing
	again.Growth.Recording, again.Growth.Again = 1, errors.New("another recording")
	if c := f.Turn(again); c != (Change{true, "another recording", true}) || f.Turn(again) != (Change{}) {
		t.Errorf("%+v", c)
	}
	left := lazy.Status{Ended: "its program ended", Growth: lazy.Growth{Recording: 1}}
	if c := f.Turn(left); c != (Change{Message: "its program ended", Alarm: true}) || !f.On() {
		t.Errorf("%+v; follows until all is known: %v", c, f.On())
	}
	f = New(true, lazy.Row{})
	f.Turn(growing)
	if c := f.Turn(lazy.Status{}); c != (Change{Message: "the recording has ended"}) || f.On() {
		t.Errorf("%+v; follows: %v", c, f.On())
	}
}

// TestTick: there is one tick at a time, while the trace grows.
func TestTick(t *testing.T) {
	var f Follow
	ticks := 0
	after := func(time.Duration, tea.Msg) tea.Cmd { ticks++; return nil }
	f.Tick(lazy.Growth{}, after)
	f.Tick(lazy.Growth{On: true}, after) // nothing has been written yet
	g := lazy.Growth{On: true, Grown: time.Unix(1000, 0)}
	f.Tick(g, after)
	f.Tick(g, after)
	if ticks != 1 {
		t.Errorf("%d ticks", ticks)
	}
	f.Ticked()
	if f.Tick(g, after); ticks != 2 {
		t.Error("no second tick")
	}
}
