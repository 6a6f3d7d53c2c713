package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// countFor is how long a command counts children before it tells.
const countFor = 60 * time.Millisecond

// counts is the counting of children in the background: of the nodes on the
// screen, the cursor's first, one command at a time.
type counts struct {
	busy    bool
	cancel  context.CancelFunc
	stopped map[*lazy.Node]bool // counting failed, or a person stopped it
	growing growingCounts
}

// counted is the end of a turn of counting.
type counted struct {
	rest []*lazy.Node // the one that it ended at, and those behind it; nil: all are counted
	err  error
}

func (c counted) apply(m *Model) tea.Cmd {
	m.counts.busy = false
	m.counts.cancel()
	switch {
	case len(c.rest) == 0:
	case errors.Is(c.err, context.DeadlineExceeded):
		m.counts.growing.again(c.rest)
	default:
		m.counts.stopped[c.rest[0]] = true
	}
	return nil
}

// countVisible begins a turn of counting when nodes on the screen need it.
func (m *Model) countVisible() tea.Cmd {
	if m.counts.busy {
		return nil
	}
	nodes := m.uncounted()
	if len(nodes) == 0 {
		return nil
	}
	m.counts.growing.begin(m, nodes)
	ctx, cancel := context.WithTimeout(m.life, countFor)
	m.counts.busy, m.counts.cancel = true, cancel
	t := m.out.t
	e, cmd := m.soon(func() effect {
		for i, n := range nodes {
			if _, _, err := t.CountChildren(ctx, n, 0); err != nil {
				return counted{nodes[i:], err}
			}
		}
		return counted{}
	})
	if e == nil {
		return cmd
	}
	return e.apply(m)
}

// uncounted returns the nodes on the screen whose children are to be counted.
func (m *Model) uncounted() []*lazy.Node {
	var nodes []*lazy.Node
	if n := m.out.cursor.Node; n != nil && m.countable(n) {
		nodes = append(nodes, n)
	}
	for _, r := range m.out.rows {
		if r.Node != nil && r != m.out.cursor && m.countable(r.Node) {
			nodes = append(nodes, r.Node)
		}
	}
	return nodes
}

// countingShare says how far the node is that is counted now: " 42 %".
func (m *Model) countingShare() string {
	nodes := m.uncounted()
	if len(nodes) == 0 {
		return ""
	}
	done, total := nodes[0].Counting()
	if total <= 0 {
		return ""
	}
	return " " + screen.Percent(done, total)
}

func (m *Model) countable(n *lazy.Node) bool {
	if m.counts.stopped[n] {
		return false
	}
	// The end of a pending node is not known: there is no last child yet.
	if n.State() == lazy.StatePending {
		return m.counts.growing.due(m, n)
	}
	_, exact, _ := n.Count()
	return !exact
}

// stopCounting ends the counting under way. Nothing else is counted until the screen
// shows other nodes.
func (m *Model) stopCounting() bool {
	if !m.counts.busy {
		return false
	}
	for _, n := range m.uncounted() {
		m.counts.stopped[n] = true
	}
	m.counts.cancel()
	return true
}
