package tree

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// HopAfter is how long the thread that the cursor follows may be quiet, while others are not, before the cursor moves
// to one of those. A recorder writes what a busy thread does at least every second.
const HopAfter = 3 * time.Second

// Following stays at the newest row of a trace that is being recorded. Its methods run on one goroutine.
type Following struct {
	on         bool
	ending     bool      // the program has ended: follow until all that it left is known
	row        lazy.Row  // the cursor, as Follow or the reader last moved it
	generation int       // of the reader when it was put there; -1 if it was not
	thread     *int32    // whose newest row it is; nil for the newest thread
	end        int64     // end of the thread, logical
	grown      time.Time // when end last changed
	way        way

	recording int      // number of the recording, as the reader counts them
	growing   bool     // the reader was looking for more at the last Turn
	ticking   bool     // a FollowTicked is under way
	looks     env.Task // for another file with the trace's name

	env  *env.Env
	tree *Tree
}

// NewFollowing returns Following for a tree. If it is on, it begins with the newest thread.
func NewFollowing(e *env.Env, t *Tree, on bool) *Following {
	f := &Following{on: on, env: e, tree: t}
	f.Rebase()
	return f
}

func (f *Following) On() bool { return f.on }

// Toggle turns following on, in the thread of the cursor, or off.
func (f *Following) Toggle() tea.Cmd {
	if f.on {
		f.leave()
		return f.env.Say("the cursor stays here; " + keys.ActionKey("follow", f.env.Glyphs) + " goes to the end again")
	}
	if f.env.Trace.Known.Growth.On {
		return f.begin()
	}
	r := f.env.Trace.Reader
	return f.looks.Run(f.env, func(context.Context) func() tea.Cmd {
		lazy.LookForAnother(r)
		return func() tea.Cmd {
			if r.Follow() {
				return f.begin()
			}
			f.env.Say("the recording has ended: there will be no more events")
			return f.tree.Last(0)
		}
	})
}

func (f *Following) begin() tea.Cmd {
	f.tree.Visit()
	f.on, f.row, f.generation, f.grown, f.thread = true, f.tree.Out.Cursor, -1, f.env.Clock.Now(), nil
	if id, ok := f.tree.Out.Thread(); ok {
		f.thread = &id
	}
	return nil
}

// leave stops following. Expanded nodes stay expanded.
func (f *Following) leave() { f.on, f.ending, f.way = false, false, way{} }

// Moved stops following if the user has moved the cursor away from the newest row.
func (f *Following) Moved() {
	if f.on && f.tree.Out.Cursor != f.row {
		f.leave()
	}
}

// Put notes where the cursor is at the end of an Update: no key has moved it there.
func (f *Following) Put() { f.row = f.tree.Out.Cursor }

func (f *Following) Rebase() { f.row, f.way, f.generation = f.tree.Out.Cursor, way{}, -1 }

// Next returns the move to the newest row if the trace has grown since the last one, otherwise nil.
func (f *Following) Next() Goal {
	known := f.env.Trace.Generation
	if f.ending && f.generation == known && f.env.Trace.Settled() {
		f.leave()
	}
	if !f.on || f.generation == known || f.tree.Jobs.Running() || f.tree.Out.Goal != nil {
		return nil
	}
	n := f.newest()
	if n == nil {
		return nil
	}
	f.generation = known
	return func(o *Outline) (lazy.Row, lazy.End, bool) {
		look, whole := f.way.down, f.ending && f.env.Trace.Known.Ended == ""
		if whole {
			look = f.way.end
		}
		f.way.retrace(o.Tree, n, f.generation, whole)
		row, gap := look(o.Tree)
		if gap {
			return row, lazy.AtEnd, true
		}
		f.way.tidy(o.Tree)
		o.Put(row, o.Height-1)
		f.row = row
		return lazy.Row{}, 0, false
	}
}

// newest returns the thread whose newest row to show. It keeps the one shown while that grows.
func (f *Following) newest() *lazy.Node {
	r, now := f.env.Trace.Reader, f.env.Clock.Now()
	newest, ok := r.Newest()
	if !ok {
		return nil
	}
	if f.thread != nil {
		switch p, err := r.FindFraction(*f.thread, 1); {
		case err != nil:
			f.thread = nil
		case p.At != f.end:
			f.end, f.grown = p.At, now
		case newest != *f.thread && now.Sub(f.grown) >= HopAfter:
			f.thread = nil
		}
	}
	if f.thread == nil {
		f.thread, f.grown = &newest, now
	}
	n, _ := f.tree.Out.Tree.Thread(*f.thread)
	return n
}

// Again reports whether the trace is being read from its beginning again, once.
func (f *Following) Again() bool {
	was := f.recording
	f.recording = f.env.Trace.Known.Growth.Recording
	return f.recording != was
}

// Restart continues in the tree of another recording, in its newest thread.
func (f *Following) Restart() {
	f.Rebase()
	f.thread = nil
	if why := f.env.Trace.Known.Growth.Again; why != nil {
		f.env.Warn(screen.ErrorLine(why))
	}
}

// Turn notices that a followed trace has ended.
func (f *Following) Turn() {
	st := f.env.Trace.Known
	if f.growing && !st.Growth.On {
		f.ending = f.on
		switch {
		case st.Ended != "":
			f.env.Warn(st.Ended)
		case st.Problem == nil:
			f.env.Say("the recording has ended")
		}
	}
	f.growing = st.Growth.On
}

// FollowTicked is a tick of the clock while a trace grows.
type FollowTicked struct{}

func (f *Following) Ticked() { f.ticking = false }

// Tick keeps the time since the last growth up to date on the screen.
func (f *Following) Tick() tea.Cmd {
	if g := f.env.Trace.Known.Growth; f.ticking || !g.On || g.Grown.IsZero() {
		return nil
	}
	f.ticking = true
	return f.env.Clock.After(time.Second, FollowTicked{})
}

// way is the path to the newest row of a thread: nesting can be too deep to find it anew each time.
type way struct {
	path     []*lazy.Node // the nodes around the row, as far as known: the thread first
	of       int          // generation of the reader when path was checked
	expanded []*lazy.Node // nodes of path that were expanded to get there
}

// retrace drops the end of the path that no longer leads to the newest row; if the recording is whole, not what ended.
func (w *way) retrace(t *lazy.Tree, thread *lazy.Node, generation int, whole bool) {
	if len(w.path) == 0 || w.path[0] != thread {
		w.path, w.of = []*lazy.Node{thread}, generation
	}
	if w.of == generation {
		return
	}
	w.of = generation
	last := len(w.path) - 1
	for n := w.path[last]; last > 0 && (!whole && over(n) || t.Resolve(RowOf(n)).Node != n); n = w.path[last] {
		last--
	}
	clear(w.path[last+1:])
	w.path = w.path[:last+1]
}

// down continues to the last row of the thread that is not within an ended call, see over, nor left out by
// a filter. It expands calls that have not ended. If there is a gap on the way, it returns the gap.
func (w *way) down(t *lazy.Tree) (row lazy.Row, gap bool) {
	row = RowOf(w.path[len(w.path)-1])
	for {
		n := w.path[len(w.path)-1]
		if !t.IsExpanded(n) {
			t.Expand(n)
			w.expanded = append(w.expanded, n)
		}
		last, ok := t.LastChild(n)
		switch {
		case !ok:
			return row, false
		case last.Gap():
			return last, true
		case last.Node == nil || over(last.Node): // rows that a filter leaves out, or one that has ended
			return last, false
		}
		row = last
		w.path = append(w.path, last.Node)
	}
}

// end is down once the recording is whole, when the newest row is within ended calls.
func (w *way) end(t *lazy.Tree) (row lazy.Row, gap bool) {
	for i, n := range w.path {
		last, ok := t.LastChild(n)
		switch {
		case !ok || !t.IsExpanded(n):
			return RowOf(n), false
		case i+1 == len(w.path) || last.Node != w.path[i+1]:
			return last, last.Gap()
		}
	}
	return row, false
}

// tidy collapses the nodes that were expanded for an earlier newest row.
func (w *way) tidy(t *lazy.Tree) {
	around := make(map[*lazy.Node]bool, len(w.path))
	for _, n := range w.path {
		around[n] = true
	}
	w.expanded = slices.DeleteFunc(w.expanded, func(n *lazy.Node) bool {
		if !around[n] {
			t.Collapse(n)
		}
		return !around[n]
	})
}

// over reports whether a node has ended by itself, not with the program while it was still running.
func over(n *lazy.Node) bool {
	if n.State() != lazy.StateWhole {
		return false
	}
	for ; !n.IsThread(); n = n.Parent() {
		if n.Point().Class == format.ClassCall {
			return n.Footer().Result.Kind != format.ValueUnfinished
		}
	}
	return true
}
