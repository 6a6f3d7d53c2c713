package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// maxHistory bounds the places that are remembered.
const maxHistory = 200

// history is the places that a person has left by a jump, as in a browser.
type history struct {
	behind, ahead []lazy.Place
}

// here is the place of the cursor.
func (m *Model) here() (p lazy.Place, ok bool) {
	switch row := m.out.cursor; {
	case row.Node != nil && row.Node.IsThread():
		return lazy.Place{Thread: row.Node.Thread(), At: -1}, true
	case row.Node != nil:
		return row.Node.Place(), true
	case row.Parent != nil:
		return lazy.Place{Thread: row.Parent.Thread(), At: row.From}, true
	}
	return p, false
}

// visit notes the place that a jump is about to leave.
func (m *Model) visit() {
	p, ok := m.here()
	h := &m.history
	if !ok || len(h.behind) > 0 && h.behind[len(h.behind)-1] == p {
		return
	}
	h.behind = append(h.behind, p)
	h.behind = h.behind[max(0, len(h.behind)-maxHistory):]
	h.ahead = nil
}

func (m *Model) back(int) tea.Cmd {
	return m.through(&m.history.behind, &m.history.ahead, "nothing further back: jumps are remembered from now on")
}

func (m *Model) forth(int) tea.Cmd {
	return m.through(&m.history.ahead, &m.history.behind, "nothing further ahead")
}

// through goes to the last place of from and notes this one in to.
func (m *Model) through(from, to *[]lazy.Place, none string) tea.Cmd {
	here, ok := m.here()
	for ok && len(*from) > 0 && (*from)[len(*from)-1] == here {
		*from = (*from)[:len(*from)-1]
	}
	if len(*from) == 0 {
		m.say(none)
		return nil
	}
	p := (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	if ok {
		*to = append(*to, here)
	}
	return m.show(p)
}
