package screen

import (
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/ui/internal/theme"
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
		{"fits", 8, func(l *Line) { l.Put("call", theme.Plain) }, "call    "},
		{"just fits", 4, func(l *Line) { l.Put("call", theme.Bold) }, "call"},
		{"is cut", 4, func(l *Line) { l.Put("calls", theme.Bold) }, "cal…"},
		{"wide is cut", 4, func(l *Line) { l.Put("日本語", theme.Plain) }, "日… "},
		{"two texts", 8, func(l *Line) { l.Put("ab", theme.Faint).Put("cd", theme.Alarm) }, "abcd    "},
		{"blanks", 6, func(l *Line) { l.Space(2); l.Put("ab", theme.Plain); l.Space(9) }, "  ab  "},
		{"scrolled", 4, func(l *Line) { l.Spans("abcdef", Whole("abcdef"), Always(theme.Plain), nil, 3) }, "def "},
		{"half of a wide one scrolled", 4, func(l *Line) { l.Spans("日b", Whole("日b"), Always(theme.Plain), nil, 1) }, " b  "},
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
		func(s format.Style) theme.Role { return theme.OfSpan(s, format.ClassCall) }, [][2]int{{2, 3}}, 0)
	if got, want := l.End(), "a\x1b[1;31mb\x1b[0;1;31;4;94mc\x1b[m   "; got != want {
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
		if got := ansi.Strip(Ends(c.left, c.right, theme.Plain, theme.Plain, 20, &Unicode)); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

func TestTitled(t *testing.T) {
	if got, want := ansi.Strip(Titled(" keys ", " more ", 20, &ASCII)), "- keys ------ more -"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}

// TestGauge: a bar is the warmer the more it shows, and its track is dim; without colors both are still seen.
func TestGauge(t *testing.T) {
	draw := func(part int64, profile colorprofile.Profile) string {
		g := Unicode
		g.Pens = theme.Terminal().With(map[string]string{"accent": "1", "warm": "2", "hot": "3", "track": "4"}).Pens(theme.DarkBackground, profile)
		l := NewLine(4, &g)
		l.Gauge(part, 8, 4)
		return l.End()
	}
	for part, want := range map[int64]string{
		0: "\x1b[38;5;4m────\x1b[m", 3: "\x1b[38;5;1m━╸\x1b[0;38;5;4m──\x1b[m", 4: "\x1b[38;5;2m━━\x1b[0;38;5;4m──\x1b[m",
		7: "\x1b[38;5;3m━━━╸\x1b[m", 9: "    ",
	} {
		if got := draw(part, colorprofile.TrueColor); got != want {
			t.Errorf("%d of 8: %q, want %q", part, got, want)
		}
	}
	if got, want := draw(4, colorprofile.ASCII), "\x1b[1m━━\x1b[0;2m──\x1b[m"; ansi.Strip(got) != ansi.Strip(want) {
		t.Errorf("without colors: %q", got)
	}
}

// TestExtended: a text is extended by all, by the names of parameters, or by nothing, as there is room.
func TestExtended(t *testing.T) {
	g := Unicode
	text := "sum([]int@7)"
	spans := []format.Span{{End: len(text)}}
	extras := []format.Extra{
		{At: 4, Text: "list=", Spans: []format.Span{{End: 5, Style: format.StyleParameter}}, Name: true},
		{At: 11, Text: "{3, 4}", Spans: []format.Span{{End: 6, Style: format.StyleValue}}},
	}
	for room, want := range map[int]string{80: "sum(list=[]int@7{3, 4})", 23: "sum(list=[]int@7{3, 4})", 22: "sum(list=[]int@7)", 17: "sum(list=[]int@7)", 16: text, 0: text, -3: text} {
		got, styles, with := Extended(text, spans, extras, room, &g)
		if n := len(styles); got != want || styles[n-1].End != len(got) || len(got) == len(text) != (with == nil) {
			t.Errorf("in %d cells: %q with %v and %v, want %q", room, got, styles, with, want)
		}
	}
}
