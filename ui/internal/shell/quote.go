package shell

import (
	"strings"
)

// Quote quotes a path for a shell, if necessary.
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
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("/._-+,:@%=", r)
}
