package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// TestGoToFolded: going to an event that folding hides tells where it went.
func TestGoToFolded(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "kotlin.dump"), 120, 30, Options{})
	d.keys(": 3 enter").has("event 3 is folded into event 4; r shows it")
	if got := d.m.tree.Out.Cursor.Node.Point().Event; got != 4 {
		t.Errorf("at event %d", got)
	}
	d.keys(": 4 enter")
	if strings.Contains(d.screen(), "is folded") {
		t.Error("event 4 is said to be folded")
	}
	d.keys("r : 3 enter")
	if got := d.m.tree.Out.Cursor.Node.Point().Event; got != 3 || strings.Contains(d.screen(), "is folded") {
		t.Errorf("raw: at event %d", got)
	}
}

// TestPrintsSameRow: for several events, the command in the details prints the row.
func TestPrintsSameRow(t *testing.T) {
	r := uitest.Recorded(t, "threads.stream")
	d := drive(t, r, 160, 30, Options{})
	for _, event := range []string{"0", "30", "500", "1234", "2524"} {
		d.keys(": " + strings.Join(strings.Split(event, ""), " ") + " enter")
		n := d.m.tree.Out.Cursor.Node
		text, _ := d.m.tree.Out.Text(n)
		var out bytes.Buffer
		if err := r.PrintEvent(t.Context(), &out, lazy.PrintOptions{Folded: true}, n.Point().Event, false, lazy.PrintRange{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(out.String(), "\n"); got != text || !strings.Contains(d.screen(), " #"+event+" ") {
			t.Errorf("event %s: printed %q, shown %q", event, got, text)
		}
	}
}

// TestGoTo types addresses.
func TestGoTo(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 80, 24, Options{})
	d.keys(":").typed("event 42").keys("enter")
	if p := d.m.tree.Out.Cursor.Node.Point(); p == nil || p.Event != 42 {
		t.Errorf("at %q", d.cursorText())
	}
	d.keys(":").typed("t3").keys("enter")
	if n := d.m.tree.Out.Cursor.Node; !n.IsThread() || n.Thread() != 2 {
		t.Errorf("at %q", d.cursorText())
	}
	d.keys(":").typed("100%").keys("enter")
	if n := d.m.tree.Out.Cursor.Node; n.Thread() != 2 || n.Fraction() < 0.4 {
		t.Errorf("at %q, %f", d.cursorText(), n.Fraction())
	}
	if strings.Contains(d.screen(), "past the end") {
		t.Error("100% is past the end")
	}
	end := d.cursorText()
	d.keys(":").typed("150%").keys("enter").has("150% is past the end of the thread: this is the end")
	if got := d.cursorText(); got != end {
		t.Errorf("at %q, want %q", got, end)
	}
	d.keys(":").typed("thread 99").keys("enter").has("no thread 99: the threads are 1 to 6")
	d.keys(":").typed("999,999,999").keys("enter").has("no event 999999999 in the trace")
	d.keys(":").typed("somewhere").keys("enter").has("no command somewhere; the nearest are ").keys("esc")
	d.keys(": esc").has("? keys")
	if d.keys(":").typed("q").keys("enter"); !d.quit {
		t.Error(":q does not quit")
	}
}

// TestGoToTime goes to a time, and to times before the first and after the last call.
func TestGoToTime(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 500, Seed: 3, Timed: true}), lazy.Options{NoWrite: true})
	d := drive(t, r, 100, 24, Options{}).keys("e e e G")
	n := d.m.tree.Out.Cursor.Node
	for n.Leaf() {
		n = n.Parent()
	}
	at, ok := n.Time()
	if !ok {
		t.Fatal("no time")
	}
	d.keys("g :").typed(fmt.Sprintf("%dns", at.Start+at.Duration/2)).keys("enter")
	got, _ := d.m.tree.Out.Cursor.Node.Time()
	if middle := at.Start + at.Duration/2; got.Start > middle || got.End() < middle || got.Duration > at.Duration {
		t.Errorf("went to %+v, expected one within %+v", got, at)
	}
	d.keys(":").typed("9h").keys("enter").has("32,400 s (9h 00m) is after the last call that has ended in this thread")
	demo := drive(t, uitest.Open(t, formattest.Demo(t), lazy.Options{NoWrite: true}), 160, 24, Options{})
	demo.command("0")
	began, _ := demo.m.tree.Out.Cursor.Node.Time()
	demo.command("t2").command(fmt.Sprintf("%dns", began.Start+1)).has("this is what thread 1 did: no call of the other thread was open at")
	if n := demo.m.tree.Out.Cursor.Node; n.Thread() != 0 {
		t.Errorf("it stays in thread %d", n.Thread()+1)
	}
	demo.command("1ns").has("no call is known that was open at 1 ns: this is the next in this thread")
	untimed := drive(t, uitest.Recorded(t, "threads.stream"), 80, 24, Options{})
	untimed.keys(":").typed("1ms").keys("enter").has("this trace has no times")
}

// TestEnds: 0 % is the first event of a thread, and shown as that; 100 % leads to the last one.
func TestEnds(t *testing.T) {
	d := drive(t, uitest.Open(t, formattest.Demo(t), lazy.Options{NoWrite: true}), 100, 24, Options{})
	d.keys("g j").has("#0 · 0.0 %")
	d.keys(": 1 0 0 % enter")
	n := d.m.tree.Out.Cursor.Node
	if next, ok := d.m.tree.Out.Tree.Next(d.m.tree.Out.Cursor); n == nil || !n.Leaf() || ok && next.Depth > 0 {
		t.Errorf("100 %% leads to %q", d.cursorText())
	}
	var last int32
	r := d.m.env.Trace.Reader
	var all bytes.Buffer
	if err := r.Print(t.Context(), &all, lazy.PrintOptions{Folded: true, JSON: true}, lazy.PrintRange{Thread: new(int32)}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(all.String()) {
		var e struct{ Event *int32 }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Event != nil {
			last = *e.Event
		}
	}
	if n.Point().Event != last {
		t.Errorf("100 %% leads to #%d, the last event is #%d", n.Point().Event, last)
	}
}
