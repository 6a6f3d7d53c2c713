package tree

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
)

// Jobs is the work on the tree that the user waits for: one job at a time, a new one stops the one before.
type Jobs struct {
	env.Task
	name     string        // of the current or last job
	progress *env.Progress // of the same

	tree *Tree
	env  *env.Env
	sent sent // by the last job that led to a node
}

// rowsOnly is the total of a job that reports how many rows it has reached.
const rowsOnly = -1

// Run starts a job. work reports its progress, if any; then follows it. failed begins the message about an error.
func (p *Jobs) Run(name, failed string, work func(ctx context.Context, report lazy.Progress) (then func() tea.Cmd, err error)) tea.Cmd {
	so := new(env.Progress)
	p.name, p.progress = name, so
	return p.Task.Run(p.env, func(ctx context.Context) func() tea.Cmd {
		then, err := work(ctx, so.Tell)
		if err != nil {
			return func() tea.Cmd {
				return p.env.Fail(failed, err)
			}
		}
		return then
	})
}

// Progress returns how far the job has come, of a total if that is known.
func (p *Jobs) Progress() (done, total int64) { return p.progress.Told() }

// Text tells what the job does and its progress: "looking for … 42 %".
func (p *Jobs) Text() string {
	switch done, total := p.Progress(); {
	case total == rowsOnly:
		return p.name + " " + display.Plural(done, "row")
	case total > 0:
		return p.name + " " + display.Percent(done, total)
	}
	return p.name
}

// ExpandLimit is the largest number of rows that one key expands.
const ExpandLimit = 50_000

// ExpandMore expands one more level below the cursor's node.
func (p *Jobs) ExpandMore() tea.Cmd { return p.expand(lazy.ExpandMore) }

// Expand expands the nodes below the cursor's node, depth levels deep; 0 means all.
func (p *Jobs) Expand(depth int) tea.Cmd {
	return p.expand(func(ctx context.Context, t *lazy.Tree, n *lazy.Node, limit int, report func(int)) (int, bool, error) {
		return t.ExpandAll(ctx, n, depth, limit, report)
	})
}

// ToDepth shows exactly n levels below the cursor's node.
func (p *Jobs) ToDepth(n int) tea.Cmd {
	if node := p.tree.Out.Cursor.Node; node != nil {
		p.tree.Out.Tree.CollapseAll(node)
	}
	return p.Expand(n)
}

func (p *Jobs) expand(nodes func(context.Context, *lazy.Tree, *lazy.Node, int, func(int)) (rows int, complete bool, err error)) tea.Cmd {
	n := p.tree.Out.Cursor.Node
	if n == nil {
		return p.tree.Again()
	}
	if n.Leaf() {
		return p.env.Say(noChildren)
	}
	t := p.tree.Out.Tree
	return p.Run("expanding", "cannot expand all", func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
		seen := 0
		report(0, rowsOnly)
		rows, complete, err := nodes(ctx, t, n, ExpandLimit, func(rows int) {
			seen = rows
			report(int64(rows), rowsOnly)
		})
		return env.Done(func() { p.sayExpanded(rows, complete, seen >= ExpandLimit) }), err
	})
}

// sayExpanded tells how many rows were expanded; limited means that there are more than one key expands.
func (p *Jobs) sayExpanded(n int, complete, limited bool) {
	rows := display.Plural(int64(n), "row")
	switch {
	case complete && n == 0:
		p.env.Say("all below this row is expanded")
	case complete:
		p.env.Say("expanded " + rows)
	case limited:
		p.env.Say("stopped at " + rows + "; press " + keys.ActionKey("expand-all", p.env.Glyphs) + " on one of them to expand more")
	default:
		p.env.Say("stopped at " + rows + ": the memory budget is used up (" + keys.ActionKey("unload", p.env.Glyphs) + " unloads, --memory raises it)")
	}
}

const cannotGo = "cannot go there"

// Reveal loads and expands the path to a position, then calls then with its node.
func (p *Jobs) Reveal(to lazy.Position, then func(*lazy.Node) tea.Cmd) tea.Cmd {
	t := p.tree.Out.Tree
	return p.Run("going there", cannotGo, func(ctx context.Context, _ lazy.Progress) (func() tea.Cmd, error) {
		n, err := t.Reveal(ctx, to)
		left := err == nil && t.LeftOut(ctx, n, to)
		return func() tea.Cmd {
			cmd := then(n)
			if p.sent = (sent{}); left {
				p.sent = sent{to, n}
				text := "a step hides it: this is what is around it"
				if key := keys.ActionKey("undo-step", p.env.Glyphs); key != "" {
					text += "; " + key + " undoes the last step"
				}
				p.env.Say(text)
			}
			return cmd
		}, err
	})
}

// sent is where a job was to lead, and the node to which it led because a step hides that; zero if no job did so.
type sent struct {
	to lazy.Position
	n  *lazy.Node
}

// meant returns where the user went, if the cursor is only on what is around it, as a step hides that place.
func (p *Jobs) meant() (to lazy.Position, ok bool) {
	n := p.tree.Out.Cursor.Node
	return p.sent.to, n != nil && p.sent.n == n
}

// HereToward returns the position that is meant, or that of the cursor, from which to look for the next place, or the
// one before if dir is negative: a loop's row stands for its only iteration, too.
func (p *Jobs) HereToward(dir int) (at lazy.Position, ok bool) {
	at, ok = p.meant()
	if n := p.tree.Out.Cursor.Node; n != nil && dir > 0 && !ok {
		at, ok = lazy.Inlined(n)
	}
	if !ok {
		return p.tree.Out.Here()
	}
	return at, true
}

// Show goes to a position and sets the cursor on it.
func (p *Jobs) Show(to lazy.Position) tea.Cmd { return p.Reveal(to, p.tree.land) }

// ToPoint goes to an event at a position that was known before; event is -1 for a thread, and for whatever is there.
func (p *Jobs) ToPoint(to lazy.Position, event int32) tea.Cmd {
	if to.At < 0 {
		if !p.tree.ToThread(to.Thread) {
			p.env.Warn((&lazy.NoPositionError{Position: to}).Error())
		}
		return nil
	}
	p.tree.Visit()
	return p.Reveal(to, func(n *lazy.Node) tea.Cmd {
		if p.tree.Out.Tree.Folded() {
			p.sayHidden(n, event, to)
		} else if event >= 0 && n.ShowsEvent(event, to) != nil {
			p.env.Warn(lazy.EventHandle(event).String() + " is not there: this is what the trace has at its position")
		}
		return p.tree.land(n)
	})
}

// Resume expands the nodes at some positions and goes to another. If there is a node, it calls then with it.
func (p *Jobs) Resume(to lazy.Position, expanded []lazy.Position, then func(*lazy.Node)) tea.Cmd {
	t := p.tree.Out.Tree
	return p.Run("going to where you were", "", func(ctx context.Context, _ lazy.Progress) (func() tea.Cmd, error) {
		expand(ctx, t, expanded)
		n, err := t.Reveal(ctx, to)
		return env.Done(func() {
			if err == nil {
				then(n)
			}
		}), nil
	})
}

// longest finds the longest child. In a call that did not end, no child may have a duration: then it finds the largest.
func longest(t *lazy.Tree, ctx context.Context, n *lazy.Node, progress lazy.Progress) (lazy.Position, bool, error) {
	p, ok, err := t.Longest(ctx, n, progress)
	if err == nil && !ok && n.State() == lazy.StateUnfinished {
		return t.Largest(ctx, n, progress)
	}
	return p, ok, err
}

// Largest goes n levels down, each time to the child that took longest, or, in a trace without times, to the one that
// holds most. It calls arrived once it is there.
func (p *Jobs) Largest(n int, arrived func()) tea.Cmd {
	from := p.tree.Out.Cursor.Node
	if from == nil {
		return p.tree.Again()
	}
	name, next, none := "largest", (*lazy.Tree).Largest, noChildren
	if p.env.Trace.Timed() {
		name, next, none = "longest", longest, "no timed children"
	}
	if from.Leaf() {
		g := p.env.Glyphs
		return p.env.Say(noChildren + ": " + keys.ActionKey("collapse", g) + " goes to the parent, then " + keys.ActionKey("longest", g) + " to its " + name + " child")
	}
	p.tree.Visit()
	t := p.tree.Out.Tree
	return p.Run("looking for the "+name+" child", cannotGo, func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
		to := from
		for i := range max(1, n) { // or fewer levels if there is nothing below
			at, ok, err := next(t, ctx, to, report)
			if err == nil && !ok && i == 0 {
				err = errors.New(none)
			}
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			if to, err = t.Reveal(ctx, at); err != nil {
				return nil, err
			}
		}
		return func() tea.Cmd {
			p.sent = sent{}
			arrived()
			cmd := p.tree.land(to)
			p.sayWeight(to)
			return cmd
		}, nil
	})
}

// sayWeight tells how large the child just reached is, if there is no duration to show it.
func (p *Jobs) sayWeight(n *lazy.Node) {
	if _, timed := n.Time(); timed {
		return
	}
	bytes, of := n.Weight()
	if of <= 0 {
		return
	}
	why := "no times: "
	if p.env.Trace.Timed() {
		why = "no duration: "
	}
	in := "the thread"
	if !n.Parent().IsThread() {
		in = p.tree.Out.ShortName(n.Parent())
	}
	p.env.Say(why + "this is the largest child, " + display.Share(bytes, of) + " of the data in " + in)
}

// maxJumps bounds the positions remembered.
const maxJumps = 200

// jumps are the positions left by jumps, before and after the current one. The zero value is empty.
type jumps struct {
	before, after []lazy.Position
}

// leave notes the current position before a jump leaves it.
func (h *jumps) leave(p lazy.Position) {
	if n := len(h.before); n > 0 && h.before[n-1] == p {
		return
	}
	h.before = append(h.before, p)
	h.before = h.before[max(0, len(h.before)-maxJumps):]
	h.after = nil
}

// through takes the last position of from that is not here, and appends here to to; here is nil if there is no cursor.
func through(from, to *[]lazy.Position, here *lazy.Position) (p lazy.Position, ok bool) {
	for here != nil && len(*from) > 0 && (*from)[len(*from)-1] == *here {
		*from = (*from)[:len(*from)-1]
	}
	n := len(*from)
	if n == 0 {
		return p, false
	}
	p, *from = (*from)[n-1], (*from)[:n-1]
	if here != nil {
		*to = append(*to, *here)
	}
	return p, true
}

const noEarlier = "no earlier position: only jumps are remembered"

// Back goes to the position before the last jump.
func (p *Jobs) Back() tea.Cmd {
	to, ok := through(&p.tree.jumps.before, &p.tree.jumps.after, p.here())
	return p.retrace(to, ok, noEarlier)
}

// Forward goes to the position that Back has left.
func (p *Jobs) Forward() tea.Cmd {
	to, ok := through(&p.tree.jumps.after, &p.tree.jumps.before, p.here())
	return p.retrace(to, ok, "no later position")
}

// Before goes to the position that the last jump left. The current one becomes the last: the next Before returns here.
func (p *Jobs) Before() tea.Cmd {
	before := p.tree.jumps.before // which stays as it is
	to, ok := through(&before, new([]lazy.Position), p.here())
	if ok {
		p.tree.Visit()
	}
	return p.retrace(to, ok, noEarlier)
}

func (p *Jobs) here() *lazy.Position {
	if here, ok := p.tree.Out.Here(); ok {
		return &here
	}
	return nil
}

// retrace goes to a position that was left, if there is one.
func (p *Jobs) retrace(to lazy.Position, ok bool, none string) tea.Cmd {
	if !ok {
		return p.env.Say(none)
	}
	return p.Show(to)
}
