package ui

import (
	"context"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/uitest"
)

// TestPendingSettles shows a trace without index before all of it is known. Afterwards nothing
// still waits for its end.
func TestPendingSettles(t *testing.T) {
	for _, name := range []string{"crash.stream.bin", "blocks.stream.bin", "gson.dump.bin"} {
		r, err := lazy.Open(formattest.Unpack(t, name), lazy.Options{NoWrite: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		d := drive(t, r, 100, 24, Options{})
		// If it is not settled now, it was not settled before either.
		about := strings.Join(d.m.frame.header.About, " ")
		if !d.m.env.Trace.Settled() && !strings.Contains(about, "≥ ") {
			t.Errorf("%s: the number of calls reads as if all were known: %q", name, about)
		}
		d.keys("l j l j l j l")
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.send(env.TraceChanged{})
		d.keys("g")
		for _, row := range d.m.tree.Out.Rows {
			if row.Node != nil && row.Node.State() == lazy.StatePending {
				text, _ := d.m.tree.Out.Text(row.Node)
				t.Errorf("%s: %q still waits for its end", name, text)
			}
		}
		if about = strings.Join(d.m.frame.header.About, " "); strings.Contains(about, "≥ ") {
			t.Errorf("%s: all is known, but it says %q", name, about)
		}
		if strings.Contains(d.screen(), "rebuilding") {
			t.Errorf("%s: still rebuilding:\n%s", name, d.screen())
		}
	}
}

// stopLoads cancels all loads, as Esc does, until the function that it returns is called.
func (d *driver) stopLoads() (resume func()) {
	life := d.m.env.Life
	ctx, cancel := context.WithCancel(life)
	cancel()
	d.m.env.Life = ctx
	d.m.tree.StopLoading()
	return func() {
		d.m.env.Life = life
		d.m.tree.StopLoading()
	}
}

// TestStopLoading shows in the row that loading was stopped, and loads at Enter.
func TestStopLoading(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("j j j")
	resume := d.stopLoads()
	d.keys("l").has("stopped; Enter loads it")
	resume()
	d.keys("j enter").has("factories.size(): 0")
	if strings.Contains(d.screen(), "Enter loads it") {
		t.Error("the row is still there")
	}
}

// TestHugeNode goes to the end of a node with many children and back, and shows its count
// once it is known.
func TestHugeNode(t *testing.T) {
	const n = 200_000
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.WideLeaves, N: n, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.has("200,0")
	d.keys("G")
	if p := d.m.tree.Out.Cursor.Node.Fraction(); p < 0.99 {
		t.Errorf("G goes to %f", p)
	}
	d.keys("pgup pgup g")
	if st := d.m.tree.Out.Tree.Stats(); st.Loaded > 2000 {
		t.Errorf("%d rows were loaded", st.Loaded)
	}
}
