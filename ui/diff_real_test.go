package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// real shows a trace that can be compared with another, by package diff.
func real(t *testing.T, a, b *lazy.LazyTraceReader, width, height int) *tabDriver {
	t.Helper()
	c := &compared{}
	o := Options{Unicode: true, Other: func(path string) OtherTrace { return &other{given{path: path, r: b}, c} }}
	tabs := &Tabs{ctx: t.Context(), diffs: diffs{engine: newEngine}, list: []*tab{{trace: alone{a}, name: "old.bin"}}}
	tabs.adopt(0, a, o)
	tabs.asked = tabs.list[0].model
	e := tabs.asked.env
	e.Patience, e.Trace.Watching = time.Hour, false
	e.Clock.After = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	d := &tabDriver{t: t, tabs: tabs}
	t.Cleanup(d.end)
	return d.send(tea.WindowSizeMsg{Width: width, Height: height})
}

// driver returns what checks the screen of the tab that is shown.
func (d *tabDriver) driver() *driver { return &driver{t: d.t, m: d.tabs.asked} }

// TestDiffEqual: what is equal in both is one row, which leads to the place in A.
func TestDiffEqual(t *testing.T) {
	d := real(t, uitest.Recorded(t, "gson.dump"), uitest.Recorded(t, "gson.stream"), 100, 24)
	d.press("D").typed("new.bin").settle()
	shows(t, d.tabs, "  equal · 100 % of calls equal · raw, 1 thread")
	d.press("G").settle()
	shows(t, d.tabs, "Thread 1 (main) › ⋯ 3,008 equal calls")
	if _, with := d.tabs.asked.filter.Complete("method="); len(with) > 0 {
		t.Errorf("what it stands for is a method: %v", with)
	}
	d.press("d").settle()
	shows(t, d.tabs, "1, with everything in them")
	d.press("d").settle()
	shows(t, d.tabs, "Enter in A")
	d.press("enter").settle()
	shows(t, d.tabs, "[1 old.bin]")
	shows(t, d.tabs, "▌   ▾ Libs.gson()")
	d.press("2 ctrl+t :").typed("side B").settle()
	shows(t, d.tabs, "[3 new.bin]")
}

// TestDiffNames: what a diff shows tells of A and B, not of the trace that it is: the place of a row in the bottom line, the
// details and the tables. What is only for one trace says so.
func TestDiffNames(t *testing.T) {
	r := uitest.Open(t, formattest.Demo(t), lazy.Options{NoWrite: true})
	d := real(t, r, r, 120, 30)
	d.press("l l l = j =").settle()
	d.press("n d").settle()
	shows(t, d.tabs, " A @1+1064  B @1+1155 ")
	screen := ansi.Strip(d.tabs.View().Content)
	for _, no := range []string{"#3", "print ", "offset", "nested"} {
		if strings.Contains(screen, no) {
			t.Errorf("%q in\n%s", no, screen)
		}
	}
	d.press("d M").settle()
	shows(t, d.tabs, "B @1+1155")
	d.press("esc :").typed("changes").settle()
	shows(t, d.tabs, "B @1+1155")
	d.press("esc m a").settle()
	shows(t, d.tabs, "mark a is at B @1+1155")
	for key, what := range map[string]string{"V": "the flame", "H": "a history", "a": "all calls", "w": "who calls", "!": "all exceptions", "A": "a note", "(": "a range"} {
		d.press(key).settle()
		shows(t, d.tabs, "not for a diff: "+what)
	}
	d.press(":").typed("1204").settle()
	shows(t, d.tabs, "a row of a diff has its places in A and in B")
	if err := d.tabs.asked.check("export", "perfetto x"); err == nil {
		t.Error("rows that stand for others are exported")
	}
	d.press("t").settle()
	shows(t, d.tabs, "1 thread of the diff")
	d.press("esc I").settle()
	shows(t, d.tabs, "what is compared")
	shows(t, d.tabs, "2 differences · 2 edited")
}

// TestDiffOfCalls: = on two calls of a trace with times compares them, with how long each row took in both.
func TestDiffOfCalls(t *testing.T) {
	r := uitest.Open(t, formattest.Demo(t), lazy.Options{NoWrite: true})
	for _, width := range []int{80, 120} {
		d := real(t, r, r, width, 24)
		d.press("l l l = j =").settle()
		shows(t, d.tabs, "[2 #2 ↔ #4]")
		d.press("n").settle().press("l").settle()
		d.driver().golden(map[int]string{80: "diff-calls-80", 120: "diff-calls-120"}[width])
		d.press("O").settle()
		shows(t, d.tabs, "▌       │   item = \"coffee\"")
	}
}

// TestDiffTop: T in a diff made here compares the methods of A and B, with times or without. Enter leads to a call in the diff, or else
// to the first one in B, and O to that in B, or in A.
func TestDiffTop(t *testing.T) {
	demo := uitest.Open(t, formattest.Demo(t), lazy.Options{NoWrite: true})
	d := real(t, demo, demo, 130, 24).press(":").typed("compare #46 #84").settle()
	d.press("T").settle()
	shows(t, d.tabs, "time by method · 5 methods · A #46 259 µs · B #84 33.6 µs")
	shows(t, d.tabs, "  213 µs        –   -213 µs      –   213 µs        –     -213 µs        1        –  Till.receipt()")
	d.press("j enter").settle()
	shows(t, d.tabs, "▌-      Till.receipt(\"Charles\", 3989)")
	d.press("T").settle().press("j O").settle()
	shows(t, d.tabs, "[1 old.bin]")
	shows(t, d.tabs, "▌       │ │   Till.receipt(\"Charles\", 3989)")
	d.press("2 ctrl+t T").settle().press("j j O").settle()
	shows(t, d.tabs, "Till.pay(\"1910\", 5060)")
	shows(t, d.tabs, "Thread 1 (counter) › Shop.open() › loop › <iteration 4> › Shop.order() › Till.pay()")
	d.press("2 ctrl+t :").typed("top here").settle()
	shows(t, d.tabs, "here it takes only where with a filter")
	d.press("esc :").typed("top where method=pay").settle()
	shows(t, d.tabs, "where method=pay · 1 method")
	d.press("esc :").typed("changes").settle()
	shows(t, d.tabs, "   1   259 µs  33.6 µs   -226 µs  edited")

	d = real(t, uitest.Recorded(t, "gson.dump"), uitest.Recorded(t, "gson.stream"), 130, 24)
	d.press("D").typed("new.bin").settle().press("T").settle()
	shows(t, d.tabs, "calls by method: not both have times")
	d.press("enter").settle()
	shows(t, d.tabs, "[3 new.bin]")
}

// TestStoredDiffTop: T in a stored diff tells that it counts the rows of both.
func TestStoredDiffTop(t *testing.T) {
	stored(t, "diff-gson.packedtrace", 100, 24).keys("T").has("rows of A and B together: top")
}

// movedCalls writes a program in which a call of check is in one method or in another, and one has a name.
func movedCalls(t *testing.T, in, name string) *lazy.LazyTraceReader {
	b := formattest.NewBuilder(t)
	b.Thread(0)
	b.Name("main")
	methods, event := map[string]int32{}, int32(0)
	var call func(method string, within ...string)
	call = func(method string, within ...string) {
		if _, ok := methods[method]; !ok {
			methods[method] = b.Method("shop.Shop", method, formattest.IntType)
		}
		b.Point(&format.Point{Class: format.ClassCall, Ref: methods[method], Location: -1, Diff: format.DiffNone, Event: event, Target: format.Null()})
		event++
		if in == method {
			call("check", "read", "write")
		}
		for _, w := range within {
			call(w)
		}
		b.Footer(format.ClassCall, &format.Footer{Result: formattest.IntValue(1)})
	}
	for _, method := range []string{"load", "store"} {
		call(method, "take")
	}
	call(name, "seek", "find")
	return uitest.Open(t, b.File(), lazy.Options{NoWrite: true})
}

// TestDiffMoved: a row of what was moved or renamed tells where its partner is, a key goes there and back, and a filter shows
// both.
func TestDiffMoved(t *testing.T) {
	d := real(t, movedCalls(t, "load", "fetch"), movedCalls(t, "store", "get"), 100, 20)
	d.press("%").settle()
	shows(t, d.tabs, "it is not known here what was moved")
	d.press("D").typed("new.bin").settle()
	shows(t, d.tabs, "4 differences · 2 removed · 2 added")
	d.driver().golden("diff-moved")
	here := d.driver().cursorText()
	d.press("d").settle()
	shows(t, d.tabs, "moved      to Shop.store")
	d.press("d %").settle()
	shows(t, d.tabs, "▌+    ▹ check(): 1  » moved here from Shop.load")
	d.press("l l :").typed("partner").settle()
	if at := d.driver().cursorText(); at != here {
		t.Errorf("it is at %q, not at %q", at, here)
	}
	d.press("k %").settle()
	shows(t, d.tabs, "the row was neither moved nor renamed")
	d.press("&").typed("status=renamed").settle()
	shows(t, d.tabs, "match 1 of 2")
	shows(t, d.tabs, "» renamed to Shop.get")
	d.press("&").typed("status=moved").settle()
	shows(t, d.tabs, "match 1 of 2")
	d.press("backspace :").typed("changes").settle()
	shows(t, d.tabs, "2  moved    Shop.check")
}
