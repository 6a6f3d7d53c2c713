package counting

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
)

// Part counts in the background: the children of the nodes on the screen, what is left out
// there, then what the tree shows of all that was recorded, and the calls of the trace. Its methods run on one goroutine.
type Part struct {
	Children Children
	Left     Left
	Calls    Calls
	Shown    Shown

	env *env.Env
	r   *lazy.LazyTraceReader
}

// New returns a Part that has counted nothing.
func New(r *lazy.LazyTraceReader, e *env.Env) Part { return Part{env: e, r: r} }

// Settle starts counting what the screen shows. idle means that nothing else runs in the
// background.
func (p *Part) Settle(f Facts, generation int, idle bool) tea.Cmd {
	var cmds []tea.Cmd
	if work := p.Left.Begin(f); work != nil {
		msg, cmd := p.env.Soon(work)
		if msg != nil {
			p.Update(msg.(Msg))
		}
		cmds = append(cmds, cmd)
	}
	if work := p.Children.Begin(f); work != nil {
		msg, cmd := p.env.Soon(work)
		if msg != nil {
			p.Update(msg.(Msg))
		}
		cmds = append(cmds, cmd)
	}
	idle = idle && !p.Children.Busy() && !p.Left.busy
	if work := p.Shown.Begin(p.env.Life, f.Tree, generation, idle); work != nil {
		msg, cmd := p.env.Soon(work)
		if msg != nil {
			p.Update(msg.(Msg))
		}
		cmds = append(cmds, cmd)
	}
	return tea.Batch(append(cmds, p.Calls.Begin(p.env.Life, p.r, generation, idle))...)
}

// Msg is the result of a turn of counting.
type Msg interface{ apply(p *Part) }

func (m ChildrenCounted) apply(p *Part) { p.Children.Update(m) }
func (m CallsCounted) apply(p *Part)    { p.Calls.Update(m) }

// Update handles the result of a turn.
func (p *Part) Update(msg Msg) { msg.apply(p) }

// Busy reports whether counting is under way that the screen mentions.
func (p *Part) Busy() bool { return p.Children.Busy() || p.Calls.Long() }

// Stop stops the counting under way, and reports whether there was any.
func (p *Part) Stop(f Facts) bool { return p.Children.Stop(f) || p.Calls.Stop() }

// Text tells what is being counted, and its progress; "" if nothing is.
func (p *Part) Text(f Facts) string {
	switch {
	case p.Children.Busy():
		return "counting" + p.Children.Share(f)
	case p.Calls.Long():
		return "counting calls" + p.Calls.Share()
	}
	return ""
}
