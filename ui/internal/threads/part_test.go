package threads

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestPart: the work of the list runs in the background while the list is shown.
func TestPart(t *testing.T) {
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Width = 80
	p := NewPart(uitest.Recorded(t, "threads.stream"), e, new(goroutines.Cache))
	if p.Settle(10) != nil || p.Busy() || p.List() != nil {
		t.Error("it works without a list")
	}
	l := p.Open(0)
	if l != p.List() || l.Count() != 6 {
		t.Errorf("%d threads", l.Count())
	}
	l.HandleKey(tea.KeyPressMsg{Code: 's', Text: "s"})
	cmd := p.Settle(10)
	if cmd == nil || !p.Busy() {
		t.Fatal("it does not sort")
	}
	p.Update(cmd().(Msg))
	p.Settle(10)
	if title := l.View(80, 10, &screen.Unicode)[0]; p.Busy() || !strings.Contains(title, "by name") {
		t.Errorf("%q", title)
	}
	l.HandleKey(tea.KeyPressMsg{Code: 's', Text: "s"})
	cmd = p.Settle(10)
	p.Close()
	p.Update(cmd().(Msg))
	if p.Busy() || p.List() != nil || p.Settle(10) != nil {
		t.Error("it works on after the list is closed")
	}
}
