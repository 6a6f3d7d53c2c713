package ui

import (
	"strconv"
	"strings"

	"tracex/lazy"
	"tracex/ui/internal/shell"
)

// printCommand returns a shell command that prints a node and everything below it. If the trace
// came through a pipe, or is the built-in one, the user has to fill in the file.
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
