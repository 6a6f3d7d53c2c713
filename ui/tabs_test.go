package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/uitest"
)

// given is a trace that is open, or cannot be opened.
type given struct {
	path string
	r    *lazy.LazyTraceReader
	err  error
}

func (g *given) Path() string { return g.path }
func (g *given) Open(context.Context) (*lazy.LazyTraceReader, Options, error) {
	return g.r, Options{Unicode: true}, g.err
}

// tabbed shows traces in tabs, and has the first one open.
func tabbed(t *testing.T, all ...Trace) (*Tabs, []tea.Cmd) {
	t.Helper()
	tabs := &Tabs{ctx: t.Context()}
	for i, name := range tabNames(all) {
		tabs.list = append(tabs.list, &tab{trace: all[i], name: name})
	}
	r, o, _ := all[0].Open(t.Context())
	tabs.adopt(0, r, o)
	tabs.asked = tabs.list[0].model
	t.Cleanup(func() {
		for _, tab := range tabs.list {
			if tab.model != nil {
				tab.model.env.Close()
			}
		}
	})
	tabs.Update(tea.WindowSizeMsg{Width: 120, Height: 20})
	batch, _ := tabs.Init()().(tea.BatchMsg)
	return tabs, batch
}

func shows(t *testing.T, tabs *Tabs, text string) {
	t.Helper()
	if screen := ansi.Strip(tabs.View().Content); !strings.Contains(screen, text) {
		t.Errorf("no %q in\n%s", text, screen)
	}
}

// TestTabs: each trace is in a tab with a state of its own; keys, numbers, names and clicks show one.
func TestTabs(t *testing.T) {
	bad := &given{path: "bad.bin", err: errors.New("not a trace at all")}
	tabs, todo := tabbed(t, &given{path: "x/a.bin", r: uitest.Recorded(t, "gson.dump")}, bad, &given{path: "y/a.bin", r: uitest.Recorded(t, "threads.stream")})
	shows(t, tabs, "[1 x/a.bin] 2 bad.bin  3 y/a.bin ")
	tabs.Update(keys.Press("ctrl+t"))
	shows(t, tabs, "opening bad.bin")
	for _, cmd := range todo[1:] {
		tabs.Update(cmd())
	}
	shows(t, tabs, "[2 ⚠ bad.bin] 3 y/a.bin")
	shows(t, tabs, "⚠ not a trace at all")
	if _, cmd := tabs.Update(keys.Press("q")); cmd == nil || cmd() != (tea.QuitMsg{}) {
		t.Error("q does not quit where nothing is open")
	}
	tabs.Update(keys.Press("3"))
	tabs.Update(keys.Press("ctrl+t"))
	shows(t, tabs, "[3 y/a.bin]")
	shows(t, tabs, "6 threads")
	tabs.Update(keys.Press("j"))
	row := tabs.asked.tree.Out.Line
	tabs.Update(tea.MouseClickMsg{X: 3, Y: 0, Button: tea.MouseLeft})
	shows(t, tabs, "[1 x/a.bin]")
	for _, cmd := range []string{":", "t", "r", "a", "c", "e", "space", "y", "/", "a", ".", "b", "i", "n", "enter"} {
		tabs.Update(keys.Press(cmd))
	}
	shows(t, tabs, "[3 y/a.bin]")
	if got := tabs.asked.tree.Out.Line; got != row {
		t.Errorf("the cursor is on line %d, not %d", got, row)
	}
	if _, err := tabs.find("z"); err == nil || err.Error() != "no trace z; there are 1 to 3: x/a.bin, bad.bin, y/a.bin" {
		t.Error(err)
	}
}

// TestTabsRoute: what a command delivers is for the tab that it is of, also in a batch or a sequence; what is for Bubble
// Tea stays as it is.
func TestTabsRoute(t *testing.T) {
	tabs, of := &Tabs{}, new(tab)
	one := func() tea.Msg { return keys.Depth{} }
	for _, cmd := range []tea.Cmd{tea.Batch(one, tea.Quit), tea.Sequence(one, tea.Quit)} {
		msg := tabs.own(of, cmd)()
		var all []tea.Msg
		for _, c := range asCommands(msg) {
			all = append(all, c())
		}
		if !slices.Equal(all, []tea.Msg{owned{of, keys.Depth{}}, tea.QuitMsg{}}) {
			t.Errorf("%T: %v", msg, all)
		}
	}
}

// TestTabsLate: a message of a tab that is not shown changes only that tab.
func TestTabsLate(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	tabs, todo := tabbed(t, &given{path: "a", r: r}, &given{path: "b", r: r})
	for _, cmd := range todo[1:] {
		tabs.Update(cmd())
	}
	other := tabs.list[1].model
	tabs.Update(owned{tabs.list[1], keys.Press("j")})
	if at := tabs.list[0].model.env.Keyboard.Touched; at {
		t.Error("the tab that is shown has got what is for the other")
	}
	if !other.env.Keyboard.Touched {
		t.Error("the message is lost")
	}
}

// TestTabsClose: a tab is closed, also one that could not be opened; the last that could is not. What comes late is dropped.
func TestTabsClose(t *testing.T) {
	bad := &given{path: "bad.bin", err: errors.New("not a trace at all")}
	r := uitest.Recorded(t, "gson.dump")
	tabs, todo := tabbed(t, &given{path: "a.bin", r: r}, bad, &given{path: "c.bin", r: r})
	for _, cmd := range todo[1:] {
		tabs.Update(cmd())
	}
	closed := tabs.list[0]
	tabs.Update(keys.Press("X"))
	shows(t, tabs, "[1 ⚠ bad.bin] 2 c.bin")
	if closed.model.env.Life.Err() == nil {
		t.Error("its work goes on")
	}
	tabs.Update(owned{closed, keys.Press("ctrl+t")})
	shows(t, tabs, "[1 ⚠ bad.bin] 2 c.bin")
	tabs.Update(keys.Press("ctrl+t"))
	tabs.Update(keys.Press("X"))
	shows(t, tabs, "no other trace is open: q quits")
	tabs.Update(keys.Press("1"))
	tabs.Update(keys.Press("X"))
	shows(t, tabs, " gson.dump.bin  1 thread")
	shows(t, tabs, "closed bad.bin")
}

func TestTabNames(t *testing.T) {
	got := tabNames([]Trace{&given{path: "/r/x/a.bin"}, &given{path: "b.bin"}, &given{path: "/r/y/a.bin"}, &given{path: "a.bin"}})
	if want := []string{"x/a.bin", "b.bin", "y/a.bin", "a.bin"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestTabsOverLists: the key of the next tab is one in every list, as long as no text is typed there.
func TestTabsOverLists(t *testing.T) {
	tabs, _ := tabbed(t, &given{path: "a.bin", r: uitest.Recorded(t, "gson.dump")}, &given{path: "b.bin"})
	for _, open := range []string{"t", "?", "T", "I", "T ?", "V V"} {
		tabs.show(0)
		for _, key := range strings.Fields(open) {
			tabs.Update(keys.Press(key))
		}
		if tabs.asked.env.Front.List() == nil {
			t.Fatalf("%s opens nothing", open)
		}
		if tabs.Update(keys.Press("ctrl+t")); tabs.shown != 1 {
			t.Errorf("ctrl+t does nothing over the list of %s", open)
		}
		tabs.asked.env.Front.CloseLists()
	}
	tabs.show(0)
	for _, key := range []string{"t", "/", "ctrl+t"} {
		tabs.Update(keys.Press(key))
	}
	if tabs.shown != 0 {
		t.Error("ctrl+t leaves a text that is being typed")
	}
}

// TestTabsReturned: that the editor has failed is said in the tab that started it.
func TestTabsReturned(t *testing.T) {
	tabs, todo := tabbed(t, &given{path: "a.bin", r: uitest.Recorded(t, "gson.dump")}, &given{path: "b.bin", r: uitest.Recorded(t, "threads.stream")})
	tabs.Update(todo[1]())
	msg := env.Returned{By: tabs.list[1].model.env, What: "the editor failed", Err: errors.New("exit status 3")}
	tabs.Update(msg)
	if text, _ := tabs.list[0].model.env.Status.Message(); text != "" {
		t.Errorf("the tab that is shown says %q", text)
	}
	tabs.show(1)
	shows(t, tabs, "the editor failed: exit status 3")
}

// TestTabsFocus: every tab knows whether the terminal has the focus, also one that is opened later.
func TestTabsFocus(t *testing.T) {
	tabs, todo := tabbed(t, &given{path: "a.bin", r: uitest.Recorded(t, "gson.dump")}, &given{path: "b.bin", r: uitest.Recorded(t, "threads.stream")})
	if !tabs.View().ReportFocus {
		t.Error("the terminal is not asked to tell")
	}
	tabs.Update(tea.BlurMsg{})
	tabs.Update(todo[1]())
	for _, msg := range []tea.Msg{nil, tea.FocusMsg{}} {
		tabs.Update(msg)
		for i, tab := range tabs.list {
			if tab.model.env.Status.Away != (msg == nil) {
				t.Errorf("tab %d after %T: away %v", i, msg, tab.model.env.Status.Away)
			}
		}
	}
}
