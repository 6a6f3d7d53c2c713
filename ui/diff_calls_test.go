package ui

import (
	"strings"
	"testing"

	"tracex/ui/internal/uitest"
)

// calls shows a trace in which rows can be compared, with the cursor on an event.
func calls(t *testing.T, name, event string) *tabDriver {
	t.Helper()
	r := uitest.Recorded(t, name)
	return real(t, r, r, 130, 24).press(":").typed(event).settle()
}

// TestCompareRows: = on two rows and :compare show the same tab. A is then forgotten. A row of it leads to its place.
func TestCompareRows(t *testing.T) {
	d := calls(t, "gson.stream", "106").press("=")
	shows(t, d.tabs, "A is #106")
	d.press("J =").settle()
	shows(t, d.tabs, "[2 #106 ↔ #115]")
	shows(t, d.tabs, "5 differences · 3 edited · 2 removed")
	d.press("O").settle()
	shows(t, d.tabs, "[1 old.bin]")
	if text := d.tabs.View().Content; strings.Contains(text, "A is ") {
		t.Errorf("A is still remembered:\n%s", text)
	}
	d.press(":").typed("compare #106 115").settle()
	if shows(t, d.tabs, "[2 #106 ↔ #115]"); len(d.tabs.list) != 2 {
		t.Errorf("%d tabs: it is compared again", len(d.tabs.list))
	}
	d.press("=").settle()
	shows(t, d.tabs, "this is a diff of two traces already")
	d.press(":").typed("compare 1 2").settle()
	shows(t, d.tabs, "this is a diff of two traces already")
}

// TestCompareRefuses: A can be forgotten, and rows without anything below them are not compared.
func TestCompareRefuses(t *testing.T) {
	d := calls(t, "gson.stream", "106").press("=")
	shows(t, d.tabs, "= on another row compares them")
	d.press("=")
	shows(t, d.tabs, "A is forgotten")
	if text := d.press("j").tabs.View().Content; strings.Contains(text, "A is #106") {
		t.Error("it is not")
	}
	d.press(":").typed("112").settle().press("=")
	shows(t, d.tabs, "compare takes a call, a loop, an iteration or a thread")
	d.press(":").typed("compare 1 2 3")
	shows(t, d.tabs, "two events at most")
	d.press("esc :").typed("compare x")
	shows(t, d.tabs, "x names no event")
	if d.press("esc"); len(d.tabs.list) != 1 {
		t.Errorf("%d tabs", len(d.tabs.list))
	}
	for second, why := range map[string]string{"112": "#112 is no call, loop or iteration", "99999999": "no event 99999999"} {
		d.press(":").typed("compare 106 " + second).settle()
		shows(t, d.tabs, "the two cannot be compared: "+why)
	}
	d.press(":").typed("compare 106 106").settle()
	shows(t, d.tabs, "both are #106")
	d.press(":").typed("compare 106 new.bin#107")
	shows(t, d.tabs, "new.bin#107 is of another trace")
	if d.press("esc"); len(d.tabs.list) != 1 {
		t.Errorf("%d tabs", len(d.tabs.list))
	}
}

// TestCompareThreads: threads are compared as wholes.
func TestCompareThreads(t *testing.T) {
	d := calls(t, "threads.stream", "1").press("tab =")
	shows(t, d.tabs, "A is @2")
	d.press("tab =").settle()
	shows(t, d.tabs, "[2 @2 ↔ @3]")
	shows(t, d.tabs, " differences ")
}
