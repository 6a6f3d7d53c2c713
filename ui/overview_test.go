package ui

import (
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/uitest"
)

// TestOverview: the list of the overview says what the command says, and each of its lines leads where it is about.
func TestOverview(t *testing.T) {
	r := uitest.Recorded(t, "gson.stream")
	view := query.NewOverview(r, 0)
	if err := view.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want := view.Facts(&display.Unicode).Lines(&display.Unicode)
	d := drive(t, r, 120, 60, Options{})
	if d.keys("I").has("─ overview gson.stream.bin "); strings.Contains(d.screen(), "partial") {
		t.Error("it is not complete:\n" + d.screen())
	}
	for i, l := range want {
		d.has(l.Text[:l.Bar], l.Text[l.Bar:]) // a bar may be there
		if !l.Leads && l.Command == "" {
			continue
		}
		for range i {
			d.keys("j")
		}
		d.keys("enter")
		switch {
		case l.Command != "":
			if d.m.env.Front.List() == nil {
				t.Errorf("%q shows no answer: %s", l.Text, message(d))
			}
		case l.At.Event >= 0 && d.m.tree.Out.Cursor.Node.Point().Event != l.At.Event:
			t.Errorf("%q leads to %s, not event %d", l.Text, d.cursorText(), l.At.Event)
		}
		d.keys("I g")
	}
}

// TestWelcome: a wide window shows the overview beside a trace that has just been opened, until a key is pressed.
func TestWelcome(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.stream"), 160, 40, Options{})
	d.has("─ overview ", "most calls")
	if d.keys("j"); !d.m.details.On() || strings.Contains(d.screen(), "overview") {
		t.Error(d.screen())
	}
	h := lazy.EventHandle(5)
	d = drive(t, uitest.Recorded(t, "gson.stream"), 160, 40, Options{At: &h})
	if d.has("─ details ", "event      #5"); strings.Contains(d.screen(), "overview") {
		t.Error("not the row that was asked for:\n" + d.screen())
	}
	if d = drive(t, uitest.Recorded(t, "gson.stream"), 159, 40, Options{}); d.m.details.On() {
		t.Error("the details are open in a window of 159 columns")
	}
	d = drive(t, uitest.Recorded(t, "gson.stream"), 160, 40, Options{})
	d.keys("d").has("─ details ", "kind       call") // of the row, in place of the overview
}
