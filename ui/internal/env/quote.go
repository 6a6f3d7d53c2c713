package env

import (
	"cmp"
	"strconv"
	"strings"
)

// Subtree is a trace point, and everything below it.
type Subtree struct {
	Raw   bool // in the trace as it was recorded
	Event int32
	Leaf  bool // nothing is below it
}

// PrintCommand returns the shell command that prints a subtree of the trace in a file; FILE if that is not known.
func PrintCommand(s Subtree, file string) string {
	words := []string{"tracex", "print"}
	if s.Raw {
		words = append(words, "--raw")
	}
	words = append(words, "--event", strconv.Itoa(int(s.Event)))
	if !s.Leaf {
		words = append(words, "--subtree")
	}
	return strings.Join(append(words, cmp.Or(Quote(file), "FILE")), " ")
}

func Quote(path string) string {
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
	plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%=", r)
	return !plain
}
