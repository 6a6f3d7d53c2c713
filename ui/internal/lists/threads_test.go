package lists

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
	"tracex/ui/internal/uitest"
)

// TestThreads: the work of the list runs in the background while the list is shown.
func TestThreads(t *testing.T) {
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Front.Area.Width = 80
	r := uitest.Recorded(t, "threads.stream")
	e.Trace = env.NewTrace(r, "", "")
	p := NewThreads(e, tree.New(e, true), &tree.Starts{Forests: new(goroutines.Cache)})
	if p.Settle(10) != nil || p.Busy() || e.Front.List() != nil {
		t.Error("it works without a list")
	}
	p.Show()
	l := e.Front.List().(*ThreadList)
	if l.Count() != 6 {
		t.Errorf("%d threads", l.Count())
	}
	l.HandleKey(tea.KeyPressMsg{Code: 's', Text: "s"})
	cmd := p.Settle(10)
	if cmd == nil || !p.Busy() {
		t.Fatal("it does not sort")
	}
	cmd().(env.Ran).Then()
	p.Settle(10)
	if title := l.View(80, 10, &screen.Unicode)[0]; p.Busy() || !strings.Contains(title, "by name") {
		t.Errorf("%q", title)
	}
	l.HandleKey(tea.KeyPressMsg{Code: 's', Text: "s"})
	cmd = p.Settle(10)
	e.Front.CloseLists()
	p.Settle(10)
	cmd().(env.Ran).Then()
	if p.Busy() || p.list != nil || p.Settle(10) != nil {
		t.Error("it works on after the list is closed")
	}
}
