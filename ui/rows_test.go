package ui

import (
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
	"tracex/ui/internal/uitest"
)

// timedSpec is a trace with times, of calls with loops in three threads.
var timedSpec = formattest.Spec{Shape: formattest.Calls, N: 3000, Seed: 1, Threads: 3, Timed: true}

func timedTrace(t testing.TB, s formattest.Spec) *lazy.LazyTraceReader {
	t.Helper()
	return uitest.Open(t, formattest.File(t, s), lazy.Options{NoWrite: true})
}

// TestTimedScreens compares screens of a trace with times.
func TestTimedScreens(t *testing.T) {
	r := timedTrace(t, timedSpec)
	for _, story := range []struct {
		name          string
		width, height int
		keys          string
		o             Options
	}{
		{"times", 80, 24, "j 2 e", Options{}},
		{"times-40", 40, 12, "j 2 e", Options{}},
		{"times-50", 50, 16, "j 2 e", Options{}},
		{"times-60", 60, 16, "j 2 e", Options{}},
		{"times-100", 100, 20, "j 2 e", Options{}},
		{"times-200", 200, 20, "j 2 e", Options{}},
		{"times-ascii", 120, 20, "j 2 e", Options{ASCII: true}},
		{"times-longest", 100, 24, "g 9 L", Options{}},
		{"times-details", 140, 30, "j 2 L d", Options{}},
		{"times-threads", 80, 12, "t", Options{}},
	} {
		t.Run(story.name, func(t *testing.T) {
			story.o.Name = "trace.bin"
			drive(t, r, story.width, story.height, story.o).keys(story.keys).golden(story.name)
		})
	}
}

// TestThreadTimes: the details of a thread show when it was active, and how long the recording is.
func TestThreadTimes(t *testing.T) {
	d := drive(t, timedTrace(t, timedSpec), 140, 40, Options{})
	d.keys("g d").has(
		"duration   17.304305 ms, from its first call to its",
		"start      40 ns into the recording",
		"clock      2026-05-04 03:02:01.987654 UTC",
		"began      2026-05-04 03:02:01.987654 UTC",
		"length     17.305681 ms")
}

// TestTimesOfCrash shows neither a duration nor a share for a call that did not end.
func TestTimesOfCrash(t *testing.T) {
	s := timedSpec
	s.N, s.Crash, s.BlockSize = 1500, formattest.CrashPartial, 4096
	d := drive(t, timedTrace(t, s), 100, 24, Options{Name: "trace.bin"})
	d.keys("9 L").golden("times-crash")
	d.keys("g j d").has("duration   unknown: it did not end")
}

// TestColumnsAlign: at each width, the text of a column ends below its title, the row's text
// keeps the greater part, and rows without columns have none.
func TestColumnsAlign(t *testing.T) {
	r := timedTrace(t, timedSpec)
	d := drive(t, r, 80, 24, Options{})
	d.keys("j 2 e j")
	n := d.m.tree.Out.Cursor.Node
	took, ok := n.Time()
	if !ok {
		t.Fatalf("%q has no time", d.cursorText())
	}
	self, exact, known := n.Self()
	if !exact || !known {
		t.Fatalf("the time spent in %q itself is not known", d.cursorText())
	}
	in, _ := n.Parent().Time()
	count, _, _ := n.Count()
	want := map[string]string{
		"duration": d.m.env.Glyphs.Duration(took.Duration), "self": d.m.env.Glyphs.Duration(self),
		"share": display.Share(took.Duration, in.Duration), "children": screen.Count(count, true, true, d.m.env.Glyphs),
	}
	had := 0
	for width := screen.MinWidth; width <= 220; width++ {
		d.resize(width, 24)
		lines := strings.Split(d.screen(), "\n")
		head, row := []rune(lines[2]), []rune(lines[3+d.m.tree.Out.Line])
		shown := 0
		for title, text := range want {
			i := strings.Index(string(head), " "+title+" ")
			if i < 0 {
				continue
			}
			shown++
			end := len([]rune(string(head)[:i])) + 1 + len(title)
			if got := string(row[max(0, end-len([]rune(text))-1):end]); got != " "+text {
				t.Errorf("%d cells wide: %q below %s, not %q:\n%s\n%s", width, got, title, text, string(head), string(row))
			}
		}
		if shown < had {
			t.Errorf("%d cells wide: %d columns, but %d where there is less room", width, shown, had)
		}
		had = shown
		if tail := d.m.frame.view.TailWidth(d.line(n), width); tail > width*9/20 {
			t.Errorf("%d cells wide: %d for the columns", width, tail)
		}
	}
	if had != len(want) {
		t.Errorf("%d columns on a wide screen", had)
	}
}

// TestTimesThatDoNotFit tells why there are no durations, and shows the trace
// without them.
func TestTimesThatDoNotFit(t *testing.T) {
	for name, change := range map[string]func(times []byte) []byte{
		"not times":       func(b []byte) []byte { return append([]byte("nonsense"), b[8:]...) },
		"another version": func(b []byte) []byte { b[15] = 99; return b },
		"too short":       func(b []byte) []byte { return formattest.TimesOf(formattest.TimeCells(t, b)[:10]...) },
		"another trace":   func(b []byte) []byte { return formattest.TimesOf(formattest.TimeCells(t, b)[1:]...) },
	} {
		t.Run(name, func(t *testing.T) {
			path := formattest.File(t, timedSpec)
			times, err := os.ReadFile(path + ".tim")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+".tim", change(times), 0o644); err != nil {
				t.Fatal(err)
			}
			d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 120, 24, Options{})
			d.keys("j 2 e")
			d.send(env.TraceChanged{})
			d.has("⚠ no durations: ", "── children ─")
			all := strings.Join(d.m.env.Trace.Troubles(d.m.env.Glyphs), "\n")
			if strings.Count(all, "durations") != 1 {
				t.Errorf("said more than once: %s", all)
			}
			if screen := d.screen(); strings.Contains(screen, " self ") || strings.Contains(screen, "100 %") {
				t.Errorf("there are columns of times:\n%s", screen)
			}
			d.keys("L")
			if alarmed(d) {
				t.Errorf("L: %s", message(d))
			}
		})
	}
}

// TestLongest goes to the child that took longest, and further from there.
func TestLongest(t *testing.T) {
	d := drive(t, timedTrace(t, timedSpec), 100, 24, Options{})
	d.keys("g")
	at := d.m.tree.Out.Cursor.Node
	for level := 1; ; level++ {
		nodes, err := d.m.tree.Out.Tree.Children(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		var longest *lazy.Node
		most := int64(-1)
		for _, n := range nodes {
			if took, ok := n.Time(); ok && took.Duration > most {
				longest, most = n, took.Duration
			}
		}
		d.keys("L")
		if longest == nil {
			if d.m.tree.Out.Cursor.Node.Position() != at.Position() || level < 4 {
				t.Errorf("below %d levels the cursor is at %q", level, d.cursorText())
			}
			d.has("no timed children")
			break
		}
		if at = d.m.tree.Out.Cursor.Node; at.Position() != longest.Position() {
			text, _ := d.m.tree.Out.Text(longest)
			t.Fatalf("level %d: at %q, not at %q", level, d.cursorText(), text)
		}
	}
	end := d.cursorText()
	if d.keys("g 9 9 L"); d.cursorText() != end {
		t.Errorf("99L leads to %q, not to %q", d.cursorText(), end)
	}
}

// TestTimesOfGrowing: a thread whose end has not been read shows its time so far as a
// minimum, and no share.
func TestTimesOfGrowing(t *testing.T) {
	s := timedSpec
	s.N = 50_000
	path := formattest.File(t, s)
	if err := os.Remove(path + ".idx"); err != nil {
		t.Fatal(err)
	}
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	d := drive(t, r, 100, 24, Options{})
	check := func() {
		t.Helper()
		// The end of a node changes only between two updates.
		for _, n := range d.m.tree.Out.Tree.Threads() {
			row := d.m.tree.Rows([]lazy.Row{tree.RowOf(n)}, d.m.search.Highlight, d.m.marks.Sign)[0]
			text := strings.TrimSpace(ansi.Strip(d.m.frame.view.Draw(&row, tree.Indent{}, 55))) // the duration is the one column
			pending := n.State() == lazy.StatePending
			if !strings.HasSuffix(text, d.m.env.Glyphs.More) && pending != strings.Contains(text, "≥") {
				t.Errorf("pending %v: %q", pending, text)
			}
			if pending && screen.WholeCount(n) != 0 {
				t.Error("there are shares of what has not ended")
			}
		}
	}
	check()
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.send(env.TraceChanged{})
	check()
	if screen.WholeCount(d.m.tree.Out.Tree.Threads()[0]) == 0 {
		t.Error("all is known, but not how long the first thread took")
	}
}
