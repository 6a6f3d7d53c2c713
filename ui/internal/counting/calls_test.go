package counting

import (
	"testing"

	"tracex/ui/internal/uitest"
)

// TestCalls: a long count can be stopped, and its results are then dropped; another generation
// of the trace is counted anew.
func TestCalls(t *testing.T) {
	r := uitest.Recorded(t, "gson.stream")
	var c Calls
	if c.Begin(t.Context(), r, 1, false) != nil {
		t.Error("it does not wait for other work")
	}
	cmd := c.Begin(t.Context(), r, 1, true)
	if cmd == nil || c.Begin(t.Context(), r, 1, true) != nil {
		t.Fatal("one census, and no second beside it")
	}
	if c.Long() || c.Stop() {
		t.Error("the user wonders from the first turn on")
	}
	c.turns = callsTurns
	if !c.Long() || !c.Stop() || c.Stop() {
		t.Error("it can be stopped, once")
	}
	c.Update(cmd().(CallsCounted))
	if c.busy || c.Begin(t.Context(), r, 1, true) != nil {
		t.Error("it was begun again")
	}
	if c.Begin(t.Context(), r, 2, true); c.Off && r.TallyPass() != nil {
		t.Error("a trace that has changed is not counted")
	}
}
