package ui

import (
	"bytes"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestPrintCommand: the details have the command that prints what is at the
// cursor, as it is shown: with the number that `:` goes to.
func TestPrintCommand(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin", "gson.stream.bin.idx")
	d := drive(t, uitest.Open(t, path, lazy.Options{}), 200, 40, Options{})
	d.keys("1 0 j")
	n := d.m.out.cursor.Node
	event := n.Point().Event
	if got, want := d.m.printCommand(n), "tracex print --event "+screen.Grouped(int64(event))+" "+path; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d.keys("r g j")
	if got, want := d.m.printCommand(d.m.out.cursor.Node), "tracex print --raw --event 0 --subtree "+path; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d = drive(t, uitest.Open(t, path, lazy.Options{}), 200, 40, Options{Name: "standard input"})
	d.keys("j d").has("event      1", "print      tracex print --event 1 FILE", "depth      1")
	d.keys(": 4 2 enter").has("print      tracex print --event 42 FILE")
}

// TestGoToFolded: going to an event that folding hides says where it went.
func TestGoToFolded(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "kotlin.dump"), 120, 30, Options{})
	d.keys(": 3 enter").has("event 3 is folded into event 4; r shows it")
	if got := d.m.out.cursor.Node.Point().Event; got != 4 {
		t.Errorf("at event %d", got)
	}
	d.keys(": 4 enter")
	if strings.Contains(d.screen(), "is folded") {
		t.Error("event 4 is said to be folded")
	}
	d.keys("r : 3 enter")
	if got := d.m.out.cursor.Node.Point().Event; got != 3 || strings.Contains(d.screen(), "is folded") {
		t.Errorf("raw: at event %d", got)
	}
}

// TestSamePlaces: for each of some events, what the details' command prints is
// the row.
func TestSamePlaces(t *testing.T) {
	r := uitest.Recorded(t, "threads.stream")
	d := drive(t, r, 160, 30, Options{})
	for _, event := range []string{"0", "30", "500", "1234", "2524"} {
		d.keys(": " + strings.Join(strings.Split(event, ""), " ") + " enter")
		n := d.m.out.cursor.Node
		text, _ := d.m.text(n)
		var out bytes.Buffer
		if err := r.PrintEvent(t.Context(), &out, lazy.PrintOptions{Folded: true}, n.Point().Event, false, lazy.Part{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(out.String(), "\n"); got != text || !strings.Contains(d.screen(), " event "+screen.Grouped(int64(n.Point().Event))+" ") {
			t.Errorf("event %s: printed %q, shown %q", event, got, text)
		}
	}
}

// TestNoPlaces: v shows no place where none was recorded, and says so.
func TestNoPlaces(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "allkinds.dump"), 120, 30, Options{})
	d.keys("v")
	rows := 0
	for _, row := range d.m.out.rows {
		if n := row.Node; n != nil && n.Point() != nil {
			rows++
			if text, _ := d.m.text(n); strings.HasSuffix(text, " at :0") {
				t.Errorf("%q", text)
			}
		}
	}
	if rows == 0 || !strings.Contains(d.screen(), " at All.kt:10") {
		t.Errorf("%d rows\n%s", rows, d.screen())
	}
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 10})
	r := uitest.Open(t, path, lazy.Options{})
	if d = drive(t, r, 120, 30, Options{}); !d.m.placeless() {
		d.keys("v")
		if strings.Contains(d.screen(), "does not say where") {
			t.Error(d.screen())
		}
	}
}
