package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/input"
	"tracex/ui/internal/layout"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// keyboard tells what keys and clicks mean.
type keyboard struct {
	keys     []binding
	standard map[string]string // see standard
	count    input.Count
	clicks   input.Clicks
	touched  bool // the user has pressed a key: from now on nothing moves by itself
	used     bool // the user has done more than to look at the first screen and leave
	// then takes the next key, which completes the one before; nil if none waits.
	then func(key string) tea.Cmd
}

// routeInput passes a key or a click to what is in front.
func (m *Model) routeInput(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case input.Depth:
		if n, ok := m.keyboard.count.Depth(msg); ok {
			return m.jobs.ToDepth(n)
		}
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseClickMsg:
		return m.clicked(msg)
	}
	return nil
}

// key hands a key to what is in front: a prompt, a list, the tree.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	name, asked := k.String(), m.front.Prompt() != nil
	m.keyboard.touched = true
	if rest, ok := input.WithoutAlt(k); ok && !(asked && prompt.Edits(name)) {
		return tea.Batch(m.key(tea.KeyPressMsg{Code: tea.KeyEscape}), m.key(rest))
	}
	b := find(m.keyboard.keys, name)
	switch {
	case name == "ctrl+c" && !asked:
		return tea.Quit
	case b != nil && (b.name == "suspend" || b.name == "redraw") && strings.HasPrefix(name, "ctrl+"):
		return b.do(m, 0)
	case !layout.Usable(m.env.Width, m.env.Height):
		if name == "ctrl+c" || b != nil && b.name == "quit" {
			return tea.Quit
		}
		return nil
	}
	if then := m.keyboard.then; then != nil && !asked {
		m.keyboard.then = nil
		m.env.Status.Clear()
		return then(name)
	}
	if l := m.front.List(); l != nil && !asked && !l.Typing() {
		k = m.keyboard.inList(k)
		if cmd, handled := m.overList(k.String()); handled {
			return cmd
		}
	}
	if cmd, handled := m.front.HandleKey(k); handled {
		return cmd
	}
	count := &m.keyboard.count
	if d, ok := count.Digit(name); ok {
		return count.Add(d, m.env.Clock.After)
	}
	if b == nil {
		count.Take()
		m.env.Say(screen.KeyName(name, m.env.Glyphs) + " is not bound (" + screen.ActionKey("help", m.env.Glyphs) + " for help)")
		return nil
	}
	return m.perform(b, count.Take())
}

// overList does what a key does in every list: it stops an export, or opens the command line.
func (m *Model) overList(key string) (cmd tea.Cmd, handled bool) {
	switch {
	case key == "esc" && m.exports.Stop():
		m.env.Say("stopped")
		return nil, true
	case key == ":":
		m.env.Status.Clear()
		return m.commands.open(""), true
	}
	return nil, false
}

// perform does what an action of the key map does, with a number; 0 if there is none.
func (m *Model) perform(b *binding, n int) tea.Cmd {
	m.env.Status.Clear()
	m.tree.Out.Goal = nil
	m.tree.LookAhead()
	m.keyboard.used = m.keyboard.used || b.name != "quit" && b.name != "help"
	cmd := b.do(m, n)
	m.tour.did(b.name)
	return cmd
}

// wheel scrolls the tree, or the list in front of it.
func (m *Model) wheel(e tea.MouseWheelMsg) tea.Cmd {
	n := 3
	switch e.Button {
	case tea.MouseWheelUp:
		n = -n
	case tea.MouseWheelDown:
	case tea.MouseWheelLeft:
		m.tree.Out.Shift(-4)
		return nil
	case tea.MouseWheelRight:
		m.tree.Out.Shift(4)
		return nil
	default:
		return nil
	}
	if l := m.front.List(); l != nil {
		l.Scroll(n)
		return nil
	}
	if len(m.tree.Out.Rows) == 0 {
		return nil
	}
	m.keyboard.used = true
	m.tree.LookAhead()
	return m.tree.Aim(outline.Scroll(n))
}

// escape stops running work. Without any, it ends the first of these that is on: the tour, the
// search, the filter, the details, following.
func (m *Model) escape(n int) tea.Cmd {
	if n > 0 {
		return nil // it canceled the number
	}
	stopped := m.jobs.Stop()
	stopped = m.exports.Stop() || stopped
	stopped = m.search.Stop() || stopped
	stopped = m.filter.Stop() || stopped
	if m.tree.Moving() {
		stopped = m.tree.StopLoading() || stopped
	}
	if !stopped {
		stopped = m.counting.Stop(m.countingFacts())
	}
	switch {
	case stopped:
		m.env.Say("stopped")
	case m.tour.end():
		m.env.Say("the tour is over; " + screen.ActionKey("help", m.env.Glyphs) + " lists the keys")
	case m.search.End():
	case m.filter.clear():
	case m.details.Hide():
	case m.follow.On():
		return m.follow.toggle(0)
	case m.trace.Known.Growth.On:
		m.trace.Reader.Unfollow()
		m.env.Say("no longer following the recording; " + screen.ActionKey("follow", m.env.Glyphs) + " follows it again")
	}
	return nil
}
