package display

import "testing"

// Characters that NextCell takes without the tables of all characters are what those say of them.
func TestNarrow(t *testing.T) {
	const signs = "➜…·›≥≤–─│▲▼"
	after := []string{"", "a", " ", "…", "─", "\u0301", "\ufe0f", "\u200d", "\x1b", "\xff", "界", "\n"}
	for r := range rune(0x11000) {
		for _, rest := range after {
			text := string(r) + rest
			n := narrow(text)
			if n == 0 {
				continue
			}
			out, width, size := nextCluster(text, false)
			if out != text[:n] || width != 1 || size != n {
				t.Errorf("%+q: taken as %d bytes of one cell; the tables say %+q, %d cells, %d bytes", text, n, out, width, size)
			}
		}
	}
	for _, r := range signs {
		if narrow(string(r)+" ") == 0 {
			t.Errorf("%q was not taken", r)
		}
	}
}
