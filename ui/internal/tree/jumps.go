package tree

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// maxJumps bounds the positions remembered.
const maxJumps = 200

// jumps are the positions left by jumps, before and after the current one. The zero value is empty.
type jumps struct {
	before, after []lazy.Position
}

// leave notes the current position before a jump leaves it.
func (h *jumps) leave(p lazy.Position) {
	if n := len(h.before); n > 0 && h.before[n-1] == p {
		return
	}
	h.before = append(h.before, p)
	h.before = h.before[max(0, len(h.before)-maxJumps):]
	h.after = nil
}

// latest returns the position that the last jump left, unless that is here; then the one before.
func (h *jumps) latest(here *lazy.Position) (p lazy.Position, ok bool) {
	for i := len(h.before) - 1; i >= 0; i-- {
		if here == nil || h.before[i] != *here {
			return h.before[i], true
		}
	}
	return p, false
}

// through moves the last position of from, unless that is here, and appends the current one to to; ok is false if there
// is none. here is nil if there is no cursor.
func through(from, to *[]lazy.Position, here *lazy.Position) (p lazy.Position, ok bool) {
	for here != nil && len(*from) > 0 && (*from)[len(*from)-1] == *here {
		*from = (*from)[:len(*from)-1]
	}
	n := len(*from)
	if n == 0 {
		return p, false
	}
	p, *from = (*from)[n-1], (*from)[:n-1]
	if here != nil {
		*to = append(*to, *here)
	}
	return p, true
}

const noEarlier = "no earlier position: only jumps are remembered"

// Back goes to the position before the last jump.
func (p *Jobs) Back() tea.Cmd {
	to, ok := through(&p.tree.jumps.before, &p.tree.jumps.after, p.here())
	return p.retrace(to, ok, noEarlier)
}

// Forward goes to the position that Back has left.
func (p *Jobs) Forward() tea.Cmd {
	to, ok := through(&p.tree.jumps.after, &p.tree.jumps.before, p.here())
	return p.retrace(to, ok, "no later position")
}

// Before goes to the position that the last jump left. The current one becomes the last, so
// that the next Before returns here.
func (p *Jobs) Before() tea.Cmd {
	to, ok := p.tree.jumps.latest(p.here())
	if ok {
		p.tree.Visit()
	}
	return p.retrace(to, ok, noEarlier)
}

func (p *Jobs) here() *lazy.Position {
	if here, ok := p.tree.Out.Here(); ok {
		return &here
	}
	return nil
}

// retrace goes to a position that was left, if there is one.
func (p *Jobs) retrace(to lazy.Position, ok bool, none string) tea.Cmd {
	if !ok {
		return p.env.Say(none)
	}
	return p.Show(to)
}
