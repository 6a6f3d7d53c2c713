//go:build unix

package cli

import (
	"bytes"
	"strings"
	"testing"
)

// words splits a line of a shell: quotes are single, and a comment ends it.
func words(line string) (list []string) {
	for line = strings.TrimSpace(line); line != "" && line[0] != '#'; line = strings.TrimSpace(line) {
		var word string
		if rest, quoted := strings.CutPrefix(line, "'"); quoted {
			word, line, _ = strings.Cut(rest, "'")
		} else {
			word, line, _ = strings.Cut(line, " ")
		}
		list = append(list, word)
	}
	return list
}

// TestGuide: each command of the guide runs, and those that ask for something find it.
func TestGuide(t *testing.T) {
	dir := t.TempDir()
	ran := 0
	for _, line := range strings.Split(guide(), "\n") {
		if !strings.HasPrefix(line, "    tracex ") {
			continue
		}
		args := words(line)[1:]
		cmd, stderr, _ := command(t, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if got := code(t, err); got != 0 || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d: %s", line, got, stderr)
		}
		silent := args[0] == "demo" || args[0] == "notes" || strings.Contains(line, "--expect 0")
		if n := bytes.Count(out, []byte("\n")); n < 3 && !silent && args[0] != "print" || len(out) == 0 && args[0] == "print" {
			t.Errorf("%s: %d lines:\n%s", line, n, out)
		}
		ran++
	}
	if ran < 15 {
		t.Errorf("%d commands", ran)
	}
}
