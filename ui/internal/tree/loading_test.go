package tree

import (
	"errors"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// testLoader returns a loader that waits for no load, and a tree with a gap on the screen.
func testLoader(t *testing.T) (*loader, *Outline, *env.Env) {
	t.Helper()
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	o := NewOutline(uitest.Recorded(t, "gson.dump").Tree(true))
	o.Height = 10
	o.Tree.Expand(o.Tree.ThreadAt(0))
	o.Settle()
	if !slices.ContainsFunc(o.Rows, lazy.Row.Gap) {
		t.Fatal("all is loaded: the test shows nothing")
	}
	l := newLoader(&Tree{Out: o, env: e})
	return &l, o, e
}

// messages runs commands and returns their messages.
func messages(cmd tea.Cmd) (msgs []LoadMsg) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			msgs = append(msgs, messages(c)...)
		}
	case LoadMsg:
		msgs = append(msgs, msg)
	}
	return msgs
}

// TestVisible: a gap on the screen is loaded once, by a message or at once.
func TestVisible(t *testing.T) {
	l, o, _ := testLoader(t)
	msgs := messages(l.visible())
	if len(msgs) != 1 || !l.Busy() || !l.loading(o.Tree.ThreadAt(0)) || l.visible() != nil {
		t.Fatalf("%d loads, busy %v", len(msgs), l.Busy())
	}
	l.Update(msgs[0])
	if o.Settle(); l.Busy() || slices.ContainsFunc(o.Rows, lazy.Row.Gap) {
		t.Errorf("busy %v, rows %v", l.Busy(), o.Rows)
	}
}

// TestFailed: a failed load is remembered until Retry, and not tried again before; one of
// another tree is dropped.
func TestFailed(t *testing.T) {
	l, o, e := testLoader(t)
	i := slices.IndexFunc(o.Rows, lazy.Row.Gap)
	what, odd := load{gap: o.Rows[i]}, errors.New("odd")
	l.Update(LoadMsg{new(lazy.Tree), what, odd})
	if l.err(what.gap) != nil {
		t.Error("a failure in another tree is remembered")
	}
	l.Update(LoadMsg{o.Tree, what, odd})
	if text, alarm := e.Status.Message(); l.err(what.gap) != odd || text != "cannot load: odd" || !alarm {
		t.Errorf("%v, %q", l.err(what.gap), text)
	}
	if l.visible() != nil {
		t.Error("it is tried again")
	}
	if l.retry(what.gap.Parent); l.err(what.gap) != nil || l.visible() == nil {
		t.Error("it is not tried again")
	}
	if !l.stop() {
		t.Error("there was a load to stop")
	}
	if l.reset(); l.Busy() {
		t.Error("loads of the tree before are known")
	}
}

// TestPursue: a move waits for the gap in its way, and ends there if that cannot be loaded.
func TestPursue(t *testing.T) {
	l, o, _ := testLoader(t)
	o.Goal = Down(1)
	for msgs := messages(l.pursue()); len(msgs) > 0; {
		if o.Goal == nil {
			t.Fatal("the move does not wait")
		}
		msgs = append(messages(l.Update(msgs[0])), msgs[1:]...)
	}
	if o.Goal != nil || o.Cursor.Parent != o.Tree.ThreadAt(0) || o.Cursor.Gap() {
		t.Errorf("at %+v", o.Cursor)
	}
	l, o, _ = testLoader(t)
	gap := o.Rows[slices.IndexFunc(o.Rows, lazy.Row.Gap)]
	l.failed[keyOf(gap)] = errors.New("odd")
	o.Goal = Down(1)
	if l.pursue() != nil || o.Goal != nil || o.Cursor != gap {
		t.Errorf("at %+v", o.Cursor)
	}
}
