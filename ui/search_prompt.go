package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/pattern"
	"tracex/ui/internal/prompt"
)

// askSearch asks for what to search. What is on the screen is highlighted and
// gone to while it is typed; enter searches on in the background.
func (m *Model) askSearch(int) tea.Cmd {
	old, origin, line, skip := m.search, m.out.cursor, m.out.line, m.out.skip
	if old.running() {
		old.want = nil
	}
	id := 0
	if old != nil {
		id = old.id
	}
	place, _ := m.here()
	p := &asking{Prompt: m.typed.OpenPattern("/", "find in all threads")}
	home := func(m *Model) { m.out.cursor, m.out.line, m.out.skip = origin, line, skip }
	p.typed = func(m *Model, t prompt.Text) {
		pattern := pattern.New(t.Text, t.Expr)
		m.search = &search{id: id, p: pattern}
		m.say("")
		if pattern.Fault != "" {
			m.say("not complete: " + pattern.Fault)
		}
		home(m)
		if t.Text != "" {
			m.preview(pattern, origin)
		}
	}
	p.refuse = func(t prompt.Text) string {
		if fault := pattern.New(t.Text, t.Expr).Fault; fault != "" {
			return fault
		}
		return ""
	}
	p.cancel = func(m *Model) {
		home(m)
		m.search = old
	}
	p.submit = func(m *Model, t prompt.Text) tea.Cmd {
		if t.Text == "" {
			m.search = old
			return m.nextHit(1)
		}
		if old != nil && old.cancel != nil {
			old.cancel()
		}
		home(m)
		m.visit()
		pattern := pattern.New(t.Text, t.Expr)
		m.preview(pattern, origin)
		return m.beginSearch(pattern, &wanted{from: place, dir: 1, count: 1, here: true})
	}
	return m.ask(p)
}
