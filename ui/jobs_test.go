package ui

import (
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/tree"
	"tracex/ui/internal/uitest"
)

// TestExpandIsBounded: expanding stops at its limit and tells so.
func TestExpandIsBounded(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.WideCalls, N: 100_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.keys("E").has("stopped at ")
	if n := d.m.tree.Out.Tree.Stats().Loaded; n < tree.ExpandLimit || n > tree.ExpandLimit+1000 {
		t.Errorf("%d rows loaded", n)
	}
}
