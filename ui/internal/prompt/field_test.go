package prompt

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/uitest"
)

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
		{"f1 ctrl+x tab", "one two  drei|"},
	} {
		f := field{}
		f.Update(tea.PasteMsg{Content: "one two\r\n\tdrei\x1b\x00"})
		for _, key := range strings.Fields(c.keys) {
			k := uitest.Press(key)
			if mod, rest, ok := strings.Cut(key, "+"); ok && mod == "alt" {
				k = tea.KeyPressMsg{Code: []rune(rest)[0], Mod: tea.ModAlt}
			} else if key == "delete" {
				k = tea.KeyPressMsg{Code: tea.KeyDelete}
			}
			before := f.Value()
			if changed := f.Update(k); changed != (f.Value() != before) {
				t.Errorf("%s: after %s it says %v of whether the text changed", c.keys, key, changed)
			}
		}
		at := f.Position()
		got := string([]rune(f.Value())[:at]) + "|" + string([]rune(f.Value())[at:])
		if got != c.want {
			t.Errorf("%q: %q, expected %q", c.keys, got, c.want)
		}
	}
}

// TestFieldLimit: text over the limit is dropped, also from a paste.
func TestFieldLimit(t *testing.T) {
	f := field{limit: 4}
	f.Update(tea.PasteMsg{Content: "äbcdef"})
	if f.Update(uitest.Press("x")) || f.Value() != "äbcd" {
		t.Errorf("%q, expected 4 characters", f.Value())
	}
	f.SetValue("12345678")
	f.CursorEnd()
	if f.Value() != "1234" || f.Position() != 4 {
		t.Errorf("%q, cursor at %d", f.Value(), f.Position())
	}
}
