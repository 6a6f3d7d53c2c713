// Package tree is the tree on the screen.
//
//	Tree       its keys and what is shown of it; it loads what is missing there
//	Outline    the cursor, the rows around it, and the moves through them: a move is a Goal, which
//	           goes as far as the loaded nodes allow, and names the gap to load for the rest
//	Row        a row with its columns of numbers; drawing it asks nothing of the trace
//	Jobs       work that a user waits for: expand all, sort, raw, longest, go to
//	Steps      the steps that edit the tree
//	Counting   counts children of the nodes on the screen, and the calls of the trace
//	Following  stays at the newest row of a trace that is being recorded
//	Starts     leads from goroutines to the statements that made them, and back
//	Copying    puts what is at the cursor on the clipboard
package tree

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
)

// Tree is the tree of the explorer. Its methods run on one goroutine.
type Tree struct {
	// Out is the tree on the screen. It is replaced when another tree is shown.
	Out     *Outline
	Jobs    *Jobs
	Steps   *Steps
	Columns *Columns
	Open    string // see [View]
	Sticky  bool   // rows around others stay in view when they are scrolled out

	loader
	jumps   jumps
	pairs   *Pairs // nil but in a diff made here
	env     *env.Env
	begun   *lazy.Node // the thread expanded at the start; nil if none yet
	another bool       // another tree is shown since the last Replaced
}

// New returns the tree of e's trace. Its work ends with e's life.
func New(e *env.Env, folded bool) *Tree {
	t := &Tree{Out: NewOutline(newTree(e.Trace.Reader, folded)), env: e}
	t.Columns = &Columns{tree: t}
	t.loader, t.Jobs, t.Steps = newLoader(t), &Jobs{tree: t, env: e}, &Steps{tree: t, env: e}
	return t
}

func newTree(r *lazy.LazyTraceReader, folded bool) *lazy.Tree {
	t := r.Tree(folded)
	lazy.Inline(t)
	return t
}

// Settle brings the rows on the screen up to date and loads what is missing there.
func (p *Tree) Settle() tea.Cmd {
	p.Out.Settle()
	return p.visible()
}

// LookAhead notes that a key moves the cursor.
func (p *Tree) LookAhead() { p.ahead = true }

// Aim begins a move, which replaces the one before.
func (p *Tree) Aim(g Goal) tea.Cmd {
	p.Out.Goal = g
	return p.pursue()
}

// Begin opens what a user would open anyway: the first thread and its only child. Which one it is may turn out late.
func (p *Tree) Begin() tea.Cmd {
	t := p.Out.Tree
	first := t.ThreadAt(0)
	if first == nil || first == p.begun {
		return nil
	}
	if p.begun != nil {
		t.CollapseAll(p.begun)
	}
	p.begun = first
	p.Out.Put(RowOf(first), 0)
	t.Expand(first)
	return p.Aim(ExpandOnly(first))
}

// Moving reports whether a move waits for a load, or loads are under way.
func (p *Tree) Moving() bool { return p.Out.Goal != nil || p.Busy() }

// StopLoading ends the move and the loads under way, and reports whether there were loads.
func (p *Tree) StopLoading() bool {
	p.Out.Goal = nil
	return p.stop()
}

// StartOver shows the trace as if it had just been opened, with the cursor on the same thread.
func (p *Tree) StartOver() {
	thread, _ := p.Out.Thread()
	p.replace(newTree(p.env.Trace.Reader, p.Out.Tree.Folded()), thread)
	p.jumps, p.begun = jumps{}, nil
}

// replace shows another tree, with the cursor on a thread.
func (p *Tree) replace(t *lazy.Tree, thread int32) {
	p.reset()
	p.another = true
	old := p.Out
	p.Out = NewOutline(t)
	p.Out.Height, p.Out.Width, p.Out.Line, p.Out.Wide, p.Out.Sticky = old.Height, old.Width, old.Line, old.Wide, old.Sticky
	if n, _ := t.Thread(thread); n != nil {
		p.Out.Cursor = RowOf(n)
	}
}

// Replaced reports whether another tree is shown than at the last call.
func (p *Tree) Replaced() bool {
	was := p.another
	p.another = false
	return was
}
