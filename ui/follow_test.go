package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/recorder"
	"tracex/ui/internal/env"
	"tracex/ui/internal/tree"
	"tracex/ui/internal/uitest"
)

// live is an explorer of a trace that a test is recording.
type live struct {
	*driver
	r    *lazy.LazyTraceReader
	path string
	rec  *recorder.Recorder
	f    recorder.Method
	n    int // calls so far
	now  time.Time
}

// goLive starts following a trace; record starts recording it.
func goLive(t *testing.T, o Options) *live {
	t.Helper()
	l := &live{path: filepath.Join(t.TempDir(), "trace.bin"), now: time.Now()}
	l.open(t, o)
	return l
}

func (l *live) open(t *testing.T, o Options) {
	t.Helper()
	var err error
	if l.r, err = lazy.Open(l.path, lazy.Options{Follow: true, NoWrite: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.r.Close() })
	if err := l.r.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.driver = drive(t, l.r, 90, 16, o)
	l.m.env.Clock.Now = func() time.Time { return l.now }
}

func (l *live) record() {
	l.t.Helper()
	var err error
	// Write only when the test flushes.
	l.rec, err = recorder.Start(recorder.Config{Path: l.path, FlushInterval: -1, Overwrite: true, NoTimes: true})
	if err != nil {
		l.t.Fatal(err)
	}
	rec := l.rec
	l.t.Cleanup(func() { rec.Stop() })
	l.f, l.n = l.rec.Method(l.rec.Class("app.Main"), "f", recorder.Type{}), 0
}

// enter begins n calls within each other; calls makes n calls that end.
func (l *live) enter(t *recorder.Thread, n int) {
	for range n {
		l.n++
		t.Enter(l.f, 0, recorder.Null(), recorder.Int(l.n))
	}
}

func (l *live) exit(t *recorder.Thread, n int) {
	for range n {
		t.Exit(recorder.Int(0))
	}
}

func (l *live) calls(t *recorder.Thread, n int) {
	for range n {
		l.enter(t, 1)
		l.exit(t, 1)
	}
}

// seen flushes the recording and lets the explorer see it.
func (l *live) seen() *live {
	l.t.Helper()
	if _, err := l.rec.Flush(); err != nil {
		l.t.Fatal(err)
	}
	return l.look()
}

func (l *live) look() *live {
	l.t.Helper()
	if err := l.r.CatchUp(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	l.send(env.TraceChanged{})
	return l
}

func (l *live) keys(keys string) *live {
	l.driver.keys(keys)
	return l
}

// find searches for a pattern.
func (l *live) find(pattern string) *live {
	l.t.Helper()
	l.keys("/").typed(pattern).keys("enter")
	return l
}

func (l *live) has(texts ...string) *live {
	l.t.Helper()
	l.driver.has(texts...)
	return l
}

// at checks that the cursor is on the call with a number.
func (l *live) at(n int) {
	l.t.Helper()
	if text := l.cursorText(); !strings.Contains(text, fmt.Sprintf("f(%d)", n)) {
		l.t.Errorf("at %q, want call %d:\n%s", text, n, l.screen())
	}
}

// TestFollowStays: the cursor stays at the newest row, inside the running calls, until the user
// moves it up. After that only the rows below change.
func TestFollowStays(t *testing.T) {
	l := goLive(t, Options{Follow: true})
	l.has("waiting for " + l.path[:20]).has("no such file yet")
	l.record()
	l.look().has("nothing recorded yet")
	th := l.rec.Thread("main")
	l.enter(th, 2)
	l.calls(th, 3)
	l.seen().at(5)
	l.has("following", "▾ Main.f(1)", "▾ f(2)")
	if line := l.m.tree.Out.Line; line != 5 {
		t.Errorf("six rows, but the cursor is in line %d", line)
	}
	for range 20 {
		l.calls(th, 7)
		l.seen().at(l.n)
	}
	if l.m.tree.Out.Line != l.m.tree.Out.Height-1 {
		t.Errorf("line %d of %d", l.m.tree.Out.Line, l.m.tree.Out.Height)
	}
	// A running call is opened, and closed when it has ended.
	l.enter(th, 1)
	in := l.n
	l.calls(th, 2)
	l.seen().at(l.n)
	l.has(fmt.Sprintf("▾ f(%d)", in))
	l.exit(th, 1)
	l.calls(th, 1)
	l.seen().at(l.n)
	l.has(fmt.Sprintf("▸ f(%d): 0", in))
	// Keys that do not move the cursor change nothing.
	l.keys("j d d > < ?").keys("esc")
	l.calls(th, 1)
	l.seen().at(l.n)

	l.keys("k k").at(in)
	row, line, before := l.m.tree.Out.Cursor, l.m.tree.Out.Line, l.m.frame.tree()
	for range 5 {
		l.calls(th, 5)
		l.seen().has("growing", "F follow")
		if l.m.tree.Out.Cursor != row || l.m.tree.Out.Line != line {
			t.Fatalf("the cursor moved:\n%s", l.screen())
		}
	}
	for i, text := range l.m.frame.tree() {
		if words(ansi.Strip(text)) != words(ansi.Strip(before[i])) && i >= len(l.m.tree.Out.Stuck) { // the calls around have grown
			t.Errorf("line %d was %q, and is %q", i, before[i], text)
		}
	}
	l.keys("F").at(l.n)
	l.calls(th, 5)
	l.seen().at(l.n)
	l.keys("F").has("the cursor stays here")
	l.calls(th, 5)
	l.seen().at(l.n - 5)
	l.keys("F").at(l.n)
	l.keys("r").at(l.n) // raw
	l.calls(th, 5)
	l.seen().at(l.n)
}

// TestFollowSearch: going on past the last hit searches what was recorded since the search.
// Until then the number of hits is shown as preliminary.
func TestFollowSearch(t *testing.T) {
	l := goLive(t, Options{Follow: true})
	l.record()
	th := l.rec.Thread("main")
	l.calls(th, 9)
	l.seen().keys("g").find("f(").has(" 1 of 9").at(1)
	l.keys("n n").has(" 3 of 9").at(3)
	l.n = 0 // the same again
	l.calls(th, 5)
	l.seen().has(" 3 of ≥ 9").at(3)
	l.keys("M").has("≥ 9 hits").keys("esc")
	l.keys("6 n").has(" 9 of ≥ 9")
	l.keys("n").has(" 10 of 14").at(1)
	l.keys("5 n").has(" 1 of 14", "search wrapped to the top")
	// Wrapping around the beginning leads to the newest.
	l.calls(th, 2)
	l.seen().keys("N").has(" 16 of 16", "search wrapped to the bottom").at(7)
	l.find("nothing").has("not found")
	l.calls(th, 1)
	l.seen().has("≥ 0 hits").keys("n").has("not found")
}

// TestFollowFiltered: where a filter leaves the newest rows out, the row that tells so is the newest.
func TestFollowFiltered(t *testing.T) {
	l := goLive(t, Options{})
	l.record()
	th := l.rec.Thread("main")
	l.enter(th, 1)
	l.calls(th, 5)
	l.seen().keys("&").typed("arg=3").keys("enter")
	l.has(" 1 ✕", "3 rows without a match").keys("F")
	l.calls(th, 4)
	l.seen().has("⋯ 7 rows")
	if n := l.m.tree.Out.Cursor; n.Node != nil || n.Left == 0 {
		t.Errorf("the cursor is on %v:\n%s", n, l.screen())
	}
}

// TestFollowEnd: once the recording has ended, the explorer is the same as for any trace, and
// the cursor stays if it is at the last row; otherwise it goes there.
func TestFollowEnd(t *testing.T) {
	for _, more := range []int{0, 3} {
		followEnd(t, more)
	}
}

// followEnd ends a recording with some calls that were not seen before.
func followEnd(t *testing.T, more int) {
	t.Helper()
	l := goLive(t, Options{Follow: true})
	l.record()
	th := l.rec.Thread("main")
	l.enter(th, 1)
	l.calls(th, 50)
	l.seen().at(l.n)
	row := l.m.tree.Out.Cursor
	l.calls(th, more)
	l.exit(th, 1)
	th.End()
	if err := l.rec.Stop(); err != nil {
		t.Fatal(err)
	}
	l.look().has("the recording has ended", fmt.Sprintf("1 thread · %d calls", 51+more))
	l.at(l.n)
	if more == 0 && l.m.tree.Out.Cursor != row {
		t.Errorf("the cursor moved:\n%s", l.screen())
	}
	l.keys("g j F").has("there will be no more events").at(l.n)
	if l.m.busy() {
		t.Error("something is still running")
	}
}

// TestFollowCounts: the number of children of a running call grows.
func TestFollowCounts(t *testing.T) {
	l := goLive(t, Options{})
	l.record()
	th := l.rec.Thread("main")
	l.enter(th, 1)
	l.calls(th, 1200)
	l.seen().has("≥ 1,200")
	l.calls(th, 30)
	l.now = l.now.Add(500 * time.Millisecond)
	l.seen().has("≥ 1,230")
}

// TestFollowQuiet: the writer has nothing to record, or is dead, which cannot be distinguished.
// Esc stops following, and F resumes it.
func TestFollowQuiet(t *testing.T) {
	l := goLive(t, Options{Follow: true})
	l.record()
	th := l.rec.Thread("main")
	l.enter(th, 1)
	l.seen()
	l.calls(th, 20)
	l.seen().has("following")
	l.now = l.r.Status().Growth.Grown.Add(12 * time.Second)
	l.fire(tree.FollowTicked{})
	l.has("waiting for more · last growth 12 s ago")
	if len(l.timers) == 0 {
		t.Error("the clock does not advance")
	}
	l.keys("esc").has("the cursor stays here").keys("esc")
	for l.r.Status().Growth.On {
		<-l.r.Changed()
	}
	l.look().has("cut short", "1 event unfinished", "F follows it again")
	l.calls(th, 5)
	if _, err := l.rec.Flush(); err != nil {
		t.Fatal(err)
	}
	l.keys("F")
	l.look().at(l.n)
	l.has("waiting for more")
	if strings.Contains(l.screen(), "cut short") {
		t.Errorf("it is followed again, but:\n%s", l.screen())
	}
	l.calls(th, 5)
	l.seen().at(l.n)
}

// TestDrawnAsSettled: the reader continues while the screen is drawn. All parts of the screen
// show the state at the last message.
func TestDrawnAsSettled(t *testing.T) {
	l := goLive(t, Options{Follow: true})
	l.record()
	l.calls(l.rec.Thread("main"), 50)
	l.seen()
	if err := os.Rename(l.path, l.path+".old"); err != nil {
		t.Skip("an open file cannot be renamed here: ", err)
	}
	before := l.look().has("not growing: ").screen()
	if err := os.Rename(l.path+".old", l.path); err != nil {
		t.Fatal(err)
	}
	if err := l.r.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l.r.Status().Growth.Wait != nil {
		t.Fatal("the reader has not seen that the file is back")
	}
	if after := l.screen(); after != before {
		t.Errorf("drawn before:\n%s\nafter:\n%s", before, after)
	}
	if after := l.look().screen(); strings.Contains(after, "not growing: ") {
		t.Errorf("the file is back, but:\n%s", after)
	}
}

// TestFollowAnother: another recording replaces the one shown.
func TestFollowAnother(t *testing.T) {
	for _, on := range []bool{true, false} {
		l := goLive(t, Options{Follow: on})
		l.record()
		th := l.rec.Thread("main")
		l.enter(th, 3)
		l.calls(th, 50)
		l.seen().keys("/ 2 0 enter")
		if on {
			l.keys("F")
		}
		first := l.rec
		if err := os.Rename(l.path, l.path+".old"); err != nil {
			t.Skip("an open file cannot be renamed here: ", err)
		}
		l.look().has("not growing: the file was removed or renamed")
		l.record() // removes the index of the first recording
		th = l.rec.Thread("main")
		l.enter(th, 1)
		l.calls(th, 2)
		l.seen().has("another recording replaced it", "1 thread")
		if on {
			l.at(3)
		}
		l.keys("g l j l")
		l.calls(th, 2)
		l.seen().has("f(5)")
		first.Stop()
	}
}

// TestRecordedAnew: twice another recording takes the place of a complete one, which is not followed. The screen says
// so, and F shows the new one.
func TestRecordedAnew(t *testing.T) {
	l := &live{path: formattest.Unpack(t, "gson.stream.bin"), now: time.Now()}
	l.r = uitest.Open(t, l.path, lazy.Options{NoWrite: true})
	l.driver = drive(t, l.r, 90, 16, Options{})
	l.m.env.Clock.Now = func() time.Time { return l.now }
	for _, name := range []string{"shapes.stream.bin", "threads.stream.bin"} {
		l.now = l.now.Add(time.Minute)
		if l.keys("j"); strings.Contains(l.screen(), "has changed since") {
			t.Fatalf("before:\n%s", l.screen())
		}
		other := uitest.Open(t, formattest.Unpack(t, name), lazy.Options{NoWrite: true})
		if err := os.Rename(other.Path(), l.path); err != nil {
			t.Skip("an open file cannot be replaced here: ", err)
		}
		l.now = l.now.Add(time.Minute)
		if name == "shapes.stream.bin" { // the second time, F is faster than the look
			lazy.LookForAnother(l.r)
			l.keys("j").has("the file has changed since it was opened: F shows what is there now")
		}
		if l.keys("F").look(); strings.Contains(l.screen(), "has changed since") {
			t.Errorf("after:\n%s", l.screen())
		}
		l.has(drive(t, other, 90, 16, Options{}).m.env.Trace.About(true, l.m.env.Glyphs)[1])
	}
}

// TestFollowThreads: the cursor stays in its thread while that grows, and moves to another
// thread after it has been quiet for long.
func TestFollowThreads(t *testing.T) {
	l := goLive(t, Options{Follow: true})
	l.record()
	a, b := l.rec.Thread("a"), l.rec.Thread("b")
	l.enter(a, 1)
	l.calls(a, 2)
	l.seen().at(3)
	for range 5 {
		l.now = l.now.Add(2 * tree.HopAfter / 3)
		l.calls(b, 1)
		l.calls(a, 1)
		l.seen().at(l.n)
	}
	for range 3 {
		l.now = l.now.Add(tree.HopAfter / 3)
		if l.calls(b, 1); l.m.tree.Out.Cursor.Node.Thread() != 0 {
			t.Errorf("it left the thread at once:\n%s", l.screen())
		}
		l.seen()
	}
	l.at(l.n)
	l.keys("shift+tab")
	l.calls(b, 1)
	l.seen()
	if n := l.m.tree.Out.Cursor.Node; !n.IsThread() || n.Thread() != 0 {
		t.Errorf("at %q", l.cursorText())
	}
}

// TestFollowSearches searches the part recorded so far.
func TestFollowSearches(t *testing.T) {
	l := goLive(t, Options{Follow: true})
	l.record()
	th := l.rec.Thread("main")
	l.enter(th, 1)
	l.calls(th, 30)
	l.seen().keys("/ 2 0 enter").at(20)
	l.has("1 of 1")
	l.calls(th, 30)
	l.seen().at(20)
}

// TestFollowDeep: following works in calls nested deeper than in any program, and after
// they have returned.
func TestFollowDeep(t *testing.T) {
	l := goLive(t, Options{Follow: true})
	l.record()
	th := l.rec.Thread("main")
	for range 4 {
		l.enter(th, 2500)
		l.seen().at(l.n)
	}
	if depth := l.m.tree.Out.Cursor.Depth; depth != 10_000 {
		t.Errorf("at depth %d", depth)
	}
	l.exit(th, 9990)
	l.calls(th, 1)
	l.seen().at(l.n)
	if depth := l.m.tree.Out.Cursor.Depth; depth != 11 {
		t.Errorf("at depth %d", depth)
	}
	l.has("▸ f(11): 0", "▾ f(10)")
}
