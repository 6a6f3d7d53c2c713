package ui

import (
	"fmt"
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestCompare: = on two rows shows what the command prints, at each width. A is then forgotten.
func TestCompare(t *testing.T) {
	for _, width := range []int{60, 100, 160} {
		d := onEvent(t, "gson.stream", width, 20, 106)
		r := d.m.env.Trace.Reader
		d.keys("=").has("A is #106")
		d.keys("J =").has(" 6 events")
		d.golden(fmt.Sprint("compare-", width))
		c, err := query.NewCompare(r, query.Scope{}, lazy.EventHandle(106), lazy.EventHandle(115))
		if err == nil {
			err = c.Run(t.Context(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(d.screen(), "\n")
		for i, line := range printed(t, c.Table(query.View{Done: 1, G: &display.Unicode}), screen.Inside(width)-2)[1:6] {
			if got, want := words(strings.TrimPrefix(lines[i+3], "▌")), words(line); got != want {
				t.Errorf("line %d:\n%s\nthe command prints\n%s", i+1, got, want)
			}
		}
		shown := d.screen()
		d.keys("esc")
		if strings.Contains(d.screen(), "A is ") {
			t.Errorf("A is still remembered:\n%s", d.screen())
		}
		if d.keys(":").typed("compare #106 115").keys("enter"); d.screen() != shown {
			t.Errorf(":compare shows\n%s\nand =\n%s", d.screen(), shown)
		}
	}
}

// TestCompareKeys: rows lead to their places, to the calls of their methods, and to the comparison the other
// way round.
func TestCompareKeys(t *testing.T) {
	d := onEvent(t, "gson.stream", 120, 30, 106).keys("= J =")
	if d.keys("g enter"); d.m.env.Front.List() != nil || eventOf(d) != 108 {
		t.Fatalf("the first place of A is not #%d", eventOf(d))
	}
	d.keys(":").typed("compare 106 115").keys("enter g j j j enter")
	if d.m.env.Front.List() != nil || eventOf(d) != 119 {
		t.Fatalf("the second place of B is not #%d", eventOf(d))
	}
	d.keys(":").typed("compare 106 115").keys("enter G").has("Class.isAssignableFrom")
	d.keys("enter").has("below #106: calls of Class.isAssignableFrom", "1 call").keys("esc")
	d.keys("b").has("below #115", "no calls").keys("esc")
	d.keys("x").has("A #115 ", "B #106 ").keys("esc s").has("▼ calls B-A")
	d.keys("g a").has("this row is no method")
}

// TestCompareRefuses: A can be forgotten, and rows without anything below them are not compared.
func TestCompareRefuses(t *testing.T) {
	d := onEvent(t, "gson.stream", 100, 20, 106).keys("=").has("= on another row compares them", "A is #106")
	d.keys("=").has("A is forgotten")
	if strings.Contains(d.keys("j").screen(), "A is #106") {
		t.Error("it is not")
	}
	d = onEvent(t, "gson.stream", 100, 20, 112).keys("=").has("compare takes a call, a loop, an iteration or a thread")
	d.keys(":").typed("compare 1 2 3").keys("enter").has("two events at most").keys("esc")
	d.keys(":").typed("compare x").keys("enter").has("x names no event").keys("esc")
	d.keys(":").typed("compare 106 112").keys("enter").has("#112 is no call, loop or iteration").keys("esc")
	d.keys(":").typed("range #100..#200").keys("enter :").typed("compare 106 115").keys("enter").has("a part of the recording cannot be compared")
}

// TestCompareThreads: threads are compared as wholes.
func TestCompareThreads(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 100, 24, Options{})
	d.keys("tab =").has("A is @2").keys("tab =").has("A Thread 2 (worker-1)", "B Thread 3")
}
