package filter_test

import (
	"regexp"
	"strings"
	"testing"

	"tracex/docs"
	"tracex/lazy/query/filter"
)

// TestPage: the page for users has all fields, says of them what completion says, and has no example
// that is no filter.
func TestPage(t *testing.T) {
	for f := range filter.Fields() {
		if row := "| `" + f.Name + "` | " + f.About + " |\n"; !strings.Contains(docs.Filter, row) {
			t.Errorf("the page lacks %s", row)
		}
	}
	examples := 0
	try := func(text string) {
		examples++
		if _, err := filter.Parse(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	code := regexp.MustCompile("`([^`]+)`")
	inCode, section := false, ""
	for line := range strings.Lines(docs.Filter) {
		switch line = strings.TrimRight(line, "\n"); {
		case line == "```":
			inCode = !inCode
		case inCode:
			text, _, _ := strings.Cut(line, "   ")
			try(text)
		case strings.HasPrefix(line, "## "):
			section = line
		case section == "## Operators", section == "## Fields":
		case strings.HasPrefix(line, "|"):
			first, rest, _ := strings.Cut(line[1:], " | ")
			for _, m := range code.FindAllStringSubmatch(first, -1) {
				try(m[1])
			}
			if section == "## Terms" {
				for _, m := range code.FindAllStringSubmatch(rest, -1) {
					try(m[1])
				}
			}
		}
	}
	if examples < 40 {
		t.Errorf("%d examples", examples)
	}
}
