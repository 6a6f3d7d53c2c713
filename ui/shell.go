package ui

import (
	"strconv"
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/shell"
)

// printCommand is the command of a shell that prints what is at a node, and all
// below it. Where the trace came through a pipe, or is the built-in one, the
// file has to be filled in.
func (m *Model) printCommand(n *lazy.Node) string {
	words := []string{"tracex", "print"}
	if !m.out.Tree.Folded() {
		words = append(words, "--raw")
	}
	words = append(words, "--event", strconv.Itoa(int(n.Point().Event)))
	if !n.Leaf() {
		words = append(words, "--subtree")
	}
	if m.o.Name != "" {
		return strings.Join(append(words, "FILE"), " ")
	}
	return strings.Join(append(words, shell.Quote(m.file())), " ")
}
