package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/docs"
)

// TestHelpPage: a page has all of its words, at any width, and no signs of Markdown.
func TestHelpPage(t *testing.T) {
	squeezed := func(s string) string { return strings.Join(strings.Fields(s), "") }
	for name, text := range map[string]string{"filter": docs.Filter, "differences": docs.Diff, "go": docs.Go, "exchange": docs.Exchange, "fleet": docs.Fleet} {
		for _, width := range []int{60, 80, widestHelp} {
			for _, color := range []bool{false, true} {
				p := helpPage{width: width, color: color}
				p.page(text)
				page := ansi.Strip(p.w.String())
				words := squeezed(page)
				for line := range strings.Lines(page) {
					line = strings.TrimRight(line, "\n")
					verbatim := strings.HasPrefix(line, "    ") && strings.Contains(text, strings.TrimSpace(line))
					if n := ansi.StringWidth(line); n > width && !verbatim && strings.Count(strings.TrimSpace(line), " ") > 0 {
						t.Errorf("%s: a line of %d columns at a width of %d: %q", name, n, width, line)
					}
				}
				for _, sign := range []string{"```", "**", "](", "| --", "# "} {
					if strings.Contains(page, "\n  "+sign) {
						t.Errorf("%s: %q is in it", name, sign)
					}
				}
				for line := range strings.Lines(text) {
					if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "!") || strings.HasPrefix(line, "```") {
						continue
					}
					line = plainMarkdown(line)
					if color {
						line = strings.ReplaceAll(line, "`", "")
					}
					if !strings.Contains(strings.ReplaceAll(words, "`", ""), strings.ReplaceAll(squeezed(line), "`", "")) {
						t.Errorf("%s: %q is not in it", name, line)
					}
				}
			}
		}
	}
	p := helpPage{width: 40}
	p.page("# Title\n\ntext of\ntwo [lines](x.md) with `code`\n- an item that is longer than a line of the page\n\n| name | |\n| --- | --- |\n| `a`, `b` | **first**: one or a \\| b |\n| `--a-name-that-is-too-long-for-it` | second |\n")
	want := `  TITLE

  text of two lines with ` + "`code`" + `
  - an item that is longer than a line
    of the page

    a, b  first: one or a | b
    --a-name-that-is-too-long-for-it
          second
`
	if got := p.w.String(); got != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
}
