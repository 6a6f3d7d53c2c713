package job

import (
	"context"
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
	case address.Time:
		return p.toTime(a.Number)
	case address.Event:
		return p.toEvent(a.Number, a.Text)
	case address.Place:
		return p.ToHandle(lazy.PositionHandle(a.Place), nil)
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
		slack := t.Bytes / 200
		if share >= 100 {
			slack = 0 // down to the last event
		}
		return p.tree.Aim(outline.Toward(n, at.At, slack))
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
	return p.ToHandle(lazy.EventHandle(int32(event)), nil)
}

// ToHandle goes to what a handle names. If several threads have an event with its number, it
// says so. Then it calls then, unless that is nil, with whether it was found.
func (p *Part) ToHandle(h lazy.Handle, then func(found bool)) tea.Cmd {
	name := "looking for " + h.String()
	if h.Numbered {
		name = "looking for event " + screen.Grouped(int64(h.Event))
	}
	p.tree.Visit()
	ctx, id := p.Begin(p.env.Life, name)
	r, settled := p.r, status.Settled(p.r.Status())
	return p.soon(func() Msg {
		at, event, err := r.Find(ctx, h)
		found := located{id: id, event: event, at: at, err: err, settled: settled, then: then}
		if h.Numbered && err == nil {
			// It only adds to a message. An error here says nothing about the event found.
			found.others, _ = r.AlsoIn(ctx, event, at, maxOthers)
		}
		return found
	})
}

// ToFound goes to what look finds, in the background: a position and its event. name tells what it
// does. Before it goes there, it calls then, unless that is nil, with whether it was found.
func (p *Part) ToFound(name string, look func(context.Context, lazy.Progress) (lazy.Position, int32, error), then func(found bool)) tea.Cmd {
	p.tree.Visit()
	ctx, id, progress := p.BeginLook(p.env.Life, name)
	settled := status.Settled(p.r.Status())
	return p.soon(func() Msg {
		at, event, err := look(ctx, progress)
		return located{id: id, event: event, at: at, err: err, settled: settled, then: then}
	})
}

// maxOthers is how many more threads with an event of the same number a message names.
const maxOthers = 3

// located is the result of looking for an event.
type located struct {
	id      int
	event   int32 // -1 for a thread
	at      lazy.Position
	others  []int32 // threads with another event of this number
	err     error
	settled bool             // the whole trace was known
	then    func(found bool) // may be nil
}

func (e located) apply(p *Part) tea.Cmd {
	wanted := p.End(e.id)
	if e.then != nil {
		e.then(wanted && e.err == nil)
	}
	if !wanted {
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
		if len(e.others) > 0 {
			p.env.Say(e.severally())
		}
		p.sayHidden(n, e.event, e.at)
		return p.tree.Land(n)
	})
}

// sayHidden tells that n is shown instead of the event at a position, if it is.
func (p *Part) sayHidden(n *lazy.Node, event int32, at lazy.Position) {
	if event < 0 {
		return
	}
	if err := n.ShowsEvent(event, at); err != nil {
		p.env.Say(screen.ErrorLine(err) + "; " + screen.ActionKey("raw", p.env.Glyphs) + " shows it")
	}
}

// severally tells that several threads have an event of this number.
func (e located) severally() string {
	text := "this is " + lazy.PositionHandle(e.at).String() + "; other events have the same number, in thread "
	for i, id := range e.others {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(int64(id) + 1)
	}
	return text
}
