package ui

import (
	"runtime"
	"testing"
)

// TestKeysCostTheSameWithManyThreads checks that the cost of each key, including the frame
// after it, depends only on the screen. It counts allocations and loads, not time, which also
// depends on other work of the machine. One number, or one node, for each thread would cost
// many times as much.
func TestKeysCostTheSameWithManyThreads(t *testing.T) {
	few := threadsDrive(t, 200)
	many := threadsDrive(t, 40_000)
	for _, d := range []*driver{few, many} {
		d.keys(": 0 enter") // reads all threads, to know which has which event
	}
	check := func(keys, manyKeys string) {
		want, wantNodes := few.cost(keys)
		got, gotNodes := many.cost(manyKeys)
		if got > 2*want+64<<10 {
			t.Errorf("%s allocates %d bytes with 40,000 threads, %d with 200", keys, got, want)
		}
		if gotNodes > 2*wantNodes+400 {
			t.Errorf("%s loads %d nodes with 40,000 threads, %d with 200", keys, gotNodes, wantNodes)
		}
	}
	check(eventKeys(3*200), eventKeys(3*40_000)) // of a late thread
	for _, keys := range []string{
		"j", "k", "right", "left", "pgdown", "pgup", "G", "g", "e", "c", "C", "tab", "shift+tab", "J", "x", "i", "i",
		"d", "j", "}", "d", "r", "r", ": t 1 5 0 enter", ": 5 0 % enter", "? esc",
		"t", "G", "pgup", "g", "enter", "t", "esc",
	} {
		check(keys, keys)
	}
}

// cost returns the bytes that keys and the frame after each allocate, and how many nodes they load.
func (d *driver) cost(keys string) (bytes uint64, nodes int64) {
	loaded := func() int64 {
		s := d.m.tree.Out.Tree.Stats()
		return s.Loaded + s.Forgotten
	}
	var before, after runtime.MemStats
	was := loaded()
	runtime.ReadMemStats(&before)
	d.keys(keys)
	d.m.View()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, loaded() - was
}
