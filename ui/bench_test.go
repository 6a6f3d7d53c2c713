package ui

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/uitest"
)

// benchSizes are the traces of the benchmarks, in calls.
var benchSizes = []int{1_000_000, 20_000_000}

func benchSpec(n int) formattest.Spec { return formattest.Spec{Shape: formattest.Calls, N: n, Seed: 1} }

func sizeName(n int) string { return fmt.Sprintf("%dM-calls", n/1_000_000) }

// BenchmarkFirstFrame opens a trace and draws the first screen, without waiting for the
// reader's work in the background.
func BenchmarkFirstFrame(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(sizeName(n), func(b *testing.B) {
			path := formattest.File(b, benchSpec(n))
			for b.Loop() {
				r, err := lazy.Open(path, lazy.Options{NoWrite: true})
				if err != nil {
					b.Fatal(err)
				}
				m := New(r, Options{})
				m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
				if len(m.View().Content) < 120*40 {
					b.Fatal("no screen")
				}
				b.StopTimer()
				m.env.Close()
				r.Close()
				b.StartTimer()
			}
		})
	}
}

// benchDrive returns an explorer after its first screen.
func benchDrive(b *testing.B, n int) *driver {
	r := uitest.Open(b, formattest.File(b, benchSpec(n)), lazy.Options{NoWrite: true})
	return drive(b, r, 120, 40, Options{})
}

// BenchmarkScroll goes down a row and draws, in a tree that is open.
func BenchmarkScroll(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(sizeName(n), func(b *testing.B) {
			d := benchDrive(b, n)
			d.keys("E g")
			down := keys.Press("down")
			b.ReportAllocs()
			for b.Loop() {
				d.send(down)
				d.m.View()
			}
		})
	}
}

// BenchmarkType types a character at the end of the command line, takes it back, and draws both times.
func BenchmarkType(b *testing.B) {
	for _, n := range []int{10, 490} {
		b.Run(fmt.Sprintf("%d-characters", n), func(b *testing.B) {
			d := benchDrive(b, benchSizes[0])
			d.keys(":")
			d.send(tea.PasteMsg{Content: strings.Repeat("ä1 ", n/3)})
			x, back := keys.Press("x"), keys.Press("backspace")
			b.ReportAllocs()
			for b.Loop() {
				d.send(x)
				d.m.View()
				d.send(back)
				d.m.View()
			}
		})
	}
}

// BenchmarkPage goes down a screen through a node of a million children, which are loaded on
// the way, and draws.
func BenchmarkPage(b *testing.B) {
	const n = 1_000_000
	b.Run("1M-children", func(b *testing.B) {
		path := formattest.File(b, formattest.Spec{Shape: formattest.WideCalls, N: n, Seed: 1})
		d := drive(b, uitest.Open(b, path, lazy.Options{NoWrite: true}), 120, 40, Options{})
		page, first := keys.Press("pgdown"), keys.Press("home")
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%20_000 == 19_999 {
				d.send(first)
			}
			d.send(page)
			d.m.View()
		}
	})
}

// BenchmarkExpand opens a call whose children are not loaded, draws, and
// unloads them.
func BenchmarkExpand(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(sizeName(n), func(b *testing.B) {
			d := benchDrive(b, n)
			d.keys("G")
			for d.m.tree.Out.Cursor.Node.Leaf() {
				d.keys("k")
			}
			unload, expand := keys.Press("x"), keys.Press("right")
			b.ReportAllocs()
			for b.Loop() {
				d.send(unload)
				d.send(expand)
				d.m.View()
			}
		})
	}
}

// BenchmarkDraw draws a screen.
func BenchmarkDraw(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {240, 80}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			d := drive(b, uitest.Recorded(b, "gson.dump"), size[0], size[1], Options{})
			d.keys("E g")
			b.ReportAllocs()
			for b.Loop() {
				d.m.View()
			}
		})
	}
}

// TestKeysAreQuick checks that the cost of a key in a trace with many children depends only on the
// screen. It counts loads and allocations, not time, which also depends on other work of the machine.
func TestKeysAreQuick(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.WideCalls, N: 200_000, Seed: 1})
	d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 120, 40, Options{})
	read := func() int64 {
		s := d.m.tree.Out.Tree.Stats()
		return s.Loaded + s.Forgotten
	}
	for _, key := range []string{"pgdown", "G", "pgup", "home", "down", "d", "x", "right", "*", "r", "e"} {
		var before, after runtime.MemStats
		nodes := read()
		runtime.ReadMemStats(&before)
		_, cmd := d.m.Update(keys.Press(key))
		d.m.View()
		runtime.ReadMemStats(&after)
		d.run(cmd)
		if n := read() - nodes; n > 400 {
			t.Errorf("%s loads %d nodes for 40 rows", key, n)
		}
		// A key that needed each child would allocate five times as much. For * a search runs
		// meanwhile, and after r the children are counted again, on goroutines of their own.
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 && key != "*" && key != "r" {
			t.Errorf("%s allocates %d bytes for 40 rows", key, n)
		}
	}
}

// BenchmarkDeep goes down a row and draws, 50,000 calls deep.
func BenchmarkDeep(b *testing.B) {
	b.Run("100k-nested", func(b *testing.B) {
		path := formattest.File(b, formattest.Spec{Shape: formattest.Deep, N: 100_000, Seed: 1})
		d := drive(b, uitest.Open(b, path, lazy.Options{NoWrite: true}), 120, 40, Options{})
		d.keys(": 5 0 % enter")
		up, down := keys.Press("up"), keys.Press("down")
		for b.Loop() {
			d.send(up)
			d.send(down)
			d.m.View()
		}
	})
}
