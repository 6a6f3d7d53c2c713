package prompt

import (
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// TestKeys presses keys in a prompt, and checks the last action and the text.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		keys string
		last Action
		want Text
	}{
		{"a", Changed, Text{"a", false}},
		{"a left", None, Text{"a", false}},
		{"a backspace", Changed, Text{"", false}},
		{"a backspace backspace", Left, Text{"", false}},
		{"a esc", Left, Text{"a", false}},
		{"ctrl+c", Left, Text{"", false}},
		{"a enter", Taken, Text{"a", false}},
		{"a ctrl+r", Changed, Text{"a", true}},
		{"a ctrl+r ctrl+r", Changed, Text{"a", false}},
		{"a up", None, Text{"a", false}},
		{"a down", None, Text{"a", false}},
	} {
		p := History{}.OpenPattern("/", "")
		var last Action
		for _, k := range strings.Fields(c.keys) {
			last = p.HandleKey(pressOf(k))
		}
		if last != c.last || p.Text() != c.want {
			t.Errorf("%s: action %d and %+v, expected %d and %+v", c.keys, last, p.Text(), c.last, c.want)
		}
	}
	p := History{}.Open(":", "")
	if p.HandleKey(pressOf("ctrl+r")) != None || p.Text().Expr {
		t.Error("what is no pattern is read as an expression")
	}
	if p.Paste(tea.PasteMsg{Content: "5\n0"}) != Changed || p.Text().Text != "5 0" {
		t.Errorf("pasted: %q", p.Text().Text)
	}
}

// TestMemory: up and down recall texts typed into prompts of the same label; the current text
// is not lost, and the history is bounded.
func TestMemory(t *testing.T) {
	var m History
	typed := func(label, text string) *Prompt {
		p := m.Open(label, "")
		p.Paste(tea.PasteMsg{Content: text})
		return p
	}
	for _, text := range []string{"ab", "cd", "ab", "  "} {
		m.Keep(typed("/", text))
	}
	m.Keep(typed(":", "5"))
	p := typed("/", "x")
	for _, c := range [][2]string{{"up", "ab"}, {"up", "cd"}, {"up", "cd"}, {"down", "ab"}, {"down", "x"}, {"down", "x"}} {
		if p.HandleKey(pressOf(c[0])); p.Text().Text != c[1] {
			t.Errorf("after %s: %q, expected %q", c[0], p.Text().Text, c[1])
		}
	}
	for i := range 3 * maxKept {
		m.Keep(typed("/", strconv.Itoa(i)))
	}
	if n := len(m["/"]); n != maxKept || m["/"][n-1].Text != strconv.Itoa(3*maxKept-1) {
		t.Errorf("%d are kept, the newest %+v", n, m["/"][n-1])
	}
}

// TestField edits a text with keys; | marks the cursor afterwards.
func TestField(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"", "one two  drei|"},
		{"left left X", "one two  drX|ei"},
		{"home X", "X|one two  drei"},
		{"ctrl+a ctrl+d delete", "|e two  drei"},
		{"backspace ctrl+h", "one two  dr|"},
		{"ctrl+w", "one two  |"},
		{"alt+b alt+b ctrl+k", "one |"},
		{"alt+b alt+b ctrl+u", "|two  drei"},
		{"ctrl+a alt+f alt+d", "one|  drei"},
		{"ctrl+a left backspace X", "X|one two  drei"},
		{"ctrl+e right delete X", "one two  dreiX|"},
		{"ctrl+a ctrl+f ctrl+f ctrl+b X", "oX|ne two  drei"},
		{"ü 界", "one two  dreiü界|"},
		{"left alt+d", "one two  dre|"},
		{"ctrl+u a space b ctrl+a alt+d", "| b"},
		{"ctrl+u space a ctrl+w", " |"},
		{"f1 ctrl+x ctrl+v tab", "one two  drei|"},
	} {
		p := History{}.Open(":", "")
		p.Paste(tea.PasteMsg{Content: "one two\r\n\tdrei\x1b\x00"})
		for _, key := range strings.Fields(c.keys) {
			k := pressOf(key)
			if mod, rest, ok := strings.Cut(key, "+"); ok && mod == "alt" {
				k = tea.KeyPressMsg{Code: []rune(rest)[0], Mod: tea.ModAlt}
			} else if key == "delete" {
				k = tea.KeyPressMsg{Code: tea.KeyDelete}
			}
			before := p.input.Value()
			if changed := p.HandleKey(k) == Changed; changed != (p.input.Value() != before) {
				t.Errorf("%s: after %s it says %v of whether the text changed", c.keys, key, changed)
			}
		}
		before, after := p.parts()
		if got := before + "|" + after; got != c.want {
			t.Errorf("%q: %q, expected %q", c.keys, got, c.want)
		}
	}
}

// TestFieldLimit: text over the limit is dropped, also from a paste.
func TestFieldLimit(t *testing.T) {
	p := History{}.Open(":", "")
	p.input.CharLimit = 4
	p.Paste(tea.PasteMsg{Content: "äbcdef"})
	if p.HandleKey(pressOf("x")) == Changed || p.input.Value() != "äbcd" {
		t.Errorf("%q, expected 4 characters", p.input.Value())
	}
	p.input.SetValue("12345678")
	p.input.CursorEnd()
	if p.input.Value() != "1234" || p.input.Position() != 4 {
		t.Errorf("%q, cursor at %d", p.input.Value(), p.input.Position())
	}
}

// TestHostilePaste: of a large paste the end of what is kept is shown, harmless and in its cells.
func TestHostilePaste(t *testing.T) {
	for _, piece := range []string{"x", "\x1b[31m\u202eä\u0301界\r\n", "\u200d\u0301", "👩\u200d👧", "\xff\xc3"} {
		p := History{}.OpenPattern("/", "")
		p.Paste(tea.PasteMsg{Content: strings.Repeat(piece, 10<<10/len(piece))})
		if n := p.input.Position(); n > maxTyped {
			t.Errorf("%q: %d characters are kept", piece, n)
		}
		for _, g := range []*screen.Glyphs{&screen.Unicode, &screen.ASCII} {
			line := ansi.Strip(p.View(40, "", theme.Faint, g))
			if at := p.Column(40, g); ansi.StringWidth(line) != 40 || format.NeedsEscape(line) || at >= 40 {
				t.Errorf("%q: %q, the cursor in column %d", piece, line, at)
			}
		}
	}
}

func TestView(t *testing.T) {
	for _, c := range []struct{ typed, message, want string }{
		{"", "", "/ find                  Ctrl-R regex "},
		{"abc", "", "/abc                    Ctrl-R regex "},
		{"abc", "odd", "/abc   odd              Ctrl-R regex "},
		{"what is typed is long", "and wrong", "/what is typed is long   and wrong   "},
	} {
		p := History{}.OpenPattern("/", "find")
		p.Paste(tea.PasteMsg{Content: c.typed})
		if got := ansi.Strip(p.View(37, c.message, theme.Faint, &screen.Unicode)); got != c.want {
			t.Errorf("%q: %q, expected %q", c.typed, got, c.want)
		}
		if at := p.Column(37, &screen.Unicode); at != 1+len(c.typed) {
			t.Errorf("%q: the cursor is in column %d", c.typed, at)
		}
	}
	// The end of a long text is shown, with the cursor.
	p := History{}.Open(":", "")
	p.Paste(tea.PasteMsg{Content: strings.Repeat("0123456789", 9)})
	if got := ansi.Strip(p.View(20, "", theme.Faint, &screen.Unicode)); !strings.HasPrefix(got, ":34567890123456789") {
		t.Errorf("%q", got)
	}
	if at := p.Column(20, &screen.Unicode); at != 18 {
		t.Errorf("the cursor is in column %d", at)
	}
}

// TestPropose: a proposed text is replaced by what is typed or pasted, removed by Backspace, and kept by any other key.
func TestPropose(t *testing.T) {
	for keys, want := range map[string]string{
		"x": "x", "backspace": "", "end x": "oldx", "left x": "olxd", "home x": "xold", "up down x": "oldx", "ctrl+w": "", "enter x": "oldx",
	} {
		var h History
		p := h.Open("& ", "")
		p.Propose("old")
		if line := p.View(40, "", theme.Plain, &screen.Unicode); !strings.Contains(line, "[0;7mold") {
			t.Errorf("not shown as selected: %q", line)
		}
		for _, k := range strings.Fields(keys) {
			p.HandleKey(pressOf(k))
		}
		if got := p.Text().Text; got != want {
			t.Errorf("%s: %q, want %q", keys, got, want)
		}
		if strings.Contains(p.View(40, "", theme.Plain, &screen.Unicode), ";7m") {
			t.Errorf("%s: it is still selected", keys)
		}
	}
	var h History
	p := h.Open("& ", "")
	p.Propose("old")
	if p.Paste(tea.PasteMsg{Content: "new"}); p.Text().Text != "new" {
		t.Errorf("pasted: %q", p.Text().Text)
	}
	if p.Propose(""); p.selected {
		t.Error("nothing is selected")
	}
}
