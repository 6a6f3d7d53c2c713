package job

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
)

// ToMoment goes to what another thread did at the moment of the cursor's row.
func (p *Part) ToMoment(thread int32) tea.Cmd {
	n := p.tree.Out.Cursor.Node
	switch {
	case n == nil || n.IsThread():
		p.env.Say("the cursor is on no event: it has no moment")
		return nil
	case n.Thread() == thread:
		p.env.Say("the cursor is in this thread")
		return nil
	}
	at, raw, r := n.Position(), !p.tree.Out.Tree.Folded(), p.r
	ctx, id := p.Begin(p.env.Life, fmt.Sprintf("looking for that moment in thread %d", int64(thread)+1))
	return p.soon(func() Msg {
		m, after, err := query.FindMoment(ctx, r, raw, at, thread)
		return atMoment{id, m, after, err}
	})
}

// atMoment is the result of looking for a moment.
type atMoment struct {
	id    int
	found query.Moment
	after bool
	err   error
}

func (m atMoment) apply(p *Part) tea.Cmd {
	if !p.End(m.id) {
		return nil
	}
	if m.err != nil {
		p.env.Fail("cannot go there", m.err)
		return nil
	}
	p.tree.Visit()
	return p.Reveal(m.found.Position, func(n *lazy.Node) tea.Cmd {
		switch {
		case m.after:
			p.env.Say("the thread had done nothing before: this is its first event after")
		case m.found.End:
			p.env.Say("this call had ended last, at that moment")
		}
		return p.tree.Land(n)
	})
}
