package job

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/address"
	"tracex/ui/internal/env"
	"tracex/ui/internal/loading"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
	"tracex/ui/internal/uitest"
)

// newPart returns a Part for a tree on a screen of 20 rows. Its keys wait for no work: results
// arrive as messages.
func newPart(t *testing.T, r *lazy.LazyTraceReader) (*Part, *env.Env) {
	t.Helper()
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Width, e.Height = 80, 24
	p := New(r, e, tree.New(r, e, true))
	p.tree.Out.Height, p.tree.Out.Width = 20, 80
	p.tree.Out.Settle()
	finish(t, p, p.tree.Begin())
	return p, e
}

// finish runs a command and those that follow it to their end.
func finish(t *testing.T, p *Part, cmd tea.Cmd) {
	t.Helper()
	todo := []tea.Cmd{cmd, p.tree.Settle()}
	for len(todo) > 0 {
		cmd, todo = todo[0], todo[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			todo = append(todo, msg...)
		case loading.Msg:
			todo = append(todo, p.tree.Update(msg), p.tree.Settle())
		default:
			todo = append(todo, p.Update(msg.(Msg)), p.tree.Settle())
		}
	}
}

func timed(t *testing.T) *lazy.LazyTraceReader {
	spec := formattest.Spec{Shape: formattest.WideCalls, N: 50, Seed: 1, Timed: true}
	return uitest.Open(t, formattest.File(t, spec), lazy.Options{})
}

func message(e *env.Env) string { text, _ := e.Status.Message(); return text }

// TestSortedLate: a sort that takes long leaves the cursor where the user has moved it, and its
// result is dropped once it is stopped.
func TestSortedLate(t *testing.T) {
	p, e := newPart(t, timed(t))
	finish(t, p, p.tree.Right(0))
	finish(t, p, p.Expand(1))
	finish(t, p, p.tree.Right(0))
	in := p.tree.Out.Sortable()
	cmd := p.Sort(0)
	if !p.Running() {
		t.Fatal("the sort has ended at once: the test shows nothing")
	}
	finish(t, p, p.tree.Siblings(1))
	there := p.tree.Out.Cursor.Node
	if finish(t, p, cmd); p.tree.Out.Cursor.Node != there || in.Order() != lazy.OrderWeight {
		t.Errorf("the cursor was at %v, and went to %v", there, p.tree.Out.Cursor.Node)
	}
	e.Say("")
	cmd = p.Sort(0)
	if !p.Stop() {
		t.Fatal("it cannot be stopped")
	}
	if finish(t, p, cmd); message(e) != "" {
		t.Errorf("stopped, but it says %q", message(e))
	}
}

// TestRaw: another tree is shown, with the cursor on the same event.
func TestRaw(t *testing.T) {
	p, _ := newPart(t, uitest.Recorded(t, "gson.dump"))
	event, was := p.tree.Out.Cursor.Node.Point().Event, p.tree.Out.Tree
	if p.tree.Replaced() {
		t.Error("replaced before")
	}
	finish(t, p, p.ToggleRaw(0))
	if p.tree.Out.Tree == was || p.tree.Out.Cursor.Node.Point().Event != event || !p.tree.Replaced() || p.tree.Replaced() {
		t.Errorf("at %+v", p.tree.Out.Cursor)
	}
}

// TestGoTo: an event, a share of the thread and a thread are gone to, and left again.
func TestGoTo(t *testing.T) {
	p, e := newPart(t, uitest.Recorded(t, "gson.dump"))
	first := p.tree.Out.Cursor.Node
	if finish(t, p, p.GoTo(address.Parse("42"))); p.tree.Out.Cursor.Node.Point().Event != 42 {
		t.Errorf(":42 is at %+v", p.tree.Out.Cursor)
	}
	finish(t, p, p.GoTo(address.Parse("100%")))
	if at := p.tree.Out.Cursor.Node.Fraction(); at < 0.9 {
		t.Errorf(":100%% is at %f", at)
	}
	if finish(t, p, p.GoTo(address.Parse("t1"))); !p.tree.Out.Cursor.Node.IsThread() {
		t.Errorf(":t1 is at %+v", p.tree.Out.Cursor)
	}
	if finish(t, p, p.GoTo(address.Parse("t9"))); !strings.HasPrefix(message(e), "no thread 9: ") {
		t.Errorf("%q", message(e))
	}
	for range 3 {
		finish(t, p, p.Back(0))
	}
	if p.tree.Out.Cursor.Node != first {
		t.Errorf("back is at %+v", p.tree.Out.Cursor)
	}
	if finish(t, p, p.Back(0)); !strings.HasPrefix(message(e), "no earlier position") {
		t.Errorf("%q", message(e))
	}
	if finish(t, p, p.Forward(0)); p.tree.Out.Cursor.Node.Point().Event != 42 {
		t.Errorf("forward is at %+v", p.tree.Out.Cursor)
	}
}
