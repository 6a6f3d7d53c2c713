package screen

import (
	"testing"

	"github.com/charmbracelet/colorprofile"

	"tracex/ui/internal/theme"
)

// TestBar: the cursor's line has one background from edge to edge, faint text on it is plain, and
// a match of a search does not look like the rest of the line.
func TestBar(t *testing.T) {
	for _, c := range []struct {
		bar  theme.Background
		want string
	}{
		{theme.DarkBackground, "\x1b[48;5;236mab\x1b[0;48;5;236;1mc\x1b[0;1;4;30;43md\x1b[0;48;5;236m  \x1b[m"},
		{theme.LightBackground, "\x1b[48;5;254mab\x1b[0;48;5;254;1mc\x1b[0;1;4;30;43md\x1b[0;48;5;254m  \x1b[m"},
		{theme.UnknownBackground, "\x1b[7mab\x1b[0;7;1mc\x1b[0;1;4;30;43md\x1b[0;7m  \x1b[m"},
	} {
		g := Unicode
		g.Pens = theme.Terminal().Pens(c.bar, colorprofile.ANSI256)
		l := NewLine(6, &g)
		l.Cursor = true
		l.Put("a", theme.Plain).Put("b", theme.Faint)
		l.Spans("cd", Whole("cd"), Always(theme.Bold), [][2]int{{1, 2}}, 0)
		if got := l.End(); got != c.want {
			t.Errorf("bar %d:\n%q, want\n%q", c.bar, got, c.want)
		}
	}
}

// TestTheme: a line is drawn in the user's styles, and others in their own.
func TestTheme(t *testing.T) {
	draw := func(cursor bool, chosen map[string]string, bar bool) string {
		g := Unicode
		background := theme.UnknownBackground
		if bar {
			background = theme.DarkBackground
		}
		g.Pens = theme.Terminal().With(chosen).Pens(background, colorprofile.TrueColor)
		l := NewLine(4, &g)
		l.Cursor = cursor
		l.Put("a", theme.Plain).Put("b", theme.Alarm)
		return l.Put("c", theme.Faint).matched("d", theme.StringText)
	}
	for _, c := range []struct {
		name   string
		chosen map[string]string
		cursor bool
		bar    bool
		want   string
	}{
		{"none", nil, false, false, "a\x1b[1;31mb\x1b[0;2mc\x1b[0;32;4;94md\x1b[m"},
		{"colors", map[string]string{"alarm": "#ff0000", "text": "208", "match": "on yellow", "nothing": "red", "string": "redd"}, false, false,
			"\x1b[38;5;208ma\x1b[0;38;2;255;0;0mb\x1b[0;2mc\x1b[0;32;43md\x1b[0;38;5;208m\x1b[m"},
		{"cursor", map[string]string{"cursor-line": "on 17", "current-match": "reverse"}, true, true,
			"\x1b[48;5;17ma\x1b[0;48;5;17;1;31mb\x1b[0;48;5;17mc\x1b[0;7md\x1b[0;48;5;17m\x1b[m"},
		{"cursor reversed", map[string]string{"cursor-line": "reverse"}, true, true, "\x1b[7ma\x1b[0;7;1mb\x1b[0;7mc\x1b[0;1;4;30;43md\x1b[0;7m\x1b[m"},
		{"faint", map[string]string{"faint": "cyan"}, true, true, "\x1b[48;5;236ma\x1b[0;48;5;236;1;31mb\x1b[0;48;5;236;36mc\x1b[0;1;4;30;43md\x1b[0;48;5;236m\x1b[m"},
	} {
		if got := draw(c.cursor, c.chosen, c.bar); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

// matched draws a match in a style, and ends the line.
func (l *Line) matched(text string, r theme.Role) string {
	l.Spans(text, Whole(text), Always(r), [][2]int{{0, len(text)}}, 0)
	return l.End()
}
