package tree

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// testCounting returns a Counting for a tree with one row on the screen, whose turns end as messages.
func testCounting(t *testing.T, r *lazy.LazyTraceReader) (*Counting, *env.Env) {
	t.Helper()
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Trace = env.NewTrace(r, "", "")
	e.Clock.Now = func() time.Time { return time.Unix(1000, 0) }
	p := New(e, true)
	p.Out.Rows = []lazy.Row{p.Out.Cursor}
	return NewCounting(e, p), e
}

// ended hands over the results of turns.
func ended(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case env.Ran:
		msg.Then()
	case tea.BatchMsg:
		for _, cmd := range msg {
			ended(cmd)
		}
	}
}

// TestCounting: children are counted first, then the calls, and both can be stopped.
func TestCounting(t *testing.T) {
	c, _ := testCounting(t, uitest.Recorded(t, "gson.stream"))
	if c.Busy() || c.Text() != "" {
		t.Error("busy at the start")
	}
	cmd := c.Settle(true)
	if cmd == nil || !c.children.Running() || c.calls.Running() || !strings.HasPrefix(c.Text(), "counting") {
		t.Fatalf("%q; children %v, calls %v", c.Text(), c.children.Running(), c.calls.Running())
	}
	ended(cmd)
	for cmd = c.Settle(true); c.children.Running(); cmd = c.Settle(true) {
		ended(cmd)
	}
	if !c.calls.Running() || c.Busy() {
		t.Error("the calls are not counted, or a short count is mentioned")
	}
	c.turns = callsTurns
	if c.Text() != "counting calls 0 %" || !c.Stop() || c.Text() != "" {
		t.Errorf("%q", c.Text())
	}
	ended(cmd)
}

// TestCalls: a long count can be stopped, and its results are then dropped; another generation
// of the trace is counted anew.
func TestCalls(t *testing.T) {
	r := uitest.Recorded(t, "gson.stream")
	c, e := testCounting(t, r)
	c.tree.Out.Cursor, c.tree.Out.Rows = lazy.Row{}, nil // no children to count
	if e.Trace.Generation = 1; c.Settle(false) != nil {
		t.Error("it does not wait for other work")
	}
	cmd := c.countCalls()
	if cmd == nil || c.countCalls() != nil {
		t.Fatal("one census, and no second beside it")
	}
	if c.long() || c.Stop() {
		t.Error("the user wonders from the first turn on")
	}
	c.turns = callsTurns
	if !c.long() || !c.Stop() || c.Stop() {
		t.Error("it can be stopped, once")
	}
	ended(cmd)
	if c.calls.Running() || c.countCalls() != nil {
		t.Error("it was begun again")
	}
	e.Trace.Generation = 2
	if c.Settle(true); c.NoCalls && r.TallyPass() != nil {
		t.Error("a trace that has changed is not counted")
	}
}

// TestChildren: the children of nodes on the screen are counted once; nodes that the user has
// stopped are not.
func TestChildren(t *testing.T) {
	c, _ := testCounting(t, uitest.Recorded(t, "gson.stream"))
	n := c.tree.Out.Cursor.Node
	if _, exact, _ := n.Count(); exact {
		t.Fatal("it is counted from the start: the test shows nothing")
	}
	cmd := c.Settle(false)
	if cmd == nil || !c.Busy() || c.Settle(false) != nil {
		t.Fatal("one turn, and no second beside it")
	}
	if !c.Stop() {
		t.Error("it cannot be stopped")
	}
	ended(cmd)
	if c.Busy() || c.Settle(false) != nil || c.Stop() {
		t.Error("what was stopped is begun again")
	}
	c.of = nil // as for another tree
	for cmd := c.Settle(false); cmd != nil; cmd = c.Settle(false) {
		ended(cmd)
	}
	if _, exact, _ := n.Count(); !exact {
		t.Error("it is not counted")
	}
}

// TestChildrenThatGrow: children are counted twice a second while the trace is followed, and at
// once if a turn was too short for them.
func TestChildrenThatGrow(t *testing.T) {
	now := time.Unix(1000, 0)
	c := &Counting{env: &env.Env{Clock: env.Clock{Now: func() time.Time { return now }}}}
	n := new(lazy.Node)
	c.note([]*lazy.Node{n})
	if !c.had[n] {
		t.Fatal("it is not noted")
	}
	c.endedAt([]*lazy.Node{n}, context.DeadlineExceeded)
	if c.had[n] || c.stopped[n] {
		t.Error("it is not counted on")
	}
	now = now.Add(again)
	c.note(nil)
	if c.at != now {
		t.Error("the next turn is not one of its own")
	}
}

// TestChildrenShare: the share of a huge node that has been counted is known.
func TestChildrenShare(t *testing.T) {
	c, _ := testCounting(t, uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.WideCalls, N: 10_000, Seed: 1}), lazy.Options{NoWrite: true}))
	tree := c.tree.Out.Tree
	n, err := tree.Child(t.Context(), tree.ThreadAt(0), 0)
	if err != nil {
		t.Fatal(err)
	}
	c.tree.Out.Cursor, c.tree.Out.Rows = lazy.Row{Node: n}, nil
	if got := c.share(); got != " 0 %" {
		t.Errorf("before: %q", got)
	}
	if _, _, err := tree.CountChildren(t.Context(), n, 5000); err != nil {
		t.Fatal(err)
	}
	if got := c.share(); !strings.HasPrefix(got, " 4") {
		t.Errorf("4,096 of 10,000 are before the last anchor: %q", got)
	}
}
