package counting

import (
	"context"
	"strings"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

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
