package sheet

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
)

// Part makes sheets and runs their work while they are open. Its methods run on one goroutine.
type Part struct {
	env  *env.Env
	open []*Sheet // the one in front last
}

// NewPart returns a Part without sheets.
func NewPart(e *env.Env) Part { return Part{env: e} }

// Open returns a sheet to be shown, in front of those that are open.
func (p *Part) Open(src Source, actions []Action) *Sheet {
	s := New(src, actions, p.env.Glyphs)
	p.open = append(p.open, s)
	return s
}

// Settle brings the sheet in front up to date, as many lines as height, and closes those that are
// no longer open. It repeats while results arrive within the patience of an Update.
func (p *Part) Settle(open func(*Sheet) bool, height int) tea.Cmd {
	p.open = slices.DeleteFunc(p.open, func(s *Sheet) bool {
		closed := !open(s)
		if closed {
			s.Close()
		}
		return closed
	})
	var cmds []tea.Cmd
	if s := p.front(); s != nil {
		if w, ok := s.src.(Waiter); ok {
			cmds = append(cmds, w.Again())
		}
	}
	for s := p.front(); s != nil; {
		work := s.Settle(p.env.Life, p.env.Width, height)
		if work == nil {
			break
		}
		msg, cmd := p.env.Soon(work)
		cmds = append(cmds, cmd)
		if msg == nil {
			break
		}
		p.Update(msg.(Msg))
	}
	return tea.Batch(cmds...)
}

// Select puts the cursor of the sheet in front on a row of its table, if it is shown.
func (p *Part) Select(row int) {
	s := p.front()
	for i := range s.len() {
		if s.number(i) == row {
			s.List.Select(i)
			return
		}
	}
}

// Retry makes the sheet in front load what is missing on the screen: see [Content.Retry].
func (p *Part) Retry() {
	if s := p.front(); s != nil {
		s.Content().Retry()
	}
}

// front returns the sheet in front; nil if none is open.
func (p *Part) front() *Sheet {
	if len(p.open) == 0 {
		return nil
	}
	return p.open[len(p.open)-1]
}

// Update handles the result of a sheet's work.
func (p *Part) Update(msg Msg) { msg.end() }

// Busy reports whether work of a sheet runs in the background.
func (p *Part) Busy() bool {
	return slices.ContainsFunc(p.open, (*Sheet).Busy)
}
