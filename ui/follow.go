package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/history"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
)

// hopAfter is how long the thread that the cursor follows may be quiet, while others are not, before
// the cursor moves to one of those. A recorder writes what a busy thread does at least every second.
const hopAfter = 3 * time.Second

// following is the state of following a trace while it is being written.
type following struct {
	on         bool         // the cursor stays at the newest row
	row        lazy.Row     // the cursor, as follow or the reader last moved it
	generation int          // of the reader when it was put there
	thread     *int32       // whose newest row it is; nil for the newest thread
	end        int64        // end of the thread, logical
	grown      time.Time    // when end last changed
	path       []*lazy.Node // the nodes around the row, as far as known: the thread first
	pathOf     int          // generation of the reader when path was checked
	opened     []*lazy.Node // nodes of path that were opened to get there

	recording int  // as the reader counts them
	growing   bool // the reader was looking for more at the last refresh
	ending    bool // the program is gone: the cursor stays at the newest row until all that it left is known
	ticking   bool // a clock tick is under way
}

// toggleFollow turns following on or off.
func (m *Model) toggleFollow(int) tea.Cmd {
	f := &m.follow
	if f.on {
		f.leave()
		m.say("the cursor stays here; " + screen.KeyName("F", m.g) + " goes to the end again")
		return nil
	}
	if !m.known.Growth.On && !m.r.Follow() {
		m.say("the recording has ended: nothing more comes")
		return m.last(0)
	}
	m.visit()
	f.on, f.row, f.generation, f.grown, f.thread = true, m.out.Cursor, -1, m.clock.now(), nil
	if id, ok := m.out.Thread(); ok {
		f.thread = &id
	}
	return nil
}

// leave stops following. Opened nodes stay open.
func (f *following) leave() { f.on, f.ending, f.path, f.opened = false, false, nil, nil }

// moved stops following if a person has moved the cursor away from the newest row.
func (f *following) moved(cursor lazy.Row) {
	if f.on && cursor != f.row {
		f.leave()
	}
}

// stay moves the cursor to the newest row after the trace has grown.
func (m *Model) stay() tea.Cmd {
	f := &m.follow
	if f.ending && f.generation == m.generation && m.settled() {
		f.leave()
	}
	if !f.on || f.generation == m.generation || m.jobs.Running() || m.out.Goal != nil {
		return nil
	}
	n := m.newestThread()
	if n == nil {
		return nil
	}
	f.generation = m.generation
	cmd := m.aim(m.toNewest(n))
	f.row = m.out.Cursor
	return cmd
}

// newestThread returns the thread whose newest row to show. It keeps the one shown as
// long as that grows.
func (m *Model) newestThread() *lazy.Node {
	f, now := &m.follow, m.clock.now()
	newest, ok := m.r.Newest()
	if !ok {
		return nil
	}
	if f.thread != nil {
		switch p, err := m.r.FindFraction(*f.thread, 1); {
		case err != nil:
			f.thread = nil
		case p.At != f.end:
			f.end, f.grown = p.At, now
		case newest != *f.thread && now.Sub(f.grown) >= hopAfter:
			f.thread = nil
		}
	}
	if f.thread == nil {
		f.thread, f.grown = &newest, now
	}
	n, _ := m.out.Tree.Thread(*f.thread)
	return n
}

// toNewest is the goal that leads to the last row of a thread that is in no ended call, see
// over. It opens calls that have not ended on the way, and closes them once they have.
func (m *Model) toNewest(thread *lazy.Node) outline.Goal {
	f := &m.follow
	return func(o *outline.Outline) (lazy.Row, lazy.End, bool) {
		m.retrace(thread)
		row := outline.RowOf(f.path[len(f.path)-1])
		for {
			n := f.path[len(f.path)-1]
			if !o.Tree.IsExpanded(n) {
				o.Tree.Expand(n)
				f.opened = append(f.opened, n)
			}
			last, ok := o.Tree.LastChild(n)
			if ok && last.Gap() {
				return last, lazy.AtEnd, true
			}
			if !ok {
				break
			}
			if row = last; over(last.Node) {
				break
			}
			f.path = append(f.path, last.Node)
		}
		f.tidy(o.Tree)
		o.Put(row, o.Height-1)
		f.row = row
		return lazy.Row{}, 0, false
	}
}

// over reports whether a node has ended by itself. A call that was still running when the
// program ended has not, nor have the nodes it was in the middle of.
func over(n *lazy.Node) bool {
	if n.State() != lazy.StateWhole {
		return false
	}
	for ; !n.IsThread(); n = n.Parent() {
		if n.Point().Class == format.ClassCall {
			result := &n.Footer().Result
			return result.Kind != format.ValueUnfinished
		}
	}
	return true
}

// retrace drops the end of the path that no longer leads to the newest row. Nesting can be too
// deep to find the path anew each time.
func (m *Model) retrace(thread *lazy.Node) {
	f, t := &m.follow, m.out.Tree
	if len(f.path) == 0 || f.path[0] != thread {
		f.path, f.pathOf = []*lazy.Node{thread}, m.generation
	}
	if f.pathOf == m.generation {
		return
	}
	f.pathOf = m.generation
	last := len(f.path) - 1
	for n := f.path[last]; last > 0 && (over(n) || t.Resolve(outline.RowOf(n)).Node != n); n = f.path[last] {
		last--
	}
	clear(f.path[last+1:])
	f.path = f.path[:last+1]
}

// tidy closes the nodes that were opened for an earlier newest row.
func (f *following) tidy(t *lazy.Tree) {
	around := make(map[*lazy.Node]bool, len(f.path))
	for _, n := range f.path {
		around[n] = true
	}
	kept := f.opened[:0]
	for _, n := range f.opened {
		if around[n] {
			kept = append(kept, n)
		} else {
			t.Collapse(n)
		}
	}
	clear(f.opened[len(kept):])
	f.opened = kept
}

// turn notices that a followed trace has ended, or that it is being read from its beginning again.
func (m *Model) turn() {
	f, st := &m.follow, m.known
	if g := st.Growth; g.Recording != f.recording {
		f.recording = g.Recording
		m.startOver()
		if g.Again != nil {
			m.warn(screen.ErrorLine(g.Again))
		}
	}
	if f.growing && !st.Growth.On {
		if f.ending = f.on && st.Ended != ""; !f.ending {
			f.leave()
		}
		switch {
		case st.Ended != "":
			m.warn(st.Ended)
		case st.Problem == nil:
			m.say("the recording has ended")
		}
	}
	f.growing = st.Growth.On
}

// startOver shows the trace as if it had just been opened.
func (m *Model) startOver() {
	m.jobs.Stop()
	thread, _ := m.out.Thread()
	m.swap(m.r.Tree(m.out.Tree.Folded()), thread)
	m.history, m.overlay, m.begun = history.History{}, nil, nil
	m.follow.rebase(m.out.Cursor)
	m.follow.thread = nil
}

// rebase continues in another tree.
func (f *following) rebase(cursor lazy.Row) {
	f.row, f.path, f.opened, f.generation = cursor, nil, nil, -1
}

// clockTicked is a tick of the clock while a trace is followed.
type clockTicked struct{}

func (clockTicked) apply(m *Model) tea.Cmd {
	m.follow.ticking = false
	return nil
}

// clockTick keeps the time since the last growth up to date on the screen.
func (m *Model) clockTick() tea.Cmd {
	g := m.known.Growth
	if m.follow.ticking || !g.On || g.Grown.IsZero() {
		return nil
	}
	m.follow.ticking = true
	return m.clock.after(time.Second, clockTicked{})
}
