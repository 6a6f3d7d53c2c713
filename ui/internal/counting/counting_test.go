package counting

import (
	"context"
	"strings"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestCalls: a long count can be stopped, and its results are then dropped; another generation
// of the trace is counted anew.
func TestCalls(t *testing.T) {
	r := uitest.Recorded(t, "gson.stream")
	var c Calls
	if c.Begin(t.Context(), r, 1, false) != nil {
		t.Error("it does not wait for other work")
	}
	cmd := c.Begin(t.Context(), r, 1, true)
	if cmd == nil || c.Begin(t.Context(), r, 1, true) != nil {
		t.Fatal("one census, and no second beside it")
	}
	if c.Long() || c.Stop() {
		t.Error("the user wonders from the first turn on")
	}
	c.turns = callsTurns
	if !c.Long() || !c.Stop() || c.Stop() {
		t.Error("it can be stopped, once")
	}
	c.Update(cmd().(CallsCounted))
	if c.busy || c.Begin(t.Context(), r, 1, true) != nil {
		t.Error("it was begun again")
	}
	if c.Begin(t.Context(), r, 2, true); c.Off && r.TallyPass() != nil {
		t.Error("a trace that has changed is not counted")
	}
}

// TestChildren: the children of nodes on the screen are counted once; nodes that the user has
// stopped are not.
func TestChildren(t *testing.T) {
	r := uitest.Recorded(t, "gson.stream")
	tree := r.Tree(true)
	n := tree.ThreadAt(0)
	row := lazy.Row{Node: n}
	f := Facts{Life: t.Context(), Tree: tree, Cursor: row, Rows: []lazy.Row{row}, Now: time.Unix(1000, 0)}
	var c Children
	if _, exact, _ := n.Count(); exact {
		t.Fatal("it is counted from the start: the test shows nothing")
	}
	work := c.Begin(f)
	if work == nil || !c.Busy() || c.Begin(f) != nil {
		t.Fatal("one turn, and no second beside it")
	}
	if !c.Stop(f) {
		t.Error("it cannot be stopped")
	}
	c.Update(work().(ChildrenCounted))
	if c.Busy() || c.Begin(f) != nil || c.Stop(f) {
		t.Error("what was stopped is begun again")
	}
	c.Reset()
	for work := c.Begin(f); work != nil; work = c.Begin(f) {
		c.Update(work().(ChildrenCounted))
	}
	if _, exact, _ := n.Count(); !exact {
		t.Error("it is not counted")
	}
}

// TestChildrenThatGrow: children are counted twice a second while the trace is followed, and at
// once if a turn was too short for them.
func TestChildrenThatGrow(t *testing.T) {
	var c Children
	n, now := new(lazy.Node), time.Unix(1000, 0)
	c.begin(now, []*lazy.Node{n})
	if !c.had[n] {
		t.Fatal("it is not noted")
	}
	c.busy, c.cancel = true, func() {}
	c.Update(ChildrenCounted{[]*lazy.Node{n}, context.DeadlineExceeded})
	if c.had[n] || c.stopped[n] {
		t.Error("it is not counted on")
	}
	c.begin(now.Add(again), nil)
	if c.at != now.Add(again) {
		t.Error("the next turn is not one of its own")
	}
}

// TestChildrenShare: the share of a huge node that has been counted is known.
func TestChildrenShare(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.WideCalls, N: 10_000, Seed: 1}), lazy.Options{NoWrite: true})
	tree := r.Tree(true)
	n, err := tree.Child(t.Context(), tree.ThreadAt(0), 0)
	if err != nil {
		t.Fatal(err)
	}
	var c Children
	f := Facts{Life: t.Context(), Tree: tree, Cursor: lazy.Row{Node: n}}
	if got := c.Share(f); got != " 0 %" {
		t.Errorf("before: %q", got)
	}
	if _, _, err := tree.CountChildren(t.Context(), n, 5000); err != nil {
		t.Fatal(err)
	}
	if got := c.Share(f); !strings.HasPrefix(got, " 4") {
		t.Errorf("4,096 of 10,000 are before the last anchor: %q", got)
	}
}

// TestPart: children are counted first, then the calls, and both can be stopped.
func TestPart(t *testing.T) {
	r := uitest.Recorded(t, "gson.stream")
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	tree := r.Tree(true)
	row := lazy.Row{Node: tree.ThreadAt(0)}
	f := Facts{Life: t.Context(), Tree: tree, Cursor: row, Rows: []lazy.Row{row}, Now: time.Unix(1000, 0)}
	p := New(r, e)
	if p.Busy() || p.Text(f) != "" {
		t.Error("busy at the start")
	}
	cmd := p.Settle(f, 1, true)
	if cmd == nil || !p.Children.Busy() || p.Calls.busy || !strings.HasPrefix(p.Text(f), "counting") {
		t.Fatalf("%q; children %v, calls %v", p.Text(f), p.Children.Busy(), p.Calls.busy)
	}
	p.Update(cmd().(Msg))
	for cmd = p.Settle(f, 1, true); p.Children.Busy(); cmd = p.Settle(f, 1, true) {
		p.Update(cmd().(Msg))
	}
	if !p.Calls.busy || p.Busy() {
		t.Error("the calls are not counted, or a short count is mentioned")
	}
	p.Calls.turns = callsTurns
	if p.Text(f) != "counting calls 0 %" || !p.Stop(f) || p.Text(f) != "" {
		t.Errorf("%q", p.Text(f))
	}
	p.Update(cmd().(Msg))
}
