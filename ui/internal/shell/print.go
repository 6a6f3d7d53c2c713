package shell

import (
	"strconv"
	"strings"
)

// Subtree is a trace point, and everything below it.
type Subtree struct {
	Raw   bool // in the trace as it was recorded
	Event int32
	Leaf  bool // nothing is below it
}

// Print returns the shell command that prints a subtree of the trace in a file. If file is empty,
// the user has to fill it in.
func Print(s Subtree, file string) string {
	words := []string{"tracex", "print"}
	if s.Raw {
		words = append(words, "--raw")
	}
	words = append(words, "--event", strconv.Itoa(int(s.Event)))
	if !s.Leaf {
		words = append(words, "--subtree")
	}
	if file == "" {
		return strings.Join(append(words, "FILE"), " ")
	}
	return strings.Join(append(words, Quote(file)), " ")
}
