package tree

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
)

// again is how often the children of nodes that have not ended are counted, in a followed trace.
const again = 500 * time.Millisecond

func (c *Counting) countChildren(nodes []*lazy.Node) tea.Cmd {
	c.note(nodes)
	t := c.tree.Out.Tree
	return c.children.Run(c.env, func(ctx context.Context) func() tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, turnFor)
		defer cancel()
		for i, n := range nodes {
			if _, _, err := t.CountChildren(ctx, n, 0); err != nil {
				return env.Done(func() { c.endedAt(nodes[i:], err) })
			}
		}
		return nil
	})
}

func (c *Counting) note(nodes []*lazy.Node) {
	if now := c.env.Clock.Now(); now.Sub(c.at) >= again {
		c.at, c.had = now, make(map[*lazy.Node]bool)
	}
	for _, n := range nodes {
		c.had[n] = true
	}
}

// endedAt notes that a turn has ended at the first of these nodes, before the others.
func (c *Counting) endedAt(rest []*lazy.Node, err error) {
	if !errors.Is(err, context.DeadlineExceeded) {
		c.stopped[rest[0]] = true
		return
	}
	for _, n := range rest {
		delete(c.had, n)
	}
}

// share returns the progress within the node being counted: " 42 %".
func (c *Counting) share() string {
	nodes := c.uncounted()
	if len(nodes) == 0 {
		return ""
	}
	done, total := nodes[0].Counting()
	if total <= 0 {
		return ""
	}
	return " " + display.Percent(done, total)
}

// uncounted returns the nodes on the screen whose children have to be counted, the cursor's first.
func (c *Counting) uncounted() (nodes []*lazy.Node) {
	cursor := c.tree.Out.Cursor
	if n := cursor.Node; n != nil && c.due(n) {
		nodes = append(nodes, n)
	}
	for _, r := range c.tree.Out.below() {
		if r.Node != nil && r != cursor && c.due(r.Node) {
			nodes = append(nodes, r.Node)
		}
	}
	return nodes
}

// due reports whether the children of a node have to be counted, or counted again.
func (c *Counting) due(n *lazy.Node) bool {
	switch {
	case c.stopped[n]:
		return false
	case n.State() == lazy.StatePending: // its end is unknown: there is no last child yet
		return c.env.Trace.Following() && (c.env.Clock.Now().Sub(c.at) >= again || !c.had[n])
	}
	_, exact, _ := n.Count()
	return !exact
}

// countLeft starts a turn of counting what the rows of a tree that shows only some places stand for, and
// how many children of the others are shown.
func (c *Counting) countLeft() tea.Cmd {
	t := c.tree.Out.Tree
	part := lazy.ShownIn(t)
	if c.left.Running() || !part.Part() {
		return nil
	}
	var rows []lazy.Row
	for _, r := range c.tree.Out.below() {
		if (r.Node != nil || r.Left != 0 && r.Parent != nil) && !c.failed[r] {
			rows = append(rows, r)
		}
	}
	unknown := rows[:0]
	for _, line := range t.Lines(rows, false) {
		if line.Node == nil && !line.LeftKnown || line.ShownMore {
			unknown = append(unknown, line.Row)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return c.left.Run(c.env, func(ctx context.Context) func() tea.Cmd {
		ctx, cancel := context.WithTimeout(ctx, turnFor)
		defer cancel()
		for _, r := range unknown {
			var err error
			if r.Node != nil {
				err = part.CountIn(ctx, r.Node)
			} else {
				err = part.Count(ctx, r)
			}
			if err != nil {
				return env.Done(func() { c.leftAt(r, err) })
			}
		}
		return nil
	})
}

// maxFailed bounds the rows that are remembered.
const maxFailed = 1000

func (c *Counting) leftAt(r lazy.Row, err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		return
	}
	if c.failed == nil || len(c.failed) >= maxFailed {
		c.failed = make(map[lazy.Row]bool)
	}
	c.failed[r] = true
}
