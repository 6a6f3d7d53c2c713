package job

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/address"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/status"
)

// GoTo goes to an address in the trace.
func (p *Part) GoTo(a address.Address) tea.Cmd {
	switch a.Kind {
	case address.Share:
		return p.toShare(a.Share, a.Text)
	case address.Thread:
		return p.toThread(a.Number, a.Text)
	case address.Event:
		return p.toEvent(a.Number, a.Text)
	}
	return nil
}

// toShare goes to a share of the thread, in percent.
func (p *Part) toShare(share float64, text string) tea.Cmd {
	thread, ok := p.tree.Out.Thread()
	if !ok {
		return nil
	}
	at, err := p.r.FindFraction(thread, share/100)
	if err != nil {
		p.env.Fail("cannot go there", err)
		return nil
	}
	p.tree.Visit()
	return p.Reveal(at, func(n *lazy.Node) tea.Cmd {
		if share > 100 {
			p.env.Say(text + "% is past the end of the thread: this is the end")
		}
		p.tree.Out.Settle()
		p.tree.Out.Jump(outline.RowOf(n))
		t, _ := p.r.ThreadInfo(thread)
		return p.tree.Aim(outline.Toward(n, at.At, t.Bytes/200))
	})
}

func (p *Part) toThread(number int64, text string) tea.Cmd {
	t := p.tree.Out.Tree
	if p.tree.ToThread(int32(number - 1)) {
		return nil
	}
	if last := t.ThreadAt(t.ThreadCount() - 1); last != nil {
		p.env.Warn(fmt.Sprintf("no thread %s: the threads are %d to %d", text, t.ThreadAt(0).Thread()+1, last.Thread()+1))
	}
	return nil
}

func (p *Part) toEvent(event int64, text string) tea.Cmd {
	if event < 0 {
		p.env.Warn("no event " + text + " in the trace")
		return nil
	}
	p.tree.Visit()
	ctx, id := p.Begin(p.env.Life, "looking for event "+screen.Grouped(event))
	r, settled := p.r, status.Settled(p.r.Status())
	return p.soon(func() Msg {
		at, err := r.FindEvent(ctx, int32(event))
		return located{id, int32(event), at, err, settled}
	})
}

// located is the result of looking for an event.
type located struct {
	id      int
	event   int32
	at      lazy.Position
	err     error
	settled bool // the whole trace was known
}

func (e located) apply(p *Part) tea.Cmd {
	if !p.End(e.id) {
		return nil
	}
	switch {
	case e.err != nil && !e.settled:
		p.env.Warn(screen.ErrorLine(e.err) + " so far: the trace is still being read")
		return nil
	case e.err != nil:
		p.env.Warn(screen.ErrorLine(e.err))
		return nil
	}
	return p.Reveal(e.at, func(n *lazy.Node) tea.Cmd {
		if err := n.ShowsEvent(e.event, e.at); err != nil {
			p.env.Say(screen.ErrorLine(err) + "; r shows it")
		}
		return p.tree.Land(n)
	})
}
