package ui

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// TestReturn: where Enter in a table has led to the tree, Esc leads back to the table as it was left.
func TestReturn(t *testing.T) {
	for keys, name := range map[string]string{
		"T j j j j j j j j j j j j j j j j j j j j j j": "top", "! j": "exceptions", "a j j": "calls of Libs.gson()",
		"w": "callers of Libs.gson", "t": "threads", "I j j j j j j j j": "overview", "/ p e e k enter M j j": "hits",
		"I j j j enter j": "top", "V V": "flame", "j j : t o p space h e r e enter": "top",
	} {
		d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{}).keys(keys)
		list := d.m.env.Front.List()
		view := strings.Join(list.View(90, 14, d.m.env.Glyphs), "\n")
		if name == "flame" {
			d.keys("space")
		} else {
			d.keys("enter")
		}
		if d.m.env.Front.List() != nil || !strings.Contains(d.bottom(), "Esc back to "+name) {
			t.Errorf("%s enter: %q", keys, d.bottom())
		}
		d.keys("j j j ? esc esc")
		if d.m.env.Front.List() != list {
			t.Errorf("%s enter esc:\n%s", keys, d.screen())
		} else if back := strings.Join(list.View(90, 14, d.m.env.Glyphs), "\n"); back != view {
			t.Errorf("%s enter esc:\n%s\nbefore:\n%s", keys, back, view)
		}
		if d.keys("esc esc esc"); d.m.env.Front.List() != nil || d.m.env.Front.Back() != "" {
			t.Errorf("%s: Esc does not leave the table:\n%s", keys, d.screen())
		}
	}
}

// TestReturnOrder: Esc ends what was begun in the tree first; a table opened since takes the place of the one before.
func TestReturnOrder(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{}).keys("d T enter / p e e k enter")
	if strings.Contains(d.bottom(), "back to") {
		t.Errorf("while a search is on: %q", d.bottom())
	}
	if d.keys("esc"); d.m.search.Some() || d.m.env.Front.List() != nil {
		t.Error("Esc does not end the search first")
	}
	if d.keys("esc"); d.m.env.Front.List() == nil || !d.m.details.On() {
		t.Error("Esc does not lead back before it hides the details")
	}
	d.resize(80, 20)
	if d.keys("esc & m e t h o d = p e e k enter T enter"); !strings.Contains(d.bottom(), "Esc back to top") {
		t.Errorf("at 80 columns: %q", d.bottom())
	}
	d.resize(40, 10)
	if !strings.Contains(d.bottom(), "Esc back") {
		t.Errorf("without the line of keys: %q", d.bottom())
	}
	if d.keys("esc esc esc T enter ! q"); d.m.env.Front.Back() != "" {
		t.Error("Esc leads back to a table from before another one")
	}
}

// TestReturnNowhere: Enter on a line of the overview that leads nowhere says so and leaves the overview open.
func TestReturnNowhere(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{}).keys("I enter").has("this line leads nowhere")
	if d.m.env.Front.List() != d.m.overview {
		t.Error("the overview is closed")
	}
}

// TestReturnStops: what Esc does next is told: as long as something runs it stops that.
func TestReturnStops(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{}).keys("T enter")
	d.m.env.Patience = 0
	d.m.env.Start()
	d.m.tree.Jobs.Run("going there", "", func(ctx context.Context, _ lazy.Progress) (func() tea.Cmd, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if d.keys("j"); strings.Contains(d.bottom(), "Esc back") {
		t.Errorf("while work runs: %q", d.bottom())
	}
	if d.keys("esc j"); !strings.Contains(d.bottom(), "Esc back to top") {
		t.Errorf("afterwards: %q", d.bottom())
	}
}

// TestReturnList: a list without a name keeps the way back; while the tour is on, Esc ends that.
func TestReturnList(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{}).keys("T enter z : s t e p s enter")
	if d.m.env.Front.List() == nil {
		t.Fatal("no list of steps")
	}
	if d.keys("esc"); d.m.env.Front.Back() != "top" {
		t.Errorf("it leads back to %q", d.m.env.Front.Back())
	}
	d = drive(t, uitest.Recorded(t, "gson.dump"), 120, 30, Options{Tour: true}).keys("T enter")
	if d.m.env.Front.Back() != "top" || strings.Contains(d.bottom(), "Esc back") {
		t.Errorf("with the tour: %q", d.bottom())
	}
}

// TestReturnWorks: what a list does in the background goes on after the way to the tree and back, or below another list.
func TestReturnWorks(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.dump"), 100, 20, Options{})
	for _, keys := range []string{"t", "? esc", "enter esc"} {
		before := d.keys(keys).screen()
		if after := d.keys("s").screen(); after == before || strings.Contains(after, ", sorting") {
			t.Errorf("%s s does not sort the threads:\n%s", keys, before)
		}
	}
}

// TestReturnEdited: a step taken in the tree is in the table when Esc leads back to it, also in one below another.
func TestReturnEdited(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{})
	if screen := d.keys("T enter z esc").screen(); !strings.Contains(screen, ": top · by own events") {
		t.Errorf("a step in the tree is not in the table:\n%s", screen)
	}
	if screen := d.keys("a Z q").screen(); strings.Contains(screen, ": top") || !strings.Contains(screen, " top · by own events") {
		t.Errorf("a step undone in the table above is still in the table:\n%s", screen)
	}
}
