package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/uitest"
)

// TestViewerScreens: a text in JSON, and an object with its fields, which is reached from another event on it.
func TestViewerScreens(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	for _, story := range []struct {
		name          string
		width, height int
		event, keys   string
	}{
		{"viewer-100", 100, 30, "7698", "v"},
		{"viewer-60", 60, 24, "6278", "v tab >"},
		{"viewer-40", 40, 10, "6278", "v tab"},
	} {
		d := drive(t, r, story.width, story.height, Options{Name: "gson.dump.bin"}).keys(":").typed(story.event).keys("enter")
		d.keys(story.keys).golden(story.name)
	}
}

// TestViewerValues: v shows the value that tells most of a row, Tab the others; Enter in the details shows that of the
// line. What was copied is the whole value.
func TestViewerValues(t *testing.T) {
	d := atEvent(t, uitest.Recorded(t, "gson.dump"), "6407")
	d.keys("v").has("─ result JsonElement · object · 2 of 2 · #6407 ─", "JsonObject@397416108")
	d.keys("tab").has("─ arg 1 json String · string · 1 of 2 · #6407 ─", `  "c":1e3`).keys("shift+tab").has(" 2 of 2 ").keys("tab")
	d.keys("x").has(`000000  7b 22 61 22 3a`).keys("x").has(`  "c":1e3`)
	if d.keys("y"); !strings.Contains(message(d), `sent the value to the terminal (OSC 52): {"a":[1,2`) {
		t.Error(message(d))
	}
	d.keys("/").typed("null").keys("enter").has(`"b":null`)
	if text := d.screen(); strings.Contains(text, "1e3") {
		t.Errorf("not filtered:\n%s", text)
	}
	if d.keys("esc esc"); d.m.env.Front.List() != nil {
		t.Error("Esc does not close it")
	}
	if d.keys("v v"); d.m.env.Front.List() != nil {
		t.Error("v does not close it")
	}
	d.resize(112, 60)
	d.keys("d ctrl+w w enter")
	if !strings.Contains(message(d), "no value in this line") {
		t.Error(message(d))
	}
	for range 40 {
		if d.keys("j enter"); d.m.env.Front.List() != nil {
			break
		}
	}
	d.has("─ arg 1 json String").keys("q")
	if d.keys("esc g v"); !strings.Contains(message(d), "this row has no value") {
		t.Error(message(d))
	}
}

// TestViewerEvents: < and > go from one event on an object to the next, with the object in view. Esc stops what looks
// for them.
func TestViewerEvents(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	d := atEvent(t, r, "6278").keys("v >")
	if !strings.Contains(message(d), "this value is no object") {
		t.Error(message(d))
	}
	at := func() string { return d.m.tree.Out.Cursor.Node.Handle().String() }
	d.keys("tab").has("stackSize = 3  #6137", "its fields, as this thread saw them last before #6278")
	d.keys(">").has("─ object · object · 1 of 2 · #6280, event ", "stackSize = 4  #6278")
	d.keys("<")
	if at() != "#6278" {
		t.Errorf("< leads to %s: %s", at(), message(d))
	}
	seen := map[string]bool{}
	for !seen[at()] {
		seen[at()] = true
		d.keys("<")
	}
	if len(seen) < 20 || !strings.Contains(message(d), "no event before this one on JsonReader@") {
		t.Errorf("%d events; %s", len(seen), message(d))
	}
	d.keys("[")
	if d.m.env.Front.List() == nil {
		t.Error("[ closes it")
	}

	d = atEvent(t, r, "6278").keys("v tab")
	d.m.env.Patience = 0
	_, cmd := d.m.Update(keys.Press(">"))
	d.has("looking for events on JsonReader@468797188   Esc stops")
	d.keys("esc")
	if d.run(cmd); at() != "#6278" || d.m.env.Front.List() == nil || message(d) != "stopped" {
		t.Errorf("at %s: %s", at(), message(d))
	}
}

// TestViewerDoubt: it says that a number may be that of several objects, and what a call threw; escape sequences are
// harmless.
func TestViewerDoubt(t *testing.T) {
	w := formattest.NewBuilder(t)
	run := w.Method("app.Shop", "run", formattest.IntType)
	w.Text(format.DoubtText(7))
	w.Point(&format.Point{Class: format.ClassCall, Location: -1, Ref: run, Diff: format.DiffNone, Target: format.Value{Kind: format.ValueObject, ClassID: w.Class("app.Shop"), Bits: 7}})
	w.Footer(format.ClassCall, &format.Footer{Result: format.Value{Kind: format.ValueVoid}, Threw: true, Exception: "panic: \x1b[2Jbad\ntwo"})
	d := drive(t, uitest.Open(t, w.File(), lazy.Options{NoWrite: true}), 100, 24, Options{})
	d.keys("j v").has("─ threw · 2 of 2 · #0", `panic: \x1b[2Jbad`, "│  two ")
	d.keys("tab").has("Shop@7  app.Shop, may be several objects", "none of its fields was written or read in recorded code before #0")
	d.keys("> <").has("no event before this one on Shop@7")
}

// TestViewerHostile: the values of each row of a trace with all kinds of characters, in windows of each size.
func TestViewerHostile(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 300, Seed: 7, Wild: true}), lazy.Options{NoWrite: true})
	for _, size := range [][2]int{{80, 24}, {40, 10}} {
		d := drive(t, r, size[0], size[1], Options{})
		d.keys("g E")
		for range 200 {
			for _, keys := range []string{"j v", "x", "tab", "x", "y", "esc"} {
				d.keys(keys).screen()
				for _, line := range strings.Split(d.m.View().Content, "\n") {
					if text := ansi.Strip(line); format.NeedsEscape(text) {
						t.Fatalf("%q", text)
					}
				}
			}
			d.m.env.Front.CloseLists()
		}
	}
}
