package background

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestGuarded: a panic in work becomes a message, which panics again with the stack of
// the first panic.
func TestGuarded(t *testing.T) {
	if got := Guarded(func() tea.Msg { return 7 }); got != 7 {
		t.Errorf("%v", got)
	}
	p, ok := Guarded(func() tea.Msg { panic("planted") }).(Panic)
	if !ok {
		t.Fatal("no panic")
	}
	defer func() {
		if text, _ := recover().(string); !strings.HasPrefix(text, "planted\n") || !strings.Contains(text, "TestGuarded") {
			t.Errorf("%q", text)
		}
	}()
	p.Again()
}
