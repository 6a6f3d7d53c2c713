package display

import "testing"

// Characters that NextCell takes without the tables of all characters are what those say of them.
func TestSigns(t *testing.T) {
	after := []string{"", "a", " ", "…", "─", "▾", "µ", "\u0301", "\ufe0f", "\u200d", "\x1b", "\xff", "界", "\n"}
	for r := range rune(0x11000) {
		for _, rest := range after {
			text := string(r) + rest
			for _, g := range []*Glyphs{&Unicode, &ASCII} {
				out, width, size := g.NextCell(text)
				if o, w, n := nextCluster(text, g.ASCII); o != out || w != width || n != size {
					t.Errorf("%+q: taken as %+q, %d cells, %d bytes; the tables say %+q, %d, %d", text, out, width, size, o, w, n)
				}
			}
		}
	}
	for _, r := range "➜…·›≥≤–─│▲▼▾▹▌█╭" {
		if !sign(r) {
			t.Errorf("%q needs the tables", r)
		}
	}
}
