package ui

import (
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/nodetext"
)

// shortName returns the name of a node in a path: a call without its arguments.
func (m *Model) shortName(n *lazy.Node) string {
	if p := n.Point(); p == nil || p.Class.Container() {
		return string(m.out.Tree.AppendName(nil, n))
	}
	text, _ := m.text(n)
	return text
}

// pathText returns the path to the cursor for the clipboard, one line for each node.
func (m *Model) pathText() string {
	var b strings.Builder
	for i, n := range nodetext.Path(m.out.Cursor) {
		b.WriteString(strings.Repeat("  ", i))
		b.Write(m.out.Tree.AppendText(nil, n, false))
		b.WriteByte('\n')
	}
	return b.String()
}
