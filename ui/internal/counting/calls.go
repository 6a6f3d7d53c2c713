package counting

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// The calls of a trace are known when it was read from its data; an index does
// not tell them from loops and iterations. Then they are counted while nothing else
// goes on in the background: with large data only when a person asks, by
// `tracex info`.
const (
	callsFor   = 60 * time.Millisecond // how long a turn counts before it tells
	callsUpTo  = 1 << 30               // bytes of data
	callsTurns = 4                     // before it is named on the screen
)

// Calls is the counting of all calls, one turn at a time. The zero value has counted
// nothing.
type Calls struct {
	Off bool // there is nothing to count, it failed, or a person stopped it

	c           *lazy.Census // nil: none is under way
	of          int          // generation of the reader that it is of
	busy        bool
	turns       int
	done, total int64
}

// Lasts reports whether it goes on for so long that a person may wonder.
func (c *Calls) Lasts() bool { return c.c != nil && c.turns >= callsTurns }

// Share says how far it is: " 42 %".
func (c *Calls) Share() string { return " " + screen.Percent(c.done, c.total) }

// Stop ends it and reports whether there was something to end.
func (c *Calls) Stop() bool {
	if !c.Lasts() {
		return false
	}
	c.c, c.Off = nil, true
	return true
}

// Begin returns a turn when there is something to count in a generation of the
// reader; nil: there is not, or a turn is under way. idle says that nothing else goes
// on. Its message is for Update.
func (c *Calls) Begin(life context.Context, r *lazy.TraceReader, generation int, idle bool) tea.Cmd {
	if c.of != generation {
		*c = Calls{of: generation, busy: c.busy}
	}
	if c.busy || c.Off || !idle {
		return nil
	}
	if data, _ := r.Size(); c.c == nil && data <= callsUpTo {
		c.c = r.Census()
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
func turn(ctx context.Context, c *lazy.Census) tea.Msg {
	end := Told{c: c}
	for until := time.Now().Add(callsFor); ; {
		end.done, end.total, end.more, end.err = c.Step(ctx)
		if !end.more || time.Now().After(until) {
			return end
		}
	}
}

// Told is the end of a turn.
type Told struct {
	c           *lazy.Census
	done, total int64
	more        bool
	err         error
}

// Update takes the end of a turn.
func (c *Calls) Update(end Told) {
	c.busy = false
	if c.c != end.c {
		return // it was stopped, or the trace has become another
	}
	c.done, c.total = end.done, end.total
	c.turns++
	if !end.more {
		c.c, c.turns, c.Off = nil, 0, end.err != nil
	}
}
