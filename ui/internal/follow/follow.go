// Package follow keeps the cursor at the newest row of a trace while the trace grows.
//
//	Begin ──► on: Next gives the move to the newest row, after each growth
//	           │ Moved: the user moved the cursor; Leave
//	           │ Turn: the recording has ended: all that it left is shown first
//	           ▼
//	          off: nodes that were expanded stay expanded
package follow

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
)

// HopAfter is how long the thread that the cursor follows may be quiet, while others are not, before
// the cursor moves to one of those. A recorder writes what a busy thread does at least every second.
const HopAfter = 3 * time.Second

// Follow is the state of following a trace while it is being written. The zero value does not
// follow. Its methods run on one goroutine.
type Follow struct {
	on         bool
	ending     bool      // the program has ended: follow until all that it left is known
	row        lazy.Row  // the cursor, as Follow or the reader last moved it
	generation int       // of the reader when it was put there; -1 if it was not
	thread     *int32    // whose newest row it is; nil for the newest thread
	end        int64     // end of the thread, logical
	grown      time.Time // when end last changed
	way        way

	recording int  // number of the recording, as the reader counts them
	growing   bool // the reader was looking for more at the last Turn
	ticking   bool // a Ticked is under way
}

// New returns a Follow for a tree whose cursor is at a row. If it is on, it begins with the newest
// thread.
func New(on bool, cursor lazy.Row) Follow {
	f := Follow{on: on}
	f.Rebase(cursor)
	return f
}

// On reports whether the cursor stays at the newest row.
func (f *Follow) On() bool { return f.on }

// Begin starts following the thread that the cursor is in.
func (f *Follow) Begin(o *outline.Outline, now time.Time) {
	f.on, f.row, f.generation, f.grown, f.thread = true, o.Cursor, -1, now, nil
	if id, ok := o.Thread(); ok {
		f.thread = &id
	}
}

// Leave stops following. Expanded nodes stay expanded.
func (f *Follow) Leave() { f.on, f.ending, f.way = false, false, way{} }

// Moved stops following if the user has moved the cursor away from the newest row.
func (f *Follow) Moved(cursor lazy.Row) {
	if f.on && cursor != f.row {
		f.Leave()
	}
}

// Put notes where the cursor is at the end of an Update: no key has moved it there.
func (f *Follow) Put(cursor lazy.Row) { f.row = cursor }

// Rebase continues in another tree.
func (f *Follow) Rebase(cursor lazy.Row) { f.row, f.way, f.generation = cursor, way{}, -1 }

// Restart continues in the tree of another recording, in its newest thread.
func (f *Follow) Restart(cursor lazy.Row) {
	f.Rebase(cursor)
	f.thread = nil
}

// Facts are what following needs to know about the explorer.
type Facts struct {
	Reader     *lazy.LazyTraceReader
	Generation int  // of the reader, known to the tree
	Settled    bool // the reader knows the whole trace
	Busy       bool // another move or a job is under way
	Now        time.Time
}

// Next returns the move to the newest row if the trace has grown since the last one, otherwise nil.
func (f *Follow) Next(t *lazy.Tree, k Facts) outline.Goal {
	if f.ending && f.generation == k.Generation && k.Settled {
		f.Leave()
	}
	if !f.on || f.generation == k.Generation || k.Busy {
		return nil
	}
	n := f.newest(t, k)
	if n == nil {
		return nil
	}
	f.generation = k.Generation
	return func(o *outline.Outline) (lazy.Row, lazy.End, bool) {
		f.way.retrace(o.Tree, n, f.generation)
		row, gap := f.way.down(o.Tree)
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
func (f *Follow) newest(t *lazy.Tree, k Facts) *lazy.Node {
	newest, ok := k.Reader.Newest()
	if !ok {
		return nil
	}
	if f.thread != nil {
		switch p, err := k.Reader.FindFraction(*f.thread, 1); {
		case err != nil:
			f.thread = nil
		case p.At != f.end:
			f.end, f.grown = p.At, k.Now
		case newest != *f.thread && k.Now.Sub(f.grown) >= HopAfter:
			f.thread = nil
		}
	}
	if f.thread == nil {
		f.thread, f.grown = &newest, k.Now
	}
	n, _ := t.Thread(*f.thread)
	return n
}

// Change is what the reader's status means for the explorer.
type Change struct {
	Again   bool   // the trace is being read from its beginning again
	Message string // "" if none
	Alarm   bool   // the message reports a failure
}

// Turn notices that a followed trace has ended, or that it is being read from its beginning
// again.
func (f *Follow) Turn(st lazy.Status) (c Change) {
	if g := st.Growth; g.Recording != f.recording {
		f.recording, c.Again = g.Recording, true
		if g.Again != nil {
			c.Message, c.Alarm = screen.ErrorLine(g.Again), true
		}
	}
	if f.growing && !st.Growth.On {
		if f.ending = f.on && st.Ended != ""; !f.ending {
			f.Leave()
		}
		switch {
		case st.Ended != "":
			c.Message, c.Alarm = st.Ended, true
		case st.Problem == nil:
			c.Message, c.Alarm = "the recording has ended", false
		}
	}
	f.growing = st.Growth.On
	return c
}

// Ticked is a tick of the clock while a trace grows.
type Ticked struct{}

// Ticked handles a tick.
func (f *Follow) Ticked() { f.ticking = false }

// Tick keeps the time since the last growth up to date on the screen. after returns a command
// that delivers a message later.
func (f *Follow) Tick(g lazy.Growth, after func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	if f.ticking || !g.On || g.Grown.IsZero() {
		return nil
	}
	f.ticking = true
	return after(time.Second, Ticked{})
}
