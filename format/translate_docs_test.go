package format_test

import (
	"os"
	"strings"
	"testing"

	"tracex/format"
)

// docs/versions.md has each kind of guess and loss in a table, and no others.
func TestChangesDocs(t *testing.T) {
	docs, err := os.ReadFile("../docs/versions.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]bool)
	told := false
	for line := range strings.Lines(string(docs)) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		switch {
		case !strings.HasPrefix(line, "|"):
			told = false
		case first == "message":
			told = true
		case told && first != "---":
			rows[first] = true
		}
	}
	for _, c := range format.AllChanges() {
		if !rows[c.String()] {
			t.Errorf("docs/versions.md does not have: %s", c)
		}
		delete(rows, c.String())
	}
	for row := range rows {
		t.Errorf("docs/versions.md has %q, which is not in the code", row)
	}
}

func TestChangeWords(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range format.AllChanges() {
		one, many := c.Words(1), c.Words(2)
		if one == "" || one == many || seen[many] || c.String() != many {
			t.Errorf("%d: %q, %q", c, one, many)
		}
		seen[many] = true
	}
}
