package ui

import (
	"strings"
	"testing"

	"tracex/ui/internal/uitest"
)

// TestRecipes: help shows the recipes after the keys, with the user's keys.
func TestRecipes(t *testing.T) {
	if n := len(Recipes()); n != 3 {
		t.Fatalf("%d recipes", n)
	}
	for _, r := range Recipes() {
		for _, s := range r.Steps {
			if strings.ContainsAny(s.Keys+s.Does, "{}") || s.Command == "" {
				t.Errorf("%s: %+v", r.Question, s)
			}
		}
	}
	d := drive(t, uitest.Recorded(t, "threads.stream"), 100, 24, Options{Keys: map[string][]string{"top": {"ctrl+t"}}}).keys("?")
	for range 200 {
		if text := d.screen(); strings.Contains(text, "How to find a slow call") && strings.Contains(text, "an exception") {
			break
		}
		d.keys("j")
	}
	d.has("How to find a wrong value")
}
