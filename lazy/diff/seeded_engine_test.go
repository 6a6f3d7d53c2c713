package diff

import (
	"fmt"
	"maps"
	"os"
	"testing"

	"tracex/format/formattest"
)

// reported returns the differences of a diff of two files of a pair, whichever is A, as differences from the first to the second one.
func (p *seededPair) reported(d *Diff, a, b *seededFile) ([]difference, error) {
	var list []difference
	var threads [2]int32
	at := func(f *seededFile, on int, at int64) (*grown, error) {
		g := f.places[seededPlace{threads[on], at}]
		if g == nil {
			return nil, fmt.Errorf("no point of thread %d is at %d", threads[on], at)
		}
		return g, nil
	}
	for s, err := range d.script.all() {
		if err != nil {
			return nil, err
		}
		var x, y *grown
		if s.kind == stepThread {
			threads = [2]int32{int32(s.a), int32(s.b)}
		}
		if !s.counts() {
			continue
		}
		if s.kind != stepAdded {
			x, err = at(a, 0, s.a)
		}
		if s.kind != stepRemoved && err == nil {
			y, err = at(b, 1, s.b)
		}
		if err != nil {
			return nil, err
		}
		how := s.kind
		if how == stepEnter {
			how = stepPair
		}
		if a.second { // turned round
			x, y = y, x
			switch how {
			case stepRemoved:
				how = stepAdded
			case stepAdded:
				how = stepRemoved
			}
		}
		list = append(list, differs(how, s.moved, s.named, x, y))
	}
	return list, nil
}

// diffed returns the differences of a diff from A to B.
func (p *seededPair) diffed(t *testing.T, a, b *seededFile) map[difference]int {
	t.Helper()
	d := New(a.r, b.r, Options{})
	if err := d.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	list, err := p.reported(d, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return counted(list)
}

// TestSeededDiffs: of 500 pairs with one to fifty changes, 95 of 100 changes are named at their place, and hardly anything else is; the diff
// from B to A mirrors that from A to B; a trace does not differ from itself. What is missed is what can be told in two ways: one of
// three empty iterations got a call, and an empty one was added, or an iteration with a call was added.
func TestSeededDiffs(t *testing.T) {
	pairs := uint64(500)
	if testing.Short() || formattest.Race {
		pairs = 60
	}
	total, named, more := map[string]int{}, map[string]int{}, 0
	clean := 0
	for seed := range pairs {
		p := newSeededPair(t, seed)
		dir := t.TempDir()
		a, b := p.open(t, dir, false), p.open(t, dir, true)
		got := p.diffed(t, a, b)
		if back := p.diffed(t, b, a); !maps.Equal(got, back) {
			t.Errorf("pair %d: from A to B %d differences, from B to A %d, or others", seed, len(got), len(back))
		}
		if same := p.diffed(t, b, b); len(same) > 0 {
			t.Errorf("pair %d: a trace differs from itself: %v", seed, same)
		}
		missed, others := p.miss(got, total, named)
		if more += others; missed+others == 0 {
			clean++
		} else {
			t.Logf("pair %d: %d missed, %d more, of %v", seed, missed, others, p.made)
		}
		a.r.Close()
		b.r.Close()
		os.RemoveAll(dir)
	}
	all, found := 0, 0
	for k, n := range total {
		all, found = all+n, found+named[k]
		if named[k]*20 < n*19 {
			t.Errorf("%s: %d of %d are named", k, named[k], n)
		}
	}
	t.Logf("%d of %d differences are named at their place, %d others are; %d of %d pairs are as they should be", found, all, more, clean, pairs)
	if more*20 > all {
		t.Errorf("%d differences are named that were not made, beside %d", more, all)
	}
	if uint64(clean)*100 < pairs*95 {
		t.Errorf("%d of %d pairs are as they should be", clean, pairs)
	}
}

// miss counts by kind what must be named and what is, and returns how much is not, and how much else is.
func (p *seededPair) miss(got map[difference]int, total, named map[string]int) (missed, others int) {
	got = maps.Clone(got)
	for _, d := range p.want() {
		kind := d.kind()
		total[kind]++
		if got[d] > 0 {
			got[d]--
			named[kind]++
		} else {
			missed++
		}
	}
	for _, n := range got {
		others += n
	}
	return missed, others
}

// kind returns what sort of difference it is.
func (d *difference) kind() string {
	switch {
	case d.moved:
		return "moved"
	case d.named:
		return "renamed"
	case d.how == stepRemoved:
		return "removed"
	case d.how == stepAdded:
		return "added"
	}
	return "edited"
}
