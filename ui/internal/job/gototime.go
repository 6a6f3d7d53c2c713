package job

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// toTime goes to what the thread of the cursor did at a time, in nanoseconds since the recording began.
func (p *Part) toTime(ns int64) tea.Cmd {
	thread, ok := p.tree.Out.Thread()
	if !ok {
		return nil
	}
	p.tree.Visit()
	_, id := p.Begin(p.env.Life, "looking for "+screen.Exactly(ns, p.env.Glyphs))
	r := p.r
	return p.soon(func() Msg {
		found, err := r.FindTime(thread, ns)
		return atTime{id, ns, found, err}
	})
}

// atTime is the result of looking for a time.
type atTime struct {
	id    int
	ns    int64
	found lazy.Moment
	err   error
}

func (t atTime) apply(p *Part) tea.Cmd {
	if !p.End(t.id) {
		return nil
	}
	switch {
	case errors.Is(t.err, lazy.ErrNoTimes):
		p.env.Warn("this trace has no times: go to an event (1204) or a position (50%)")
		return nil
	case t.err != nil:
		p.env.Fail("cannot go there", t.err)
		return nil
	}
	return p.Reveal(t.found.Position, func(n *lazy.Node) tea.Cmd {
		at := screen.Exactly(t.ns, p.env.Glyphs)
		switch {
		case t.found.Before:
			p.env.Say("no call was open at " + at + ": this is the next")
		case t.found.After:
			p.env.Say(at + " is after the last call that has ended in this thread")
		}
		return p.tree.Land(n)
	})
}
