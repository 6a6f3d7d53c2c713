package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// real shows a trace that can be compared with another, by package diff.
func real(t *testing.T, a, b *lazy.LazyTraceReader, width, height int) *tabDriver {
	t.Helper()
	c := &compared{}
	o := Options{Unicode: true, Other: func(path string) OtherTrace { return &other{given{path: path, r: b}, c} }}
	tabs := &Tabs{ctx: t.Context(), diffs: diffs{engine: newEngine}, list: []tab{{trace: alone{a}, name: "old.bin"}}}
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
	shows(t, d.tabs, "  equal · 100 % of calls equal · 1 thread")
	d.press("G").settle()
	shows(t, d.tabs, "Thread 1 (main) › ⋯ 3008 equal calls")
	shows(t, d.tabs, "Enter in A")
	d.press("enter").settle()
	shows(t, d.tabs, "[1 old.bin]")
	shows(t, d.tabs, "▌   ▾ Libs.gson()")
	d.press("2 ctrl+t :").typed("side B").settle()
	shows(t, d.tabs, "[3 new.bin]")
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
