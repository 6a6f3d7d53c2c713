package screen

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/ui/internal/theme"
)

// TestWindow: the part is visible in every room that has space for it, wherever it is.
func TestWindow(t *testing.T) {
	text := strings.Repeat("ab日", 10) + "<part>" + strings.Repeat("cd", 30)
	at := strings.Index(text, "<part>")
	for _, g := range []*Glyphs{&Unicode, &ASCII} {
		for room := 14; room < 120; room++ {
			for _, skip := range []int{0, 5, 60} {
				n := Window(text, [2]int{at, at + 6}, skip, room, g)
				l := NewLine(room, g)
				if n > 0 {
					l.Put(g.More, theme.Faint)
					n += g.TextWidth(g.More)
				}
				l.Spans(text, Whole(text), Always(theme.Plain), nil, n)
				if line := ansi.Strip(l.End()); !strings.Contains(line, "<part>") {
					t.Fatalf("%d cells, %d left out already: %q", room, skip, line)
				}
			}
		}
	}
	if n := Window("short", [2]int{0, 5}, 0, 20, &Unicode); n != 0 {
		t.Errorf("%d cells of a text that fits are left out", n)
	}
}

// TestCutMatch: a match that does not fit highlights the sign that cuts the text.
func TestCutMatch(t *testing.T) {
	for to, want := range map[int]string{3: "\x1b[4;94mabc\x1b[0;2m…\x1b[m", 6: "abc\x1b[2;4;94m…\x1b[m"} {
		l := NewLine(4, &Unicode)
		l.Spans("abcdef", Whole("abcdef"), Always(theme.Plain), [][2]int{{to - 3, to}}, 0)
		if got := l.End(); got != want {
			t.Errorf("match up to %d: %q, want %q", to, got, want)
		}
	}
}
