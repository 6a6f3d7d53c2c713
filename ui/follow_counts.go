package ui

import (
	"time"

	"tracex/lazy"
)

// countEvery is how often the children are counted of what has not ended, in a
// trace that is followed.
const countEvery = 500 * time.Millisecond

// growingCounts remembers when children were counted that grow in number.
type growingCounts struct {
	at  time.Time           // when that began last
	had map[*lazy.Node]bool // the nodes since then
}

// due reports whether the children of a node that has not ended are to be
// counted, again.
func (c *growingCounts) due(m *Model, n *lazy.Node) bool {
	return m.known.Phase == lazy.PhaseFollowing && (m.clock.now().Sub(c.at) >= countEvery || !c.had[n])
}

// begin notes that the children of nodes are counted now.
func (c *growingCounts) begin(m *Model, nodes []*lazy.Node) {
	if now := m.clock.now(); now.Sub(c.at) >= countEvery {
		c.at, c.had = now, make(map[*lazy.Node]bool)
	}
	for _, n := range nodes {
		if c.had != nil {
			c.had[n] = true
		}
	}
}

// again notes that a turn of counting ended before it had counted nodes.
func (c *growingCounts) again(nodes []*lazy.Node) {
	for _, n := range nodes {
		delete(c.had, n)
	}
}
