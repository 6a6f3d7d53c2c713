package diff

import (
	"fmt"
	"maps"
	"os"
	"testing"

	"tracex/format"
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

// TestSeededMoves: what was moved and renamed knows its partner, and the call around it, on both sides.
func TestSeededMoves(t *testing.T) {
	pairs := uint64(300)
	if testing.Short() || formattest.Race {
		pairs = 60
	}
	twins, all := map[bool]int{}, map[bool]int{}
	for seed := range pairs {
		p, dir := newSeededPair(t, seed), t.TempDir()
		if p.made[changeMoved]+p.made[changeRenamed] == 0 {
			continue
		}
		files := [2]*seededFile{p.open(t, dir, false), p.open(t, dir, true)}
		d := New(files[0].r, files[1].r, Options{})
		if err := d.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		r, places, err := d.Open(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		at := func(event int32, side int) *grown {
			pair, err := places.Of(event)
			if err != nil {
				t.Fatal(err)
			}
			return files[side].places[seededPlace{pair.Thread[side], pair.At[side]}]
		}
		counts, marks, found := d.Counts(), marksOf(t, r), map[bool]int64{}
		for _, m := range r.Moves() {
			side := 0
			if marks[m.Event] == format.DiffAdded {
				side = 1
			}
			other, ok := r.Moves().Of(m.Partner)
			g, partner := at(m.Event, side), at(m.Partner, 1-side)
			if !ok || other.Partner != m.Event || other.Renamed != m.Renamed || g == nil || partner == nil {
				t.Fatalf("pair %d: %+v has the partner %+v, at %v and %v", seed, m, other, g, partner)
			}
			if marks[m.Event] == format.DiffUnchanged || marks[m.Event] == marks[m.Partner] {
				t.Errorf("pair %d: %+v is marked %d, its partner %d", seed, m, marks[m.Event], marks[m.Partner])
			}
			if same := g.point.Class == partner.point.Class && g.point.Ref == partner.point.Ref; same == m.Renamed {
				t.Errorf("pair %d: %+v is of %d, its partner of %d", seed, m, g.point.Ref, partner.point.Ref)
			}
			var name string
			r.WithContext(func(c *format.Context) { name = c.Method(m.Ref).Name })
			if want := p.references[format.KindMethodDescriptor][g.point.Ref].(*format.MethodDescriptor).Name; m.Class == format.ClassCall && name != want {
				t.Errorf("pair %d: %+v is of %s, want %s", seed, m, name, want)
			}
			around := g.parent
			for around.parent != nil && around.point.Class != format.ClassCall {
				around = around.parent
			}
			if in := around.parent == nil; in != (m.Call < 0) || !in && at(m.Call, side) != around {
				t.Errorf("pair %d: %+v is in event %d, which is not the call around it", seed, m, m.Call)
			}
			found[m.Renamed]++
			if all[m.Renamed]++; g.twin == partner {
				twins[m.Renamed]++
			}
		}
		if found[false] != 2*counts.Moved || found[true] != 2*counts.Renamed {
			t.Errorf("pair %d: %v, the counts are %+v", seed, found, counts)
		}
		for _, c := range []interface{ Close() error }{r, places, d, files[0].r, files[1].r} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	// Of equal ones, another one may be the partner.
	for _, renamed := range []bool{false, true} {
		if twins[renamed] < 20 || 20*twins[renamed] < 19*all[renamed] {
			t.Errorf("renamed %v: %d of %d have the partner that they were made of", renamed, twins[renamed], all[renamed])
		}
	}
	t.Log(twins, all)
}
