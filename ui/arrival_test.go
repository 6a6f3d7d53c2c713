package ui

import (
	"os"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// TestArrivalWithoutTimes: a Go trace that was copied without its times says so when it is opened.
func TestArrivalWithoutTimes(t *testing.T) {
	path := formattest.Demo(t)
	if err := os.Remove(path + format.TimesSuffix); err != nil {
		t.Fatal(err)
	}
	d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 120, 24, Options{})
	d.has("no times: shop.bin.tim is not there; copy it beside the trace, unless it was recorded with --no-times")
	if d.keys("j"); strings.Contains(d.screen(), "no times") {
		t.Error("it is said twice")
	}
	d.command("20ms").has("no times: shop.bin.tim is not there")
}

// TestArrival: the explorer begins at the address that it was given.
func TestArrival(t *testing.T) {
	r := uitest.Recorded(t, "threads.stream")
	h := lazy.EventHandle(1234)
	d := drive(t, r, 100, 24, Options{At: &h})
	n := d.m.tree.Out.Cursor.Node
	if n.Point() == nil || n.Point().Event != 1234 {
		t.Fatalf("at %q", d.cursorText())
	}
	d.has(" #1234 ")
	exact := lazy.PositionHandle(n.Position())
	if d = drive(t, r, 100, 24, Options{At: &exact}); d.m.tree.Out.Cursor.Node.Point().Event != 1234 {
		t.Errorf("%s is %q", exact, d.cursorText())
	}
	thread := lazy.PositionHandle(lazy.Position{Thread: 2, At: -1})
	if d = drive(t, r, 100, 24, Options{At: &thread}); !d.m.tree.Out.Cursor.Node.IsThread() || d.m.tree.Out.Cursor.Node.Thread() != 2 {
		t.Errorf("%s is %q", thread, d.cursorText())
	}
	h = lazy.EventHandle(999_999)
	d = drive(t, r, 100, 24, Options{At: &h})
	d.has("no event 999999 in the trace")
	if first := d.m.tree.Out.Tree.ThreadAt(0); !d.m.tree.Out.Tree.IsExpanded(first) {
		t.Error("without the place, the first thread is not open")
	}
}

// TestArrivalFolded: an address of an event that folding hides leads to what it became part of.
func TestArrivalFolded(t *testing.T) {
	h := lazy.EventHandle(3)
	d := drive(t, uitest.Recorded(t, "kotlin.dump"), 120, 30, Options{At: &h})
	d.has("event 3 is folded into event 4; r shows it")
	d = drive(t, uitest.Recorded(t, "kotlin.dump"), 120, 30, Options{At: &h, Raw: true})
	d.has(" #3 ")
}

// TestSameNumberTwice: where threads number their events on their own, the explorer says so and
// copies an address that is exact.
func TestSameNumberTwice(t *testing.T) {
	w := formattest.NewBuilder(t)
	x := w.Variable("x")
	for id := range int32(2) {
		w.Event = 5 * id
		w.Thread(id)
		for range 10 {
			w.Access(format.ClassVariableRead, -1, x)
		}
	}
	r := uitest.Open(t, w.File(), lazy.Options{NoWrite: true})
	d := drive(t, r, 120, 24, Options{Path: "my.bin"})
	d.keys(": # 7 enter").has("this is @1+", "; other events have the same number, in thread 2")
	at := lazy.PositionHandle(d.m.tree.Out.Cursor.Node.Position()).String()
	d.keys("@").has("sent the address to the terminal (OSC 52): my.bin" + at)
	d.keys(":").typed(at).keys("enter").has(" #7 ")
	d.keys(": # 2 enter @").has("sent the address to the terminal (OSC 52): 'my.bin#2'")
	d.keys(":").typed("@2+0").keys("enter")
	if n := d.m.tree.Out.Cursor.Node; n.Thread() != 1 || n.Point().Event != 5 {
		t.Errorf("at %q", d.cursorText())
	}
	d.keys(":").typed("@9").keys("enter").has("no thread 9 in the trace")
}
