package prompt

import "testing"

// TestFilterText: keys edit the text of a filter, whose pattern follows it.
func TestFilterText(t *testing.T) {
	var f filter
	f.typing = true
	for _, k := range []string{"a", "b", "ü", "backspace"} {
		text := k
		if len(k) > 2 {
			text = ""
		}
		f.edit(k, text)
	}
	if f.text != "ab" {
		t.Errorf("%q", f.text)
	}
	if f.edit("ctrl+r", ""); !f.expr {
		t.Error("Ctrl-R does not change the reading")
	}
	if f.edit("ctrl+u", ""); f.text != "" || !f.typing {
		t.Errorf("%q after Ctrl-U", f.text)
	}
	f.edit("x", "x")
	if f.edit("esc", ""); f.text != "" || f.typing || f.expr {
		t.Errorf("%+v after Esc", f)
	}
	for range 2 * maxFilter {
		f.edit("x", "x")
	}
	if len(f.text) != maxFilter {
		t.Errorf("%d bytes", len(f.text))
	}
}
