package ui

import (
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// TestExpandIsBounded: expanding stops at its limit and tells so.
func TestExpandIsBounded(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.WideCalls, N: 100_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.keys("E").has("stopped at ")
	if n := d.m.out.Tree.Stats().Loaded; n < expandLimit || n > expandLimit+1000 {
		t.Errorf("%d rows loaded", n)
	}
}

// TestJobIsDropped: results of an older job are dropped.
func TestJobIsDropped(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.send(revealed{id: -1, then: nil})
	d.send(expanded{id: -1})
	if message(d) != "" && strings.Contains(message(d), "opened") {
		t.Error("the result of an older job was taken")
	}
}
