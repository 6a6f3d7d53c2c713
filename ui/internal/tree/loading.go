package tree

import (
	"context"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// loader loads gaps of the tree that is shown, several at a time. Its methods run on one goroutine.
type loader struct {
	ctx      context.Context // of the loads under way
	cancel   context.CancelFunc
	underWay map[load]bool
	failed   map[gapKey]error
	ahead    bool // a key has moved the cursor: load what is next to the screen too
	tree     *Tree
}

// load is a load of a gap from one of its ends.
type load struct {
	gap lazy.Row
	end lazy.End
}

// gapKey identifies a gap: by the node and where in it the gap begins; in a sorted node by all that is known of it.
type gapKey lazy.Row

func keyOf(gap lazy.Row) gapKey {
	if gap.From == gap.To {
		return gapKey(gap)
	}
	return gapKey{Parent: gap.Parent, From: gap.From}
}

func newLoader(t *Tree) loader {
	l := loader{underWay: make(map[load]bool), failed: make(map[gapKey]error), tree: t}
	l.ctx, l.cancel = context.WithCancel(t.env.Life)
	return l
}

func (l *loader) Busy() bool { return len(l.underWay) > 0 }

// stop cancels all loads under way, and reports whether there were any.
func (l *loader) stop() bool {
	l.cancel()
	l.ctx, l.cancel = context.WithCancel(l.tree.env.Life)
	return l.Busy()
}

// reset stops all loads and forgets them, as another tree is shown.
func (l *loader) reset() {
	l.stop()
	clear(l.underWay)
	clear(l.failed)
}

// loading reports whether children of a node are being loaded.
func (l *loader) loading(n *lazy.Node) bool {
	for k := range l.underWay {
		if k.gap.Parent == n {
			return true
		}
	}
	return false
}

// err returns why loading a gap failed; nil if it did not.
func (l *loader) err(gap lazy.Row) error { return l.failed[keyOf(gap)] }

// retry forgets the failed loads of a node, so that they are tried again.
func (l *loader) retry(n *lazy.Node) {
	maps.DeleteFunc(l.failed, func(k gapKey, _ error) bool { return k.Parent == n })
}

// LoadMsg is the result of a load. The zero value only continues a move that took longer than one Update may.
type LoadMsg struct {
	t *lazy.Tree
	load
	err error
}

func goOn() tea.Msg { return LoadMsg{} }

// Update handles the result of a load, and continues the move.
func (l *loader) Update(msg LoadMsg) tea.Cmd {
	l.ended(msg)
	return l.pursue()
}

func (l *loader) ended(msg LoadMsg) {
	delete(l.underWay, msg.load)
	if msg.t == l.tree.Out.Tree && msg.err != nil {
		l.failed[keyOf(msg.gap)] = msg.err
		l.tree.env.Fail("cannot load", msg.err)
	}
}

// start loads a gap from one end. done is true if it has loaded or failed; otherwise the command will report it.
func (l *loader) start(what load) (cmd tea.Cmd, done bool) {
	if l.underWay[what] {
		return nil, false
	}
	msg, cmd := l.tree.env.Soon(l.work(what))
	if msg == nil {
		l.underWay[what] = true
		return cmd, false
	}
	l.ended(msg.(LoadMsg))
	return nil, true
}

func (l *loader) work(what load) func() tea.Msg {
	ctx, t := l.ctx, l.tree.Out.Tree
	return func() tea.Msg { return LoadMsg{t, what, t.Load(ctx, what.gap, what.end)} }
}

// pursue continues the move as far as the loaded nodes and the time allow.
func (l *loader) pursue() tea.Cmd {
	o := l.tree.Out
	for last := (load{}); o.Goal != nil; {
		gap, end, wait := o.Goal(o)
		if !wait {
			o.Goal = nil
			return nil
		}
		next := load{gap, end}
		if l.err(gap) != nil || next == last {
			o.Goal = nil
			o.Jump(gap)
			return nil
		}
		cmd, done := l.start(next)
		if !done {
			return cmd
		}
		if last = next; l.tree.env.Late() {
			return tea.Batch(cmd, goOn)
		}
	}
	return nil
}

// visible requests the gaps on the screen, those above the cursor from their ends: the rows next to it arrive first.
func (l *loader) visible() tea.Cmd {
	o := l.tree.Out
	var cmds []tea.Cmd
	for rounds := 0; ; rounds++ {
		end, again := lazy.AtEnd, false
		for _, row := range o.Rows {
			if row == o.Cursor {
				end = lazy.AtStart
			}
			if row.Gap() && l.err(row) == nil {
				cmd, done := l.start(load{row, end})
				cmds = append(cmds, cmd)
				again = again || done
			}
		}
		if !again {
			break
		}
		before := slices.Clone(o.Rows)
		o.Settle()
		if l.tree.env.Late() || rounds >= 16 {
			if !slices.Equal(before, o.Rows) {
				cmds = append(cmds, goOn)
			}
			break
		}
	}
	return tea.Batch(cmds...)
}

// Prefetch requests the gaps within a screen of the rows shown, once after each move of LookAhead: slabs that exceed
// the budget must not keep evicting each other.
func (l *loader) Prefetch() tea.Cmd {
	o := l.tree.Out
	if !l.ahead || len(o.Rows) == 0 || l.Busy() {
		return nil
	}
	l.ahead = false
	find := func(r lazy.Row, neighbor func(lazy.Row) (lazy.Row, bool), end lazy.End) tea.Cmd {
		for range o.Height {
			next, ok := neighbor(r)
			if !ok {
				return nil
			}
			if r = next; r.Gap() {
				break
			}
		}
		what := load{r, end}
		if !r.Gap() || l.err(r) != nil || l.underWay[what] {
			return nil
		}
		l.underWay[what] = true
		return l.work(what)
	}
	return tea.Batch(
		find(o.Rows[len(o.Rows)-1], o.Tree.Next, lazy.AtStart),
		find(o.Rows[0], o.Tree.Prev, lazy.AtEnd))
}
