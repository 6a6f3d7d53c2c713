package counting

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// childrenFor is how long a turn counts children before it reports. again is how often the
// children of nodes that have not ended are counted, in a followed trace.
const (
	childrenFor = 60 * time.Millisecond
	again       = 500 * time.Millisecond
)

// Children counts the children of nodes, one turn at a time. The zero value has counted nothing.
type Children struct {
	busy    bool
	cancel  context.CancelFunc
	stopped map[*lazy.Node]bool // counting failed, or the user stopped it
	at      time.Time           // when the last turn over growing nodes began
	had     map[*lazy.Node]bool // the nodes counted since then
}

// Facts are what the counting needs to know about the explorer.
type Facts struct {
	Life      context.Context
	Tree      *lazy.Tree
	Cursor    lazy.Row
	Rows      []lazy.Row // on the screen
	Following bool       // the trace grows
	Now       time.Time
}

// Begin returns a turn of counting for the nodes on the screen that need it, the cursor's
// first, or nil if none does or a turn is under way. The caller passes its message to Update.
func (c *Children) Begin(f Facts) (work func() tea.Msg) {
	if c.busy {
		return nil
	}
	nodes := c.uncounted(f)
	if len(nodes) == 0 {
		return nil
	}
	c.begin(f.Now, nodes)
	ctx, cancel := context.WithTimeout(f.Life, childrenFor)
	c.busy, c.cancel = true, cancel
	return func() tea.Msg {
		for i, n := range nodes {
			if _, _, err := f.Tree.CountChildren(ctx, n, 0); err != nil {
				return ChildrenCounted{nodes[i:], err}
			}
		}
		return ChildrenCounted{}
	}
}

// ChildrenCounted is the result of a turn.
type ChildrenCounted struct {
	rest []*lazy.Node // the node where it stopped, and those after it; nil if all are counted
	err  error
}

// Update handles the result of a turn.
func (c *Children) Update(end ChildrenCounted) {
	c.busy = false
	c.cancel()
	switch {
	case len(end.rest) == 0:
	case errors.Is(end.err, context.DeadlineExceeded):
		for _, n := range end.rest {
			delete(c.had, n)
		}
	default:
		c.leave(end.rest[0])
	}
}

// Busy reports whether a turn is under way.
func (c *Children) Busy() bool { return c.busy }

// Share returns the progress within the node being counted: " 42 %".
func (c *Children) Share(f Facts) string {
	nodes := c.uncounted(f)
	if len(nodes) == 0 {
		return ""
	}
	done, total := nodes[0].Counting()
	if total <= 0 {
		return ""
	}
	return " " + screen.Percent(done, total)
}

// Stop stops the counting under way, and reports whether there was any. Nothing else is counted
// until the screen shows other nodes.
func (c *Children) Stop(f Facts) bool {
	if !c.busy {
		return false
	}
	for _, n := range c.uncounted(f) {
		c.leave(n)
	}
	c.cancel()
	return true
}

// Reset forgets which nodes to leave uncounted, as the tree is a new one.
func (c *Children) Reset() { clear(c.stopped) }

// leave excludes a node from counting.
func (c *Children) leave(n *lazy.Node) {
	if c.stopped == nil {
		c.stopped = make(map[*lazy.Node]bool)
	}
	c.stopped[n] = true
}

// uncounted returns the nodes on the screen whose children have to be counted.
func (c *Children) uncounted(f Facts) (nodes []*lazy.Node) {
	if n := f.Cursor.Node; n != nil && c.due(f, n) {
		nodes = append(nodes, n)
	}
	for _, r := range f.Rows {
		if r.Node != nil && r != f.Cursor && c.due(f, r.Node) {
			nodes = append(nodes, r.Node)
		}
	}
	return nodes
}

// due reports whether the children of a node have to be counted, or counted again.
func (c *Children) due(f Facts, n *lazy.Node) bool {
	switch {
	case c.stopped[n]:
		return false
	case n.State() == lazy.StatePending: // its end is unknown: there is no last child yet
		return f.Following && (f.Now.Sub(c.at) >= again || !c.had[n])
	}
	_, exact, _ := n.Count()
	return !exact
}

// begin notes that the children of the given nodes are being counted.
func (c *Children) begin(now time.Time, nodes []*lazy.Node) {
	if now.Sub(c.at) >= again {
		c.at, c.had = now, make(map[*lazy.Node]bool)
	}
	for _, n := range nodes {
		if c.had != nil {
			c.had[n] = true
		}
	}
}
