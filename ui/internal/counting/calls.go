package counting

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// The number of calls is known if the trace was read from its data: an index does not
// distinguish them from loops and iterations. In that case they are counted while nothing else
// runs in the background. In large data they are counted only on request, by `tracex info`.
const (
	callsFor   = 60 * time.Millisecond // how long a turn counts before it reports
	callsUpTo  = 1 << 30               // bytes of data
	callsTurns = 4                     // turns before the screen mentions it
)

// Calls counts all calls, one turn at a time. The zero value has counted nothing.
type Calls struct {
	Off bool // there is nothing to count, counting failed, or the user stopped it

	c           *lazy.TallyPass // nil if none is under way
	of          int             // generation of the reader that c belongs to
	busy        bool
	turns       int
	done, total int64
}

// Long reports whether counting takes so long that the user may wonder.
func (c *Calls) Long() bool { return c.c != nil && c.turns >= callsTurns }

// Share returns the progress: " 42 %".
func (c *Calls) Share() string { return " " + screen.Percent(c.done, c.total) }

// Stop stops counting, and reports whether it was under way.
func (c *Calls) Stop() bool {
	if !c.Long() {
		return false
	}
	c.c, c.Off = nil, true
	return true
}

// Begin returns a turn if a generation of the reader has calls to count, or nil if it has none
// or a turn is under way. idle means that nothing else is running. The caller passes the turn's
// message to Update.
func (c *Calls) Begin(life context.Context, r *lazy.LazyTraceReader, generation int, idle bool) tea.Cmd {
	if c.of != generation {
		*c = Calls{of: generation, busy: c.busy}
	}
	if c.busy || c.Off || !idle {
		return nil
	}
	if data, _ := r.Size(); c.c == nil && data <= callsUpTo {
		c.c = r.TallyPass()
	}
	if c.c == nil {
		c.Off = true
		return nil
	}
	c.busy = true
	taken := c.c
	return func() tea.Msg { return turn(life, taken) }
}

// turn is a turn of a census.
func turn(ctx context.Context, c *lazy.TallyPass) tea.Msg {
	end := CallsCounted{c: c}
	for until := time.Now().Add(callsFor); ; {
		end.done, end.total, end.more, end.err = c.Advance(ctx)
		if !end.more || time.Now().After(until) {
			return end
		}
	}
}

// CallsCounted is the result of a turn.
type CallsCounted struct {
	c           *lazy.TallyPass
	done, total int64
	more        bool
	err         error
}

// Update handles the result of a turn.
func (c *Calls) Update(end CallsCounted) {
	c.busy = false
	if c.c != end.c {
		return // it was stopped, or the trace has changed
	}
	c.done, c.total = end.done, end.total
	c.turns++
	if !end.more {
		c.c, c.turns, c.Off = nil, 0, end.err != nil
	}
}
