package prompt

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/screen"
)

// words completes the last word of a text.
func words(text string) (from int, with []Candidate) {
	from = strings.LastIndexByte(text, ' ') + 1
	for _, w := range []string{"sort", "stop", "überall", "threads"} {
		if strings.HasPrefix(w, text[from:]) {
			with = append(with, Candidate{Text: w, Help: "help of " + w, Keys: w[:1]})
		}
	}
	return from, with
}

// TestTab walks through the candidates; | marks the cursor afterwards.
func TestTab(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"s tab", "sort|"},
		{"s tab tab", "stop|"},
		{"s tab tab tab", "s|"},
		{"s tab tab tab tab", "sort|"},
		{"s shift+tab", "stop|"},
		{"s shift+tab shift+tab shift+tab", "s|"},
		{"tab", "sort|"},
		{"shift+tab", "threads|"},
		{"x tab", "x|"},
		{"s tab space t tab", "sort threads|"},
		{"s tab backspace", "sor|"},
		{"s tab backspace tab", "sort|"},
		{"s t left tab", "sort|t"},
		{"s t left tab tab tab X", "sX|t"},
		{"ü tab X", "überallX|"},
	} {
		p := History{}.Open(":", "").Complete(words)
		for _, k := range strings.Fields(c.keys) {
			p.HandleKey(pressOf(k))
		}
		before, after := p.parts()
		if got := before + "|" + after; got != c.want {
			t.Errorf("%s: %s, expected %s", c.keys, got, c.want)
		}
	}
	p := History{}.Open("/", "")
	if p.HandleKey(pressOf("tab")) != None {
		t.Error("Tab does something where nothing can be completed")
	}
}

// TestMenu draws the candidates above the prompt.
func TestMenu(t *testing.T) {
	p := History{}.Open(":", "").Complete(words)
	draw := func(height int) string {
		var lines []string
		for _, line := range p.Menu(40, height, &screen.Unicode) {
			if w := ansi.StringWidth(line); w != 40 {
				t.Errorf("%d cells: %q", w, line)
			}
			lines = append(lines, strings.TrimRight(ansi.Strip(line), " "))
		}
		return strings.Join(lines, "\n")
	}
	if got := draw(10); got != "" {
		t.Errorf("before anything is typed:\n%s", got)
	}
	p.HandleKey(pressOf("s"))
	if got, want := draw(10), "─ Tab completes: 2 ─────────────────────\n  sort  help of sort                  s\n  stop  help of stop                  s"; got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
	p.HandleKey(pressOf("tab"))
	p.HandleKey(pressOf("tab"))
	if got, want := draw(2), "─ Tab: 2 of 2 ──────────────────────────\n▌ stop  help of stop                  s"; got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
	p.Paste(tea.PasteMsg{Content: "x"})
	if got := draw(10); got != "" {
		t.Errorf("nothing completes it:\n%s", got)
	}
	p.HandleKey(pressOf("ctrl+u"))
	p.Paste(tea.PasteMsg{Content: "sort"})
	if got := draw(10); got != "" {
		t.Errorf("it is complete:\n%s", got)
	}
}
