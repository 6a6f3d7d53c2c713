package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// asking is an open prompt, and what to do with the text typed there.
type asking struct {
	*prompt.Prompt
	typed  func(m *Model, t prompt.Text) // after each change; may be nil
	refuse func(t prompt.Text) string    // why the text is refused; "" if it is accepted; may be nil
	submit func(m *Model, t prompt.Text) tea.Cmd
	cancel func(m *Model) // may be nil
}

// ask opens a prompt.
func (m *Model) ask(a *asking) tea.Cmd {
	m.prompt = a
	m.status.Clear()
	return nil
}

// answer does what the key pressed in the prompt asks for.
func (m *Model) answer(what prompt.Action) tea.Cmd {
	p := m.prompt
	switch what {
	case prompt.Changed:
		if p.typed != nil {
			p.typed(m, p.Text())
		}
	case prompt.Taken:
		if p.refuse != nil {
			if why := p.refuse(p.Text()); why != "" {
				m.warn(why)
				return nil
			}
		}
		m.prompt = nil
		m.typed.Keep(p.Prompt)
		return p.submit(m, p.Text())
	case prompt.Left:
		m.prompt = nil
		m.status.Clear() // the message was about the text typed
		if p.cancel != nil {
			p.cancel(m)
		}
	}
	return nil
}

// promptLine draws the prompt and the remarks about the text typed.
func (m *Model) promptLine() string {
	text, alarm := m.status.Message()
	s := screen.Faint
	if alarm {
		s = screen.Alarm
	}
	return m.prompt.View(m.width, text, s, m.g)
}
