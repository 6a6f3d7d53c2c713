package tree

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
)

// The number of calls is known if the trace was read from its data. An index does not tell calls from loops: then they
// are counted while nothing else runs in the background, in large data only on request, by `tracex info`.
const (
	callsUpTo  = 1 << 30 // bytes of data
	callsTurns = 4       // turns before the screen mentions it
)

// turnFor is how long a turn of counting takes before the screen shows what is counted so far.
const turnFor = 60 * time.Millisecond

// Counting counts in the background, a turn at a time: the children of the nodes on the screen, what is left out there,
// then what the tree shows of all that was recorded, and the calls of the trace. Its methods run on one goroutine.
type Counting struct {
	NoCalls bool // calls are not counted: there are none to count, it failed, or the user stopped it

	children, left, shown, calls env.Task

	of          *lazy.Tree          // whose rows the next fields are about
	stopped     map[*lazy.Node]bool // counting their children failed, or the user stopped it
	failed      map[lazy.Row]bool   // counting what is left out there failed
	at          time.Time           // when the last turn over growing nodes began
	had         map[*lazy.Node]bool // the nodes counted since then
	generation  int                 // of the reader, that the next fields are about
	shownFailed bool                // finding out which containers have rows
	pass        *lazy.TallyPass     // over the calls; nil if none is under way
	turns       int                 // of pass
	done, total int64               // of pass

	env  *env.Env
	tree *Tree
}

func NewCounting(e *env.Env, t *Tree) *Counting { return &Counting{env: e, tree: t} }

// Settle starts counting what the screen shows. idle means that nothing else runs in the background.
func (c *Counting) Settle(idle bool) tea.Cmd {
	if t := c.tree.Out.Tree; c.of != t {
		c.of, c.stopped, c.failed = t, make(map[*lazy.Node]bool), make(map[lazy.Row]bool)
	}
	if g := c.env.Trace.Generation; c.generation != g {
		c.calls.Stop()
		c.generation, c.shownFailed, c.NoCalls, c.pass, c.turns = g, false, false, nil, 0
	}
	cmds := []tea.Cmd{c.countLeft()}
	for !c.children.Running() { // while the turns end in time
		nodes := c.uncounted()
		if len(nodes) == 0 {
			break
		}
		cmds = append(cmds, c.countChildren(nodes))
	}
	idle = idle && !c.children.Running() && !c.left.Running()
	if idle {
		cmds = append(cmds, c.findShown(), c.countCalls())
	}
	return tea.Batch(cmds...)
}

// findShown finds out what the tree has rows for, once for each generation: until then nested numbers are upper bounds.
func (c *Counting) findShown() tea.Cmd {
	t := c.tree.Out.Tree
	if c.shown.Running() || c.shownFailed || !lazy.ShownUncounted(t) {
		return nil
	}
	return c.shown.Later(c.env, func(ctx context.Context) func() tea.Cmd {
		err := lazy.CountShown(ctx, t, true)
		return env.Done(func() { c.shownFailed = err != nil })
	})
}

func (c *Counting) countCalls() tea.Cmd {
	if c.calls.Running() || c.NoCalls {
		return nil
	}
	r := c.env.Trace.Reader
	if data, _ := r.Size(); c.pass == nil && data <= callsUpTo {
		c.pass = r.TallyPass()
	}
	if c.pass == nil {
		c.NoCalls = true
		return nil
	}
	pass := c.pass
	return c.calls.Later(c.env, func(ctx context.Context) func() tea.Cmd {
		for until := time.Now().Add(turnFor); ; {
			done, total, more, err := pass.Advance(ctx)
			if more && time.Now().Before(until) {
				continue
			}
			return env.Done(func() {
				c.done, c.total = done, total
				if c.turns++; !more {
					c.pass, c.turns, c.NoCalls = nil, 0, err != nil
				}
			})
		}
	})
}

// Busy reports whether counting is under way that the screen mentions.
func (c *Counting) Busy() bool { return c.children.Running() || c.long() }

// long reports whether counting the calls takes so long that the user may wonder.
func (c *Counting) long() bool { return c.pass != nil && c.turns >= callsTurns }

// Stop stops the counting under way, if any. No other children are counted until the screen shows other nodes.
func (c *Counting) Stop() bool {
	switch {
	case c.children.Running():
		for _, n := range c.uncounted() {
			c.stopped[n] = true
		}
		return c.children.Stop()
	case c.long():
		c.calls.Stop()
		c.pass, c.NoCalls = nil, true
		return true
	}
	return false
}

// Text tells what is being counted, and its progress; "" if nothing is.
func (c *Counting) Text() string {
	switch {
	case c.children.Running():
		return "counting" + c.share()
	case c.long():
		return "counting calls " + display.Percent(c.done, c.total)
	}
	return ""
}

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
	for _, r := range slices.Concat(c.tree.Out.below(), c.tree.Out.Stuck) {
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

// countLeft starts a turn of counting what a filter leaves out, and how many children of the other rows are shown.
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
				return env.Done(func() { c.failed[r] = !errors.Is(err, context.DeadlineExceeded) })
			}
		}
		return nil
	})
}
