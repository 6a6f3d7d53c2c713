package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// startsTrace is a trace of goroutines. Events of main: 0 main(), 1 to 5 go statements.
func startsTrace(t *testing.T) *lazy.LazyTraceReader {
	w := formattest.NewBuilder(t)
	run, start := w.Method("app", "run", formattest.IntType), w.Method("app", "go worker", formattest.IntType)
	w.Thread(0)
	w.Name("main")
	w.Call(-1, run, func() {
		w.Go(-1, start, "goroutine 26")
		w.Go(-1, start, "goroutine 19")
		w.Go(-1, start, "≈ goroutine 20")
		w.Go(-1, start, "")
		w.Go(-1, start, "goroutine 99")
	})
	for i, name := range []string{
		"goroutine 26 app.worker ← 1 app.main app.go:3", "goroutine 19 app.worker ← 1 app.main app.go:3", "goroutine 20 app.worker ← 1 app.main app.go:3",
		"goroutine 6 app.retry ← 26 app.worker app.go:9", "goroutine 7 time.goFunc", "goroutine 40 app.retry ← 39 app.worker app.go:9",
		"goroutine 8 runtime.corostart ← 1 iter.Pull[go.shape.int] iter.go:271", "AWT", "b.test 47 › main", "b.test 47 › goroutine 19 b.f ← 1 b.main b.go:1",
	} {
		w.Thread(int32(i + 1))
		w.Name(name)
		w.Call(-1, run, func() {
			w.Call(-1, run, nil)
			if i == 0 {
				w.Go(-1, start, "goroutine 6")
			}
		})
	}
	for i, threw := range []string{"panic: 7", ""} {
		w.Thread(int32(11 + i))
		w.Name(fmt.Sprintf("goroutine %d app.die ← 1 app.main app.go:4", 9+i))
		w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: run, Target: format.Null()})
		if threw != "" {
			w.Footer(format.ClassCall, &format.Footer{Result: format.Value{Kind: format.ValueVoid}, Exception: threw, Threw: true})
		}
	}
	return uitest.Open(t, w.File(), lazy.Options{NoWrite: true})
}

// TestThreadHeading: the heading of a goroutine begins with its number and function; who started it is faint. A search
// finds what the trace says.
func TestThreadHeading(t *testing.T) {
	d := drive(t, startsTrace(t), 122, 40, Options{})
	d.keys("g").has("Thread 1 (main)", " g26 app.worker ← g1 app.main app.go:3", " g7 time.goFunc", "Thread 9 (AWT)", "b.test 47 › g19 b.f ← g1 b.main b.go:1")
	if s := d.screen(); strings.Contains(s, "(goroutine 26") {
		t.Errorf("a second number:\n%s", s)
	}
	d.keys("/").typed("goroutine 26 app").keys("enter")
	if n := d.m.tree.Out.Cursor.Node; n == nil || !n.IsThread() || n.Thread() != 1 {
		t.Errorf("the search went to %q", d.cursorText())
	}
}

// TestThreadTree: the list of threads is a tree, whose branches can be collapsed, with a filter and
// other orders.
func TestThreadTree(t *testing.T) {
	d := drive(t, startsTrace(t), 122, 26, Options{})
	d.keys("t").has("13 threads as a tree", "app.die g9 ← app.go:4", "✗ panic: 7", "✗ did not end", "  ▾ b.test 47 › main", "    b.f g19 ← b.go:1", "▾ main ", "    runtime.corostart g8 ← iter.go:271", "  ▾ app.worker g26 ← app.go:3", "      app.retry g6 ← app.go:9",
		"    time.goFunc g7 ", "    app.retry g40 ← g39 app.worker app.go:9", "    AWT ", "s sort   O what started it")
	d.golden("threads-tree")
	d.keys("j j j j j j").has("▌   ▾ app.worker g26")
	d.keys("h").has("▌   ▸ app.worker g26")
	if strings.Contains(d.screen(), "app.retry g6 ← app.go:9") {
		t.Errorf("not collapsed:\n%s", d.screen())
	}
	d.keys("j").has("▌   time.goFunc g7")
	d.keys("k l l").has("▌       app.retry g6 ← app.go:9")
	d.keys("h").has("▌   ▾ app.worker g26")
	d.keys("h h").has("▌ ▾ main")
	d.keys("h").has("▌ ▸ main", "time.goFunc g7")
	d.keys("l j j j j j j l").has("app.worker g26")
	d.keys("/").typed("retry")
	d.keys("enter").has("2 of 13 threads as a tree and 2 above /retry", "▾ main", "app.worker g26", "▌       app.retry g6", "app.retry g40")
	if strings.Contains(d.screen(), "app.worker g19") {
		t.Errorf("not filtered:\n%s", d.screen())
	}
	d.keys("enter")
	if n := d.m.tree.Out.Cursor.Node; n.Thread() != 4 {
		t.Errorf("at %q", d.cursorText())
	}
	d.keys("t").has("▌       app.retry g6")
	d.keys("s").has("─ 13 threads ─", "▲ thread")
	d.keys("s s s").has("13 threads as a tree")
}

// TestGoStatement: a key leads from a goroutine to the statement that made it, and from there to the
// goroutine.
func TestGoStatement(t *testing.T) {
	d := drive(t, startsTrace(t), 110, 24, Options{})
	at := func(thread int32, event int32) {
		t.Helper()
		n := d.m.tree.Out.Cursor.Node
		if n == nil || n.Thread() != thread || event >= 0 && (n.Point() == nil || n.Point().Event != event) || event < 0 && !n.IsThread() {
			t.Errorf("at %q, want event %d of thread %d\n%s", d.cursorText(), event, thread, d.screen())
		}
	}
	to := func(n int) string { return eventKeys(n) }
	d.keys(to(7)) // of goroutine 26
	at(1, 7)
	d.keys("O")
	at(0, 1)
	d.keys("O")
	at(1, 6)
	d.keys("[")
	at(0, 1)
	d.keys("enter")
	at(1, 6)
	d.keys("t g j j j j O") // main, goroutines 8, 9, 10 and 19
	at(0, 2)
	for _, c := range []struct {
		event  int
		key    string
		thread int32
		at     int32
		says   string
	}{
		{0, "O", 0, 0, "this is main: no go statement made it"},
		{3, "O", 3, 11, "≈ a guess: which goroutine this statement made is not sure"},
		{3, "enter", 3, 11, "≈ a guess"},
		{12, "O", 0, 3, "≈ a guess: this statement may have made another goroutine"},
		{4, "O", 0, 4, "the trace does not tell which goroutine this statement made"},
		{5, "enter", 0, 5, "goroutine 99 is not in the trace"},
		{14, "O", 1, 8, ""},
		{15, "O", 5, 15, "the trace does not tell who started this goroutine"},
		{17, "O", 6, 17, "goroutine 39, which started this one, is not in the trace"},
		{19, "O", 7, 19, "the go statement is not in the trace: iter.go:271"},
		{21, "O", 8, 21, "this thread is not a goroutine"},
		{22, "enter", 8, 22, "no children"},
	} {
		d.keys(to(c.event) + " " + c.key)
		at(c.thread, c.at)
		if c.says != "" {
			d.has(c.says)
		}
	}
	d.keys(": t 5 enter d").has("goroutine  g6 ← g26 ← g1 main")
	d.keys("tab").has("goroutine  g7")
}

// TestWaitKey: the key leads from a wait to the goroutine that ended it: without times to its first call.
func TestWaitKey(t *testing.T) {
	w := formattest.NewBuilder(t)
	run, lock := w.Method("app", "run", formattest.IntType), w.Method("wait", "lock", format.Wait)
	w.Thread(0)
	w.Name("main")
	w.Call(-1, run, func() {
		w.Go(-1, lock, "goroutine 7")
		w.Go(-1, lock, "")
		w.Go(-1, lock, "goroutine 8")
	})
	w.Thread(1)
	w.Name("goroutine 7 app.worker ← 1 app.main app.go:3")
	w.Call(-1, run, nil)
	d := drive(t, uitest.Open(t, w.File(), lazy.Options{NoWrite: true}), 110, 24, Options{})
	d.keys(eventKeys(1) + " O")
	if n := d.m.tree.Out.Cursor.Node; n.Thread() != 1 || n.Point() == nil || n.Point().Event != 4 {
		t.Errorf("at %q\n%s", d.cursorText(), d.screen())
	}
	d.keys(eventKeys(2) + " O").has("the trace does not tell which goroutine ended this wait")
	d.keys(eventKeys(3) + " O").has("goroutine 8 is not in the trace")
}

// TestGoroutineByNumber: a goroutine is reached by the number that its row shows, in the program of the cursor if several
// have one; filters and commands take it too, and it is completed.
func TestGoroutineByNumber(t *testing.T) {
	d := drive(t, startsTrace(t), 122, 40, Options{})
	for _, c := range []struct {
		line   string
		thread int32
		says   string
	}{
		{"g26", 1, ""},
		{"goroutine 6", 4, ""},
		{"g19", 2, "2 threads have a goroutine 19; another is :t11"},
		{"t11", 10, ""},
		{"g19", 10, "2 threads have a goroutine 19; another is :t3"},
		{"g98", 10, "no goroutine 98 in the trace"},
	} {
		d.command(c.line).has(c.says)
		if got, _ := d.m.tree.Out.Thread(); got != c.thread {
			t.Errorf(":%s leads to thread %d, want %d", c.line, got+1, c.thread+1)
		}
	}
	d.keys(":").typed("g2").keys("tab").has("g26", "g20", "goroutine 20 app.worker").keys("esc esc")
	d.keys(":").typed("same g7").keys("enter").has("it has no moment")
	d.filtered("thread=g26 kind=call").has("match 1 of 3")
}

// timedCall is a call of a thread, in ns.
type timedCall struct {
	from, to int64
	within   []timedCall
}

// writeTimed writes the calls of a thread with a name, of the method 0, and returns the next event.
func writeTimed(t *testing.T, w *tracefile.Writer, b *tracefile.Block, event int32, calls []timedCall) int32 {
	t.Helper()
	for _, c := range calls {
		own := event
		start := b.Header(w.Version().AppendCall(b.Bytes(), -1, b.Thread, own, 0, 0, nil))
		b.Touch(c.from)
		event = writeTimed(t, w, b, event+1, c.within)
		data, err := (&format.Footer{Result: format.Value{Kind: format.ValueVoid}}).Append(b.Bytes(), w.Version(), format.ClassCall)
		if err != nil {
			t.Fatal(err)
		}
		b.Footer(data, start, format.TimeCell{ID: own, Start: c.from, Duration: c.to - c.from})
		b.Touch(c.to)
	}
	return event
}

// TestGoStatementLeftOut: without the go statement, the key leads to the call in which the goroutine was
// started, if the times tell.
func TestGoStatementLeftOut(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace.bin")
	var files [3]*os.File
	for i, end := range []string{"", ".idx", ".tim"} {
		f, err := os.Create(path + end)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	w := tracefile.NewWriter(format.V22, tracefile.Files{Data: files[0], Index: files[1], Times: files[2]}, time.Unix(0, 0))
	event := int32(0)
	for i, thread := range []struct {
		name  string
		calls []timedCall
	}{
		{"main", []timedCall{{10, 20, nil}, {30, 90, []timedCall{{40, 50, nil}, {60, 80, nil}}}}}, // events 0 to 3
		{"goroutine 7 a.f ← 1 a.main lib.go:9", []timedCall{{65, 70, nil}}},
		{"goroutine 8 a.f ← 1 a.main lib.go:9", []timedCall{{25, 35, nil}}},
	} {
		b := &tracefile.Block{Thread: int32(i), Name: thread.name, Named: true}
		if i == 0 {
			for _, object := range []interface {
				Append([]byte, format.Version) ([]byte, error)
			}{&format.ClassDescriptor{Name: "app"}, &format.MethodDescriptor{Name: "run", Result: format.Type{Kind: format.TypeVoid}}} {
				data, err := object.Append(nil, w.Version())
				if err != nil {
					t.Fatal(err)
				}
				b.Reference(data, w.Version())
			}
		}
		event = writeTimed(t, w, b, event, thread.calls)
		w.EndThread(b)
	}
	if err := w.End(100); err != nil {
		t.Fatal(err)
	}
	d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 110, 24, Options{})
	d.keys(eventKeys(4) + " O").has("the go statement is not in the trace: lib.go:9; goroutine 1 was here then")
	if n := d.m.tree.Out.Cursor.Node; n.Point() == nil || n.Point().Event != 3 {
		t.Errorf("at %q", d.cursorText())
	}
	d.keys(eventKeys(5) + " O").has("the go statement is not in the trace: lib.go:9")
	if n := d.m.tree.Out.Cursor.Node; n.Point() == nil || n.Point().Event != 5 {
		t.Errorf("at %q, though nothing was open", d.cursorText())
	}
}

// TestNoGoStatement: calls of other programs named like go statements are calls.
func TestNoGoStatement(t *testing.T) {
	w := formattest.NewBuilder(t)
	start, home := w.Method("app", "go worker", formattest.IntType), w.Method("app", "go home", formattest.IntType)
	w.Go(-1, start, "goroutine 19")
	w.Thread(1)
	w.Name("main")
	w.Call(-1, home, nil)
	w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: start, Target: format.Null()})
	d := drive(t, uitest.Open(t, w.File(), lazy.Options{NoWrite: true}), 80, 24, Options{})
	d.keys(eventKeys(0) + " enter").has("no children")
	d.keys("O").has("this thread is not a goroutine")
	d.keys(eventKeys(1) + " enter").has("no children")
	d.keys("O").has("this thread is not a goroutine")
	d.keys("t").has("2 threads ─")
}
