package ui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// threadCounts are the traces of the benchmarks by threads, each of about four calls.
var threadCounts = []int{1_000, 100_000, 1_000_000}

func threadsName(n int) string {
	if n >= 1_000_000 {
		return fmt.Sprintf("%dM", n/1_000_000)
	}
	return fmt.Sprintf("%dk", n/1000)
}

func goroutinesFile(tb testing.TB, n int) string {
	return formattest.File(tb, formattest.Spec{Shape: formattest.Goroutines, N: n, Seed: 1, Timed: true})
}

// threadsDrive returns an explorer of a trace of n threads, after its first screen.
func threadsDrive(tb testing.TB, n int) *driver {
	return drive(tb, uitest.Open(tb, goroutinesFile(tb, n), lazy.Options{NoWrite: true}), 120, 40, Options{})
}

// eventKeys returns the keys that go to an event.
func eventKeys(event int) string {
	return ": " + strings.Join(strings.Split(strconv.Itoa(event), ""), " ") + " enter"
}

// BenchmarkThreads shows what each key costs side by side: with a thousand,
// a hundred thousand and a million threads. A key's time includes the
// frame after it.
func BenchmarkThreads(b *testing.B) {
	b.Run("open", func(b *testing.B) {
		for _, n := range threadCounts {
			b.Run(threadsName(n), func(b *testing.B) { benchOpen(b, goroutinesFile(b, n)) })
		}
	})
	for _, bench := range []struct{ name, before, keys string }{
		{"frame", "", ""},
		{"down", "", "down up"},
		{"page", "", "pgdown pgup"},
		{"end", "", "G g"},
		{"expand", "", "right left"},
		{"expand-all", "", "E c"},
		{"collapse-everything", "", "C"},
		{"next-thread", "", "tab shift+tab"},
		{"event", "", ""},
		{"details", "d", "down up"},
		{"search", "", "/ p r o c e s s enter esc esc"},
		{"hit", "/ h a n d l e enter", "n N"},
		{"list", "", "t esc"},
		{"list-scroll", "t", "G g pgdown"},
		{"list-filter", "t", "/ 7 7 esc"},
		{"list-sort-name", "t", "s esc t"},
		{"list-sort-duration", "t s", "s esc t s"},
		{"list-sort-calls", "t s s", "s esc t s s"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for _, n := range threadCounts {
				b.Run(threadsName(n), func(b *testing.B) {
					d := threadsDrive(b, n)
					keys := bench.keys
					if bench.name == "event" { // two of late threads
						keys = eventKeys(3*n+n/2) + " " + eventKeys(3*n)
					}
					d.keys(bench.before)
					d.keys(keys) // the keys that are needed once for a trace
					d.m.View()
					b.ReportAllocs()
					for b.Loop() {
						d.keys(keys)
						d.m.View()
					}
				})
			}
		})
	}
}

// benchOpen opens a trace and draws the first screen, without waiting for the reader's work in
// the background.
func benchOpen(b *testing.B, path string) {
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
}

// BenchmarkThreadTree shows what keys of the list of threads cost where it is a tree.
func BenchmarkThreadTree(b *testing.B) {
	for _, bench := range []struct{ name, before, keys string }{
		{"open", "t esc", "t esc"},
		{"first-open", "", ""},
		{"end", "t", "G g"},
		{"collapse", "t", "h l"},
		{"collapse-below", "t j", "h l"},
		{"statement", "t j O", "t j O"},
		{"sort", "t", "s s s s s"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for _, n := range threadCounts {
				b.Run(threadsName(n), func(b *testing.B) {
					path := formattest.File(b, formattest.Spec{Shape: formattest.Goroutines, N: n, Seed: 1, Timed: true, Started: true})
					r := uitest.Open(b, path, lazy.Options{NoWrite: true})
					d := drive(b, r, 120, 40, Options{})
					if bench.before != "" {
						d.keys(bench.before)
					}
					b.ReportAllocs()
					for b.Loop() {
						if bench.keys == "" {
							b.StopTimer()
							d = drive(b, r, 120, 40, Options{})
							b.StartTimer()
							d.keys("t")
							continue
						}
						d.keys(bench.keys)
						d.m.View()
					}
				})
			}
		})
	}
}
