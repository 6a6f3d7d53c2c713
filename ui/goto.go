package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/address"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// askPlace asks where to go.
func (m *Model) askPlace(int) tea.Cmd {
	return m.ask(&asking{
		Prompt: m.typed.Open(":", "an event (1204), a place in this thread (50%), a thread (t3), or q"),
		submit: func(m *Model, t prompt.Text) tea.Cmd { return m.goTo(t.Text) },
	})
}

// goTo goes to the address typed after ":".
func (m *Model) goTo(text string) tea.Cmd {
	switch a := address.Parse(text); a.Kind {
	case address.Quit:
		return tea.Quit
	case address.Help:
		return m.help(0)
	case address.Share:
		return m.toPercent(a.Share, a.Text)
	case address.Thread:
		return m.toThread(a.Number, a.Text)
	case address.Event:
		return m.toEvent(a.Number, a.Text)
	case address.Unknown:
		m.warn(a.Text + ": no such place; an event (1204), a place (50%) or a thread (t3)")
	}
	return nil
}

func (m *Model) toPercent(share float64, text string) tea.Cmd {
	thread, ok := m.out.Thread()
	if !ok {
		return nil
	}
	p, err := m.r.FindFraction(thread, share/100)
	if err != nil {
		m.fail("cannot go there", err)
		return nil
	}
	m.visit()
	return m.reveal(p, func(n *lazy.Node) tea.Cmd {
		if share > 100 {
			m.say(text + "% is past the end of the thread: this is the end")
		}
		m.out.Settle()
		m.out.Jump(outline.RowOf(n))
		return m.aim(outline.Toward(n, p.At, m.threadSize(thread)/200))
	})
}

// threadSize returns the size of a thread's stream, in bytes.
func (m *Model) threadSize(id int32) int64 {
	t, _ := m.r.ThreadInfo(id)
	return t.Bytes
}

func (m *Model) toThread(number int64, text string) tea.Cmd {
	t := m.out.Tree
	if n, _ := t.Thread(int32(number - 1)); n != nil {
		m.visit()
		m.out.Jump(outline.RowOf(n))
		return nil
	}
	if last := t.ThreadAt(t.ThreadCount() - 1); last != nil {
		m.warn(fmt.Sprintf("no thread %s: they are %d to %d", text, t.ThreadAt(0).Thread()+1, last.Thread()+1))
	}
	return nil
}

func (m *Model) toEvent(event int64, text string) tea.Cmd {
	if event < 0 {
		m.warn("no event " + text + " in the trace")
		return nil
	}
	m.visit()
	ctx, id := m.jobs.Begin(m.life, "looking for event "+screen.Grouped(event))
	r, settled := m.r, m.settled()
	e, cmd := m.soon(func() effect {
		p, err := r.FindEvent(ctx, int32(event))
		return placed{id, int32(event), p, err, settled}
	})
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// placed is the result of looking for a place.
type placed struct {
	id      int
	event   int32
	p       lazy.Place
	err     error
	settled bool // the whole trace was known
}

func (e placed) apply(m *Model) tea.Cmd {
	if !m.jobs.End(e.id) {
		return nil
	}
	switch {
	case e.err != nil && !e.settled:
		m.warn(screen.ErrorLine(e.err) + " so far: it is still being read")
		return nil
	case e.err != nil:
		m.warn(screen.ErrorLine(e.err))
		return nil
	}
	return m.reveal(e.p, func(n *lazy.Node) tea.Cmd {
		if err := n.ShowsEvent(e.event, e.p); err != nil {
			m.say(screen.ErrorLine(err) + "; r shows it")
		}
		return m.land(n)
	})
}
