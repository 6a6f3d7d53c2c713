package tree

import (
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/uitest"
)

// testFollowing returns Following for a tree.
func testFollowing(t *testing.T) (*Following, *env.Env) {
	t.Helper()
	p, e := newPart(t, uitest.Recorded(t, "gson.dump"))
	e.Trace.Generation = 1
	e.Clock.Now = func() time.Time { return time.Unix(1000, 0) }
	return NewFollowing(e, p, true), e
}

// newest follows to the newest row, and loads the gaps in the way; moved is false if there is
// no move.
func newest(t *testing.T, f *Following) (moved bool) {
	t.Helper()
	goal, o := f.Next(), f.tree.Out
	if goal == nil {
		return false
	}
	for gap, end, wait := goal(o); wait; gap, end, wait = goal(o) {
		if err := o.Tree.Load(t.Context(), gap, end); err != nil {
			t.Fatal(err)
		}
	}
	f.Put()
	return true
}

// TestNext: the cursor goes to the last row once for each growth, until the user moves it.
func TestNext(t *testing.T) {
	f, e := testFollowing(t)
	o := f.tree.Out
	o.Goal = ToLast
	if newest(t, f) {
		t.Error("it interrupts another move")
	}
	o.Goal = nil
	if !newest(t, f) {
		t.Fatal("no move to the newest row")
	}
	th := o.Tree.ThreadAt(0)
	if last, ok := o.Tree.LastChild(th); !ok || o.Cursor.Node == th || o.Cursor != last || !o.Tree.IsExpanded(th) {
		t.Errorf("the cursor is at %+v, the last row is %+v", o.Cursor, last)
	}
	if newest(t, f) {
		t.Error("a move though nothing has grown")
	}
	e.Trace.Generation++
	if !newest(t, f) || !f.On() {
		t.Error("no move after growth")
	}
	f.Moved()
	if !f.On() {
		t.Error("it stops though the cursor has not moved")
	}
	o.Cursor = RowOf(th)
	if f.Moved(); f.On() {
		t.Error("the user has moved the cursor, and it follows")
	}
	e.Trace.Generation++
	if newest(t, f) {
		t.Error("a move while it does not follow")
	}
	e.Trace.Known.Growth.On = true
	f.Toggle()
	if !f.On() || !newest(t, f) {
		t.Error("it does not begin again")
	}
	f.tree.replace(newTree(e.Trace.Reader, false), 0)
	if f.Rebase(); !newest(t, f) {
		t.Error("no move in another tree")
	}
}

// TestTurn: the end of a recording, and its beginning again, are noticed once.
func TestTurn(t *testing.T) {
	f, e := testFollowing(t)
	turn := func(st lazy.Status) (again bool, text string, alarm bool) {
		e.Say("")
		e.Trace.Known = st
		if again = f.Again(); again {
			f.Restart()
		}
		f.Turn()
		text, alarm = e.Status.Message()
		return again, text, alarm
	}
	growing := lazy.Status{Growth: lazy.Growth{On: true}}
	if again, text, _ := turn(growing); again || text != "" {
		t.Errorf("%v, %q at the start", again, text)
	}
	other := growing
	other.Growth.Recording, other.Growth.Again = 1, errors.New("another recording")
	if again, text, alarm := turn(other); !again || text != "another recording" || !alarm {
		t.Errorf("%v, %q", again, text)
	}
	if again, text, _ := turn(other); again || text != "" {
		t.Errorf("%v, %q", again, text)
	}
	left := lazy.Status{Ended: "its program ended", Growth: lazy.Growth{Recording: 1}}
	if again, text, alarm := turn(left); again || text != "its program ended" || !alarm || !f.On() {
		t.Errorf("%v, %q; follows until all is known: %v", again, text, f.On())
	}
	f, e = testFollowing(t)
	turn(growing)
	if again, text, alarm := turn(lazy.Status{}); again || text != "the recording has ended" || alarm || !f.On() {
		t.Errorf("%v, %q; follows until all is known: %v", again, text, f.On())
	}
}

// TestTick: there is one tick at a time, while the trace grows.
func TestTick(t *testing.T) {
	ticks := 0
	e := &env.Env{Clock: env.Clock{After: func(time.Duration, tea.Msg) tea.Cmd { ticks++; return nil }}}
	f := &Following{env: e}
	f.Tick()
	e.Trace.Known.Growth = lazy.Growth{On: true}
	f.Tick() // nothing has been written yet
	e.Trace.Known.Growth.Grown = time.Unix(1000, 0)
	f.Tick()
	f.Tick()
	if ticks != 1 {
		t.Errorf("%d ticks", ticks)
	}
	f.Ticked()
	if f.Tick(); ticks != 2 {
		t.Error("no second tick")
	}
}
