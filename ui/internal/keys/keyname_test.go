package keys

import "testing"

// TestParseKey: keys have one name, however they are spelled, which is that of their press.
func TestParseKey(t *testing.T) {
	for text, want := range map[string]string{
		"j": "j", "J": "J", "?": "?", "é": "é", "-": "-", "+": "+", "^": "^", "S": "S", "c": "c",
		" ": "space", "Space": "space", "PgDn": "pgdown", "page-down": "pgdown", "Return": "enter", "escape": "esc", "F11": "f11",
		"ctrl+d": "ctrl+d", "Ctrl-D": "ctrl+d", "C-d": "ctrl+d", "^D": "ctrl+d", "c--": "ctrl+-", "ctrl++": "ctrl++", "ctrl+space": "ctrl+space",
		"shift+tab": "shift+tab", "S-Tab": "shift+tab", "shift+j": "J", "ctrl+shift+up": "ctrl+shift+up", "shift+ctrl+up": "ctrl+shift+up",
	} {
		got, err := ParseKey(text)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
			continue
		}
		if pressed := Press(got).String(); pressed != got {
			t.Errorf("%q: its press is %q", got, pressed)
		}
	}
	for _, text := range []string{"", "jj", "ctrl+", "alt+x", "M-x", "5", "0", "ctrl+i", "C-m", "ctrl+[", "\x01", "hyper+x", "f99", "ctrl+nokey"} {
		if got, err := ParseKey(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// FuzzParseKey: the name of a key is its own spelling, and that of its press.
func FuzzParseKey(f *testing.F) {
	for _, text := range []string{"j", "ctrl+d", "C-S-up", "^[", "shift+é", "s-ß", "PgDn", "ctrl+shift+", "\x7f", "ctrl+1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := ParseKey(text)
		if err != nil {
			return
		}
		if again, err := ParseKey(name); err != nil || again != name {
			t.Errorf("%q is %q, and that is %q, %v", text, name, again, err)
		}
		if pressed := Press(name).String(); pressed != name {
			t.Errorf("%q is %q, but its press is %q", text, name, pressed)
		}
	})
}
