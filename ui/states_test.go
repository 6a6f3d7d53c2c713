package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestPendingSettles shows a trace without index before all of it is known;
// afterwards nothing is left that waits for its end.
func TestPendingSettles(t *testing.T) {
	for _, name := range []string{"crash.stream.bin", "blocks.stream.bin", "gson.dump.bin"} {
		r, err := lazy.Open(formattest.Unpack(t, name), lazy.Options{NoWrite: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		d := drive(t, r, 100, 24, Options{})
		// What is not settled after it was asked was not settled before either.
		about := strings.Join(d.m.about(), " ")
		if !d.m.settled() && !strings.Contains(about, "≥ ") {
			t.Errorf("%s: the number of calls reads as if all were known: %q", name, about)
		}
		d.keys("l j l j l j l")
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.send(changed{})
		d.keys("g")
		for _, row := range d.m.out.rows {
			if row.Node != nil && row.Node.State() == lazy.StatePending {
				text, _ := d.m.text(row.Node)
				t.Errorf("%s: %q still waits for its end", name, text)
			}
		}
		if about = strings.Join(d.m.about(), " "); strings.Contains(about, "≥ ") {
			t.Errorf("%s: all is known, but it says %q", name, about)
		}
		if strings.Contains(d.screen(), "rebuilding") {
			t.Errorf("%s: still rebuilding:\n%s", name, d.screen())
		}
	}
}

// TestStopLoading shows in the row that loading was stopped, and loads at Enter.
func TestStopLoading(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	d.keys("j j j")
	d.m.loads.cancel()
	d.keys("l").has("stopped; Enter loads it")
	d.m.loads.stop()
	d.keys("j enter").has("factories.size(): 0")
	if strings.Contains(d.screen(), "Enter loads it") {
		t.Error("the row is still there")
	}
}

// TestLoadsAreDropped drops what was loaded for a tree that is not shown any
// more.
func TestLoadsAreDropped(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 80, 24, Options{})
	old := d.m.out.t
	d.keys("r")
	d.send(loaded{t: old, key: loadKey{gap: lazy.Row{Parent: old.Threads()[0]}}, err: os.ErrInvalid})
	if len(d.m.loads.failed) > 0 || strings.Contains(d.screen(), "cannot") {
		t.Error("the end of an old load was taken")
	}
}

// TestThousandThreads lists them, and goes to one.
func TestThousandThreads(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: 1000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.has("1,000 threads")
	d.keys("t").has("1,000 threads")
	d.keys("G enter")
	if n := d.m.out.cursor.Node; n == nil || n.Thread() != d.m.out.t.Threads()[999].Thread() {
		t.Errorf("at %q", d.cursorText())
	}
	d.keys("tab")
	if n := d.m.out.cursor.Node; n.Thread() != d.m.out.t.Threads()[0].Thread() {
		t.Errorf("Tab from the last thread goes to %q", d.cursorText())
	}
	d.keys("shift+tab shift+tab")
	if n := d.m.out.cursor.Node; n.Thread() != d.m.out.t.Threads()[998].Thread() {
		t.Errorf("Shift-Tab goes to %q", d.cursorText())
	}
}

// TestDeep walks down a trace that is nested 100,000 deep, and jumps to its
// bottom.
func TestDeep(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Deep, N: 100_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.keys(": 5 0 % enter")
	if n := d.m.out.cursor.Node; n == nil || n.Depth() < 40_000 {
		t.Fatalf("at %q", d.cursorText())
	}
	d.keys("d j k pgdown pgup h l")
	d.screen()
}

// TestExpandIsBounded stops at its limit and says so.
func TestExpandIsBounded(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.WideCalls, N: 100_000, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.keys("E").has("stopped at ")
	if n := d.m.out.t.Stats().Loaded; n < expandLimit || n > expandLimit+1000 {
		t.Errorf("%d rows loaded", n)
	}
}

// TestHugeNode goes to the end of a node with many children and back, and shows
// its count when that is known.
func TestHugeNode(t *testing.T) {
	const n = 200_000
	r := uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.WideLeaves, N: n, Seed: 1}), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.has("200,0")
	d.keys("G")
	if p := d.m.out.cursor.Node.Position(); p < 0.99 {
		t.Errorf("G goes to %f", p)
	}
	d.keys("pgup pgup g")
	if st := d.m.out.t.Stats(); st.Loaded > 2000 {
		t.Errorf("%d rows were loaded", st.Loaded)
	}
}

// TestSource finds the source of a row, shows it and opens it in the editor.
func TestSource(t *testing.T) {
	dir := t.TempDir()
	for _, pkg := range []string{"a/app", "b/other"} {
		folder := filepath.Join(dir, pkg)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		var lines strings.Builder
		for i := range 40 {
			fmt.Fprintf(&lines, "\tline %d of %s\x1b[31m\n", i+1, pkg)
		}
		if err := os.WriteFile(filepath.Join(folder, "Libs.java"), []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := uitest.Recorded(t, "gson.dump")
	d := drive(t, r, 130, 40, Options{Source: []string{dir}})
	d.keys("5 j d").has("at         Libs.java:8", `    line 8 of a/app\x1b[31m`)
	if want := filepath.Join(dir, "a", "app", "Libs.java"); d.m.source.found.Path != want {
		t.Errorf("found %q, not %q", d.m.source.found.Path, want)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", self+" --wait")
	if d.keys("o"); len(d.sent) != 1 {
		t.Errorf("%d messages for the terminal; %s", len(d.sent), message(d))
	}
	t.Setenv("VISUAL", filepath.Join(dir, "no-such-editor"))
	d.keys("o").has("cannot start the editor")
	d = drive(t, r, 130, 40, Options{Source: []string{t.TempDir()}})
	d.keys("5 j o").has("Libs.java is not under")
	d = drive(t, r, 130, 40, Options{})
	d.keys("5 j o").has("start tracex with --source FOLDER")
}

// TestCalls speaks of one call as of one.
func TestCalls(t *testing.T) {
	for n, want := range map[int64]string{0: "0 calls", 1: "1 call", 2: "2 calls", 12_300: "12.3 k calls"} {
		if got := screen.Calls(n); got != want {
			t.Errorf("%d: %q, not %q", n, got, want)
		}
	}
}

// TestDamagedIsSaid says at each size that a recording was cut short, and shows
// no result of a call that has none.
func TestDamagedIsSaid(t *testing.T) {
	r := uitest.Open(t, formattest.Unpack(t, "crash.stream.bin"), lazy.Options{NoWrite: true})
	d := drive(t, r, 80, 24, Options{})
	d.has("⚠ cut short at offset 4,729,214: no more can be read; 6 events unfinished")
	d.resize(40, 10)
	d.has("⚠ ")
	d.keys("g j d")
	d.resize(140, 40)
	d.has("unfinished: the recording ended within it")
	if screen := d.screen(); strings.Contains(screen, "result ") {
		t.Errorf("a call that did not end has a result:\n%s", screen)
	}
}

// TestHintsSayHowToGetOut: in a narrow window, too, the bottom line of a list
// says how it is closed.
func TestHintsSayHowToGetOut(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		d := drive(t, uitest.Recorded(t, "threads.stream"), minWidth, minHeight, Options{ASCII: ascii})
		d.keys("?").has("   Esc closes")
		d.keys("/ a").has("   Esc clears it")
		d.keys("esc esc t").has(" / filter   Esc closes")
	}
}

// TestThreadFilter looks for threads by their names alone, all of them.
func TestThreadFilter(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "threads.stream"), 80, 24, Options{})
	d.keys("t").has("127 calls, 13 KiB")
	d.keys("/ 1 6 9").has("nothing here contains 169")
	d.keys("esc / k e r - 2").has("Thread 3 (worker-2)")
	if screen := d.screen(); strings.Contains(screen, "worker-1") {
		t.Errorf("not filtered:\n%s", screen)
	}
	d.resize(40, 10)
	d.keys("esc esc t / w o r k e r - 2").has("Thread 3 (")
}

// TestSearchSaysWhyItEnded searches a file that was cut short while it was
// open.
func TestSearchSaysWhyItEnded(t *testing.T) {
	path := formattest.Unpack(t, "flat.stream.bin", "flat.stream.bin.idx")
	d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 200, 24, Options{})
	if err := os.Truncate(path, 100_000); err != nil {
		t.Skip("a file that is open cannot be cut short here: ", err)
	}
	d.keys("/").typed("not to be found").keys("enter")
	d.has("stopped at", "then: offset", "cut short")
}
