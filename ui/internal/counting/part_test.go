package counting

import (
	"strings"
	"testing"
	"time"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestPart: children are counted first, then the calls, and both can be stopped.
func TestPart(t *testing.T) {
	r := uitest.Recorded(t, "gson.stream")
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	tree := r.Tree(true)
	row := lazy.Row{Node: tree.ThreadAt(0)}
	f := Facts{Life: t.Context(), Tree: tree, Cursor: row, Rows: []lazy.Row{row}, Now: time.Unix(1000, 0)}
	p := New(r, e)
	if p.Busy() || p.Text(f) != "" {
		t.Error("busy at the start")
	}
	cmd := p.Settle(f, 1, true)
	if cmd == nil || !p.Children.Busy() || p.Calls.busy || !strings.HasPrefix(p.Text(f), "counting") {
		t.Fatalf("%q; children %v, calls %v", p.Text(f), p.Children.Busy(), p.Calls.busy)
	}
	p.Update(cmd().(Msg))
	for cmd = p.Settle(f, 1, true); p.Children.Busy(); cmd = p.Settle(f, 1, true) {
		p.Update(cmd().(Msg))
	}
	if !p.Calls.busy || p.Busy() {
		t.Error("the calls are not counted, or a short count is mentioned")
	}
	p.Calls.turns = callsTurns
	if p.Text(f) != "counting calls 0 %" || !p.Stop(f) || p.Text(f) != "" {
		t.Errorf("%q", p.Text(f))
	}
	p.Update(cmd().(Msg))
}
