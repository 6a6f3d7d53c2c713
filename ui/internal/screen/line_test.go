package screen

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
)

// TestLine draws texts into lines of several widths. Each has its width, and a sign if
// something did not fit.
func TestLine(t *testing.T) {
	for _, c := range []struct {
		name  string
		width int
		draw  func(l *Line)
		want  string
	}{
		{"fits", 8, func(l *Line) { l.Put("call", Plain) }, "call    "},
		{"just fits", 4, func(l *Line) { l.Put("call", Bold) }, "call"},
		{"is cut", 4, func(l *Line) { l.Put("calls", Bold) }, "cal…"},
		{"wide is cut", 4, func(l *Line) { l.Put("日本語", Plain) }, "日… "},
		{"two texts", 8, func(l *Line) { l.Put("ab", Faint).Put("cd", Alarm) }, "abcd    "},
		{"blanks", 6, func(l *Line) { l.Space(2); l.Put("ab", Plain); l.Space(9) }, "  ab  "},
		{"scrolled", 4, func(l *Line) { l.Spans("abcdef", Whole("abcdef"), Always(Plain), nil, 3) }, "def "},
		{"half of a wide one scrolled", 4, func(l *Line) { l.Spans("日b", Whole("日b"), Always(Plain), nil, 1) }, " b  "},
	} {
		l := NewLine(c.width, &Unicode)
		c.draw(l)
		if got := ansi.Strip(l.End()); got != c.want {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
}

// TestLineStyles: a style begins where its text does, and is reset at the end.
func TestLineStyles(t *testing.T) {
	l := NewLine(6, &Unicode)
	l.Spans("abc", []format.Span{{End: 1}, {Start: 1, End: 3, Style: format.StyleAlarm}},
		func(s format.Style) Style { return SpanStyle(s, format.ClassCall) }, [][2]int{{2, 3}}, 0)
	if got, want := l.End(), "a\x1b[1;31mb\x1b[0;1;31;7mc\x1b[m   "; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct{ left, right, want string }{
		{"left", "right", "left           right"},
		{"left", "", "left                "},
		{"what is on the left is cut", "right", "what is on th… right"},
		{"left", "what has no room", "left                "},
	} {
		if got := ansi.Strip(Ends(c.left, c.right, Plain, Plain, 20, &Unicode)); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

func TestTitled(t *testing.T) {
	if got, want := ansi.Strip(Titled(" keys ", " more ", 20, &ASCII)), "- keys ------ more -"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}
