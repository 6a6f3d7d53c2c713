package ui

import (
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/lists"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/uitest"
)

// TestThreadFilter filters all threads, by their names only.
func TestThreadFilter(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 80, 24, Options{})
	d.keys("t").has("worker-2                         3    127   12 % ━───────   13 KiB")
	d.keys("/ 1 6 9").has("no thread contains 169")
	d.keys("esc / k e r - 2").has("▌ worker-2 ")
	if screen := d.screen(); strings.Contains(screen, "worker-1") {
		t.Errorf("not filtered:\n%s", screen)
	}
	d.resize(40, 10)
	d.keys("esc esc t / w o r k e r - 2").has("▌ worker-2 ")
}

// TestThreadHeads: a click on the head of a column sorts the threads by it, a second one the other way round, as S does. It
// says which columns do not.
func TestThreadHeads(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 100, 24, Options{}).keys("t")
	in := func(head string, names ...string) {
		t.Helper()
		d.has(head)
		screen := d.screen()
		at := 0
		for _, name := range names {
			next := strings.Index(screen[at:], name+" ")
			if next < 0 {
				t.Fatalf("%s is not in its place:\n%s", name, screen)
			}
			at += next
		}
	}
	in("▲ thread", "│▌ main", "worker-1", "worker-2", "worker-3", "worker-0")
	d.click("went wrong", "calls")
	in("▼ calls", "│▌ worker-1", "worker-3", "worker-0", "worker-2", "main", "plain ☃ thread")
	d.click("went wrong", "calls")
	in("▲ calls", "│▌ plain ☃ thread", "main", "worker-2", "worker-0", "worker-3", "worker-1")
	d.click("went wrong", "share")
	in("▼ calls", "│▌ worker-1")
	d.click("went wrong", "name")
	in("▲ name", "│▌ main", "plain ☃ thread", "worker-0", "worker-1")
	d.click("went wrong", "thread").keys("S")
	in("▼ thread", "│▌ plain ☃ thread", "worker-0", "worker-3")
	d.click("went wrong", "size").has("the threads are not sorted by that column", "▼ thread")
	d.keys("/").typed("worker").keys("enter")
	in("▼ thread", "│▌ worker-0", "worker-3", "worker-2", "worker-1")
	d.click("worker-2", "worker-2").click("worker-2", "worker-2")
	if !strings.Contains(d.cursorText(), "worker-2") {
		t.Errorf("at %q", d.cursorText())
	}
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

// TestThreadsWrong: what went wrong in a thread is red, and has a sign where there is no color, in ASCII too.
func TestThreadsWrong(t *testing.T) {
	r := uitest.Open(t, formattest.Unpack(t, "crash.stream.bin", "crash.stream.bin.idx"), lazy.Options{NoWrite: true})
	d := drive(t, r, 100, 24, Options{Name: "crash.stream.bin", ASCII: true})
	d.keys("t").has("Thread 1 ", "! did not end")
	d.golden("threads-wrong-ascii")
	d.resize(40, 10)
	d.has("! did")
	d = drive(t, r, 100, 24, Options{Name: "crash.stream.bin"}).keys("t").has("✗ did not end")
	red := ""
	cell := d.m.env.Front.List().(*lists.ThreadList).Item(0).Cells[0]
	for _, s := range cell.Spans {
		if cell.Of(s.Style) == theme.Alarm {
			red += cell.Text[s.Start:s.End]
		}
	}
	if red != "✗ did not end" {
		t.Errorf("red is %q of %q", red, cell.Text)
	}
}
