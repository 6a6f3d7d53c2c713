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
	if f.parse(); f.text != "ab" || f.p == nil || f.p.Text != "ab" {
		t.Errorf("%q", f.text)
	}
	f.shown = []int{3, 5}
	f.edit("c", "c")
	if f.parse(); f.shown != nil {
		t.Errorf("a longer text passes among %v", f.shown)
	}
	f.shown = []int{3}
	f.edit("ctrl+r", "")
	if f.parse(); !f.expr || f.shown != nil {
		t.Error("another reading looks only at the lines that passed before")
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
