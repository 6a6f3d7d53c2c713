package ui

import (
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/lists"
	"tracex/ui/internal/uitest"
)

// TestThreadFilter filters all threads, by their names only.
func TestThreadFilter(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 80, 24, Options{})
	d.keys("t").has("127 calls, 13 KiB")
	d.keys("/ 1 6 9").has("no thread contains 169")
	d.keys("esc / k e r - 2").has("Thread 3 (worker-2)")
	if screen := d.screen(); strings.Contains(screen, "worker-1") {
		t.Errorf("not filtered:\n%s", screen)
	}
	d.resize(40, 10)
	d.keys("esc esc t / w o r k e r - 2").has("Thread 3 (")
}

// TestThousandThreads lists them, and goes to one.
func TestThousandThreads(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: 1000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.has("1,000 threads")
	d.keys("t").has("1,000 threads")
	d.keys("G enter")
	if n := d.m.tree.Out.Cursor.Node; n == nil || n.Thread() != d.m.tree.Out.Tree.Threads()[999].Thread() {
		t.Errorf("at %q", d.cursorText())
	}
	d.keys("tab")
	if n := d.m.tree.Out.Cursor.Node; n.Thread() != d.m.tree.Out.Tree.Threads()[0].Thread() {
		t.Errorf("Tab from the last thread goes to %q", d.cursorText())
	}
	d.keys("shift+tab shift+tab")
	if n := d.m.tree.Out.Cursor.Node; n.Thread() != d.m.tree.Out.Tree.Threads()[998].Thread() {
		t.Errorf("Shift-Tab goes to %q", d.cursorText())
	}
}

// TestThreadListFilter: Enter goes to the chosen thread among those that pass a filter.
func TestThreadListFilter(t *testing.T) {
	const threads = 3000
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: threads, Seed: 2}), lazy.Options{NoWrite: true})
	d := drive(t, r, 100, 24, Options{})
	d.keys("t")
	d.keys("/").typed("-29")
	l := d.m.env.Front.List().(*lists.ThreadList)
	d.has(display.Grouped(int64(l.Count())) + " of " + display.Plural(threads, "thread"))
	if got, want := l.Count(), 1+10+100; got != want {
		t.Errorf("%d threads pass, want %d", got, want)
	}
	d.keys("enter j enter")
	if !strings.Contains(d.cursorText(), "thread-29") {
		t.Errorf("at %q", d.cursorText())
	}
}
