package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// The calls of a trace are known when it was read from its data; an index does
// not tell them from loops and iterations. Then they are counted in the
// background, while nothing else goes on there: with large data only when a
// person asks, by `tracex info`.
const (
	censusFor   = 60 * time.Millisecond // how long a command counts before it tells
	censusUpTo  = 1 << 30               // bytes of data
	censusTurns = 4                     // before it is named on the status line
)

// census is the counting of calls.
type census struct {
	c           *lazy.Census // nil: none is under way
	of          int          // generation of the reader that it is of
	busy        bool
	off         bool // there is nothing to count, it failed, or a person stopped it
	turns       int
	done, total int64
}

// lasts reports whether it goes on for so long that a person may wonder.
func (c *census) lasts() bool { return c.c != nil && c.turns >= censusTurns }

func (c *census) part() string { return " " + screen.Percent(c.done, c.total) }

// stop ends it and reports whether there was something to end.
func (c *census) stop() bool {
	if !c.lasts() {
		return false
	}
	c.c, c.off = nil, true
	return true
}

// takeCensus begins a turn of counting calls when there is something to count
// and nothing else to do.
func (m *Model) takeCensus() tea.Cmd {
	c := &m.census
	if c.of != m.known.Generation {
		*c = census{of: m.known.Generation, busy: c.busy}
	}
	if c.busy || c.off || m.known.Phase != lazy.PhaseReady || m.occupied() {
		return nil
	}
	if data, _ := m.r.Size(); c.c == nil && data <= censusUpTo {
		c.c = m.r.Census()
	}
	if c.c == nil {
		c.off = true
		return nil
	}
	c.busy = true
	taken, life := c.c, m.life
	return func() tea.Msg { return countCalls(life, taken) }
}

// occupied reports whether something else goes on in the background.
func (m *Model) occupied() bool {
	return m.jobs.cancel != nil || m.search.Running() || len(m.loads.underWay) > 0 || m.counts.busy || m.source.busy
}

// countCalls is a turn of a census.
func countCalls(ctx context.Context, c *lazy.Census) effect {
	end := censused{c: c}
	for until := time.Now().Add(censusFor); ; {
		end.done, end.total, end.more, end.err = c.Step(ctx)
		if !end.more || time.Now().After(until) {
			return end
		}
	}
}

// censused is the end of a turn of a census.
type censused struct {
	c           *lazy.Census
	done, total int64
	more        bool
	err         error
}

func (e censused) apply(m *Model) tea.Cmd {
	c := &m.census
	c.busy = false
	if c.c != e.c {
		return nil // it was stopped, or the trace has become another
	}
	c.done, c.total = e.done, e.total
	c.turns++
	if !e.more {
		c.c, c.turns, c.off = nil, 0, e.err != nil
	}
	return nil
}
