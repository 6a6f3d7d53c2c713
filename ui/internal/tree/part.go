// Package tree is the tree of the explorer: its keys, the history of jumps, and the contents of
// its rows.
//
//	key ──► a move ──► Update, when a load has ended
//	          ▼
//	        Settle: rows on the screen, loads of what is missing there ──► Rows
//
// Cursor, rows and moves are an [outline.Outline]; gaps are loaded by a [loading.Loader]. Keys
// that start longer work are in package job.
package tree

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/jumps"
	"tracex/ui/internal/loading"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/rows"
)

// Part is the tree of the explorer. Its methods run on one goroutine. Messages for the user
// go to the line of the environment.
type Part struct {
	// Out is the tree on the screen. It is replaced when another tree is shown.
	Out   *outline.Outline
	Jumps jumps.List // of the positions left by jumps
	// Columns is which columns the user wants.
	Columns rows.Choice
	Open    string // see [rows.View]
	Sticky  bool   // rows around others stay in view when they are scrolled out

	r       *lazy.LazyTraceReader
	env     *env.Env
	loads   *loading.Loader
	begun   *lazy.Node // the thread expanded at the start; nil if none yet
	another bool       // another tree is shown since the last Replaced
	ahead   bool       // a key has moved the cursor: load what is next to the screen too
}

// New returns the tree of a trace. Its work ends with e's life.
func New(r *lazy.LazyTraceReader, e *env.Env, folded bool) *Part {
	return &Part{Out: outline.New(Of(r, folded)), r: r, env: e, loads: loading.New(e)}
}

// Of returns a new tree of a trace, as the explorer shows it.
func Of(r *lazy.LazyTraceReader, folded bool) *lazy.Tree {
	t := r.Tree(folded)
	lazy.Inline(t)
	return t
}

// Settle brings the rows on the screen up to date and loads what is missing there.
func (p *Part) Settle() tea.Cmd {
	p.Out.Settle()
	return p.loads.Visible(p.Out)
}

// Prefetch loads what is next to the screen, once after each move of LookAhead: slabs that
// exceed the budget must not keep evicting each other.
func (p *Part) Prefetch() tea.Cmd {
	if !p.ahead || len(p.Out.Rows) == 0 || p.loads.Busy() {
		return nil
	}
	p.ahead = false
	return p.loads.Prefetch(p.Out)
}

// LookAhead notes that a key moves the cursor.
func (p *Part) LookAhead() { p.ahead = true }

// Aim begins a move, which replaces the one before.
func (p *Part) Aim(g outline.Goal) tea.Cmd {
	p.Out.Goal = g
	return p.loads.Pursue(p.Out)
}

// Begin opens what a user would open anyway: the first thread, and each only child below it.
// It may turn out late which thread is the first.
func (p *Part) Begin() tea.Cmd {
	t := p.Out.Tree
	first := t.ThreadAt(0)
	if first == nil || first == p.begun {
		return nil
	}
	if p.begun != nil {
		t.CollapseAll(p.begun)
	}
	p.begun = first
	p.Out.Put(outline.RowOf(first), 0)
	t.Expand(first)
	return p.Aim(outline.ExpandOnly(first))
}

// Update handles the message of a load.
func (p *Part) Update(msg loading.Msg) tea.Cmd { return p.loads.Update(msg, p.Out) }

// Busy reports whether loads are under way.
func (p *Part) Busy() bool { return p.loads.Busy() }

// Moving reports whether a move waits for a load, or loads are under way.
func (p *Part) Moving() bool { return p.Out.Goal != nil || p.loads.Busy() }

// StopLoading ends the move and the loads under way, and reports whether there were loads.
func (p *Part) StopLoading() bool {
	p.Out.Goal = nil
	return p.loads.Stop()
}

// StartOver shows the trace as if it had just been opened, with the cursor on the same thread.
func (p *Part) StartOver() {
	thread, _ := p.Out.Thread()
	p.Replace(Of(p.r, p.Out.Tree.Folded()), thread)
	p.Jumps, p.begun = jumps.List{}, nil
}

// Replace shows another tree, with the cursor on a thread.
func (p *Part) Replace(t *lazy.Tree, thread int32) {
	p.loads.Reset()
	p.another = true
	old := p.Out
	p.Out = outline.New(t)
	p.Out.Height, p.Out.Width, p.Out.Line, p.Out.Wide, p.Out.Sticky = old.Height, old.Width, old.Line, old.Wide, old.Sticky
	if n, _ := t.Thread(thread); n != nil {
		p.Out.Cursor = outline.RowOf(n)
	}
}

// Replaced reports whether another tree is shown than at the last call.
func (p *Part) Replaced() bool {
	was := p.another
	p.another = false
	return was
}

// timed reports whether the trace has times.
func (p *Part) timed() bool {
	_, timed := p.r.Times()
	return timed
}
