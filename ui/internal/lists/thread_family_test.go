package lists

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/uitest"
)

func started(n int) formattest.Spec {
	return formattest.Spec{Shape: formattest.Goroutines, N: n, Seed: 1, Started: true}
}

// TestFolds compares the lines of a tree with a plain calculation, with threads collapsed at random.
func TestFolds(t *testing.T) {
	all := uitest.Open(t, formattest.File(t, started(300)), lazy.Options{NoWrite: true}).ThreadList()
	forest, err := goroutines.NewForest(t.Context(), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := family{Forest: forest}
	random := rand.New(rand.NewPCG(5, 1))
	for range 300 {
		thread := random.IntN(all.Len())
		f.fold(thread, random.IntN(3) > 0)
		var want []int
		above := make(map[int]int) // of a thread that is left out: the one to look at
		for place := range all.Len() {
			i := f.At(place)
			p, ok := f.Parent(i)
			over, out := above[p]
			switch {
			case ok && out:
				above[i] = over
				continue
			case ok && f.isFolded(p):
				above[i] = p
				continue
			}
			want = append(want, i)
		}
		var got []int
		for line := range f.len() {
			got = append(got, f.thread(line))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("lines %v, want %v", got, want)
		}
		for i := range all.Len() {
			shown := i
			if over, out := above[i]; out {
				shown = over
			}
			if line := f.line(i); got[line] != shown {
				t.Fatalf("thread %d is shown by line %d, of thread %d, not %d", i, line, got[line], shown)
			}
		}
	}
}

// TestTreeAtOnce: a list of goroutines becomes a tree, with the cursor on its thread; the threads
// above those that a filter passes are shown, too.
func TestTreeAtOnce(t *testing.T) {
	r := uitest.Open(t, formattest.File(t, started(3000)), lazy.Options{NoWrite: true})
	l := listed(t, r.ThreadList(), false, 100)
	if l.ID(50) != 50 || !strings.Contains(l.view(), " 3,000 threads, sorting as a tree ") {
		t.Error("the list is not there at first")
	}
	l.settle()
	if l.order != asTree || l.ID(l.Selected()) != 100 || !strings.Contains(l.view(), " 3,000 threads as a tree ") {
		t.Errorf("thread %d of\n%s", l.ID(l.Selected()), l.view())
	}
	l.keys("/goroutine 20")
	want := make(map[int]bool)
	passed := 0
	f := l.family.Forest
	for i := range 3000 {
		passes := false
		l.all.Names(func(yield func(int) bool) { yield(i) }, func(_ int, name []byte) bool {
			passes = strings.Contains(string(name), "goroutine 20")
			return true
		})
		if passes {
			passed++
			want[i] = true
			f.Ancestors(i, func(above int) bool { want[above] = true; return true })
		}
	}
	var lines []int
	for place := range 3000 {
		if want[f.At(place)] {
			lines = append(lines, f.At(place))
		}
	}
	if !slices.Equal(l.family.lines, lines) || passed < 100 || len(l.Scan.Passed) != passed {
		t.Errorf("%d lines for %d that pass of %d, want %d", len(l.family.lines), len(l.Scan.Passed), passed, len(lines))
	}
	if !l.family.passes(l.number(l.Selected())) {
		t.Error("the cursor is on a thread that does not pass")
	}
	l.HandleKey(tea.KeyPressMsg{Code: tea.KeyEscape})
	l.settle()
	if l.Count() != 3000 {
		t.Errorf("%d lines without the filter", l.Count())
	}
	for o := range asTree { // by number, by name, by calls; the trace has no durations
		if o == lazy.ByDuration {
			continue
		}
		if l.keys("s"); l.order != o {
			t.Errorf("order %d after %d", l.order, o)
		}
	}
	if l.keys("s"); l.order != asTree {
		t.Errorf("order %d", l.order)
	}
}

// TestTreeGrows: threads that appear get their place in the tree; what is collapsed stays so, and the
// cursor on its thread.
func TestTreeGrows(t *testing.T) {
	open := func(n int) *lazy.ThreadList {
		return uitest.Open(t, formattest.File(t, started(n)), lazy.Options{NoWrite: true}).ThreadList()
	}
	few, more := open(40), open(300)
	l := listed(t, few, false, 3)
	l.settle()
	l.keys("h") // collapses thread 3
	l.now = more
	l.settle()
	below := l.family.Below(3)
	if l.ID(l.Selected()) != 3 || l.Count() != 300-below || below < 8 {
		t.Errorf("thread %d, %d lines", l.ID(l.Selected()), l.Count())
	}
	l.keys("/main.worker")
	l.now = few
	l.settle()
	if l.Count() != 40 || l.all != few {
		t.Errorf("%d lines", l.Count())
	}
}
