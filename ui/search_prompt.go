package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/pattern"
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
	p := m.ask("/", "find in all threads")
	p.patterns = true
	home := func(m *Model) { m.out.cursor, m.out.line, m.out.skip = origin, line, skip }
	p.typed = func(m *Model, text string) {
		pattern := pattern.New(text, p.expr)
		m.search = &search{id: id, p: pattern}
		m.say("")
		if pattern.Fault != "" {
			m.say("not complete: " + pattern.Fault)
		}
		home(m)
		if text != "" {
			m.preview(pattern, origin)
		}
	}
	p.refuse = func(text string) string {
		if fault := pattern.New(text, p.expr).Fault; fault != "" {
			return fault
		}
		return ""
	}
	p.cancel = func(m *Model) {
		home(m)
		m.search = old
	}
	p.submit = func(m *Model, text string) tea.Cmd {
		if text == "" {
			m.search = old
			return m.nextHit(1)
		}
		if old != nil && old.cancel != nil {
			old.cancel()
		}
		home(m)
		m.visit()
		pattern := pattern.New(text, p.expr)
		m.preview(pattern, origin)
		return m.beginSearch(pattern, &wanted{from: place, dir: 1, count: 1, here: true})
	}
	return nil
}
