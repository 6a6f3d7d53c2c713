package ui

import (
	"testing"

	"tracex/ui/internal/uitest"
)

// TestRecall: up and down recall texts typed into the same kind of prompt.
func TestRecall(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	typed := func() string { return d.m.env.Front.Prompt().Text().Text }
	d.keys("/ a b enter / c d enter / a b enter : 5 enter / x")
	for _, c := range [][2]string{{"up", "ab"}, {"up", "cd"}, {"up", "cd"}, {"down", "ab"}, {"down", "x"}, {"down", "x"}, {"ctrl+p", "ab"}} {
		if d.keys(c[0]); typed() != c[1] {
			t.Errorf("after %s: %q, want %q", c[0], typed(), c[1])
		}
	}
	if d.m.search.Pattern().Text != "ab" {
		t.Errorf("%q is looked for while ab is shown", d.m.search.Pattern().Text)
	}
	d.keys("y ctrl+n ctrl+p")
	if typed() != "aby" {
		t.Errorf("%q: what was changed is lost", typed())
	}
	d.keys("esc : up")
	if typed() != "5" {
		t.Errorf("%q in another sort of prompt", typed())
	}
}
