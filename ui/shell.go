package ui

import (
	"strconv"
	"strings"

	"tracex/lazy"
)

// printCommand is the command of a shell that prints what is at a node, and all
// below it. Where the trace came through a pipe, or is the built-in one, the
// file has to be filled in.
func (m *Model) printCommand(n *lazy.Node) string {
	words := []string{"tracex", "print"}
	if !m.out.t.Folded() {
		words = append(words, "--raw")
	}
	words = append(words, "--event", strconv.Itoa(int(n.Point().Event)))
	if !n.Leaf() {
		words = append(words, "--subtree")
	}
	if m.o.Name != "" {
		return strings.Join(append(words, "FILE"), " ")
	}
	return strings.Join(append(words, quoted(m.file())), " ")
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	if !strings.ContainsFunc(path, needsQuotes) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// needsQuotes reports whether a character may mean something to a shell.
func needsQuotes(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("/._-+,:@%=", r)
}
