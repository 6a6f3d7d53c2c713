package query

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// foundDifferences makes the Differences of a trace in parts of share bytes; 0 for the usual.
func foundDifferences(t *testing.T, r *lazy.LazyTraceReader, raw bool, share int64) *Differences {
	t.Helper()
	scope, err := ScopeOf(t.Context(), r, raw, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := NewDifferences(r, scope)
	pass := scope.Over(d)
	pass.Share = share
	if err := r.Pass(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	d.Finish()
	return d
}

// TestDifferences: the places are those that filters find, with one for an edited pair, however the trace is divided
// into parts.
func TestDifferences(t *testing.T) {
	for _, name := range []string{"diff-gson.packedtrace", "diff-jackson.v27.packedtrace"} {
		r := opened(t, formattest.Unpack(t, name))
		for _, raw := range []bool{false, true} {
			all := load(t, r, raw)
			var want []lazy.Position
			pairs := 0
			for i, p := range all {
				switch d := p.point.Diff; {
				case d == format.DiffRemoved || d == format.DiffAdded:
					if p.parent == nil || p.parent.point.Diff != d {
						want = append(want, p.at)
					}
				case d == format.DiffEditedNew:
					want = append(want, p.at)
				case d == format.DiffEditedOld:
					if len(p.children) > 0 || i+1 == len(all) || all[i+1].point.Diff != format.DiffEditedNew || all[i+1].parent != p.parent {
						want = append(want, p.at)
						continue
					}
					pairs++
				}
			}
			for _, share := range []int64{0, 1_500, 40_009} {
				d := foundDifferences(t, r, raw, share)
				var got []lazy.Position
				for i := range len(want) + 1 {
					if at, ok := d.Set.Place(i); ok {
						got = append(got, at)
					}
				}
				if !slices.Equal(got, want) || d.Counts().All() != int64(len(want)) || !d.Set.Done() {
					t.Errorf("%s raw %v, parts of %d: %v\nwant %v\n%+v", name, raw, share, got, want, d.Counts())
				}
				if share > 0 {
					if one, other := tableText(d), tableText(foundDifferences(t, r, raw, 0)); one != other {
						t.Errorf("%s raw %v, parts of %d:\n%s\nin one:\n%s", name, raw, share, one, other)
					}
				}
			}
			if pairs == 0 {
				t.Errorf("%s raw %v: no edited pair: the test tests little", name, raw)
			}
		}
	}
}

// tableText returns the rows of a table.
func tableText(d *Differences) (text string) {
	tab := d.Table(View{Done: 1, G: &display.Unicode})
	text = tab.Title + "\n"
	for i := range tab.Rows.Len() {
		text += tab.RowText(i, &display.Unicode) + "\n"
	}
	return text
}

// TestDifferencesMoved: two rows of a moved pair are one kind of change with two places, also if one of them alone matches; all
// other counts stay.
func TestDifferencesMoved(t *testing.T) {
	path := formattest.Unpack(t, "diff-jackson.v27.packedtrace")
	var row [2]*point // removed, added
	for _, p := range load(t, opened(t, path), true) {
		if d := p.point.Diff; p.parent == nil || p.parent.point.Diff == d {
			continue
		} else if i := slices.Index([]format.DiffStatus{format.DiffRemoved, format.DiffAdded}, d); i >= 0 {
			row[i] = p
		}
	}
	for _, renamed := range []bool{false, true} {
		moves := lazy.Moves{}
		for i, p := range row {
			moves = append(moves, lazy.Move{Event: p.point.Event, Partner: row[1-i].point.Event, Renamed: renamed, Class: p.point.Class, Ref: p.point.Ref, Call: int32(i), Method: -1})
		}
		slices.SortFunc(moves, func(x, y lazy.Move) int { return int(x.Event - y.Event) })
		r, err := lazy.Open(path, lazy.Options{NoWrite: true, Moves: moves})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		kind, pairs := "moved", DifferenceCounts{Moved: 1}
		if renamed {
			kind, pairs = "renamed", DifferenceCounts{Renamed: 1}
		}
		want := foundDifferences(t, opened(t, path), true, 0).Counts()
		for _, share := range []int64{0, 1_500} {
			d := foundDifferences(t, r, true, share)
			got := d.Counts()
			if got.Removed != want.Removed || got.Added != want.Added || got.Edited != want.Edited || got.Moved != pairs.Moved || got.Renamed != pairs.Renamed {
				t.Errorf("%s: %+v, want %+v and a pair", kind, got, want)
			}
			tab, places, of := d.Table(View{Done: 1, G: &display.Unicode}), int64(0), int64(0)
			for i := range tab.Rows.Len() {
				n := tab.Rows.Row(i)[tab.Column("places")].Int()
				if places += n; tab.Rows.Row(i)[tab.Column("kind")].Text() == kind {
					of = n
				}
			}
			if places != want.All() || of != 2 || !strings.Contains(tab.Title, " · removed and added again: 1 "+kind+" · ") {
				t.Errorf("%s: %d places, %d of the kind: %s", kind, places, of, tab.Title)
			}
		}
		e, err := filter.Parse("status=" + kind + " status=removed")
		if err != nil {
			t.Fatal(err)
		}
		scope, err := ScopeOf(t.Context(), r, true, nil, nil, e)
		if err != nil {
			t.Fatal(err)
		}
		d := NewDifferences(r, scope)
		if err := r.Pass(t.Context(), scope.Over(d)); err != nil {
			t.Fatal(err)
		}
		pairs.Removed = 1
		if got := d.Counts(); got != pairs {
			t.Errorf("of the removed row alone: %+v, want %+v", got, pairs)
		}
	}
}

// TestDifferencesOfFilter: only what the filter of a scope matches counts.
func TestDifferencesOfFilter(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "diff-gson.packedtrace"))
	e, err := filter.Parse("status=added")
	if err != nil {
		t.Fatal(err)
	}
	scope, err := ScopeOf(context.Background(), r, false, nil, nil, e)
	if err != nil {
		t.Fatal(err)
	}
	d := NewDifferences(r, scope)
	if err := r.Pass(t.Context(), scope.Over(d)); err != nil {
		t.Fatal(err)
	}
	if n := d.Counts(); n.Added == 0 || n.Added != n.All() {
		t.Errorf("%+v", n)
	}
}

// TestDifferencesTook: a row has the sums of its places, on the sides that have them, and sorts by the difference.
func TestDifferencesTook(t *testing.T) {
	for _, share := range []int64{0, 1_500} {
		for _, name := range []string{"diff-gson.packedtrace", "diff-jackson.v27.packedtrace"} {
			r := opened(t, formattest.Unpack(t, name))
			d := NewDifferences(r, Scope{})
			d.Took = func(int32) ([2]int64, error) { return [2]int64{100, 350}, nil }
			pass := (&Scope{}).Over(d)
			pass.Share = share
			if err := r.Pass(t.Context(), pass); err != nil {
				t.Fatal(err)
			}
			d.Finish()
			got := d.Table(View{Sort: "more", Done: 1, G: &display.Unicode})
			last := int64(math.MaxInt64)
			for i := range got.Rows.Len() {
				row := RowOf(got, i)
				kind, _ := row.text("kind")
				n, _ := row.number("places")
				old, removed := row.number("took_old")
				now, added := row.number("took_new")
				more, ok := row.number("more")
				if removed == (kind == "added") || added == (kind == "removed") || removed && old != 100*n || added && now != 350*n || !ok || more != now-old {
					t.Errorf("%s: %s", name, got.RowText(i, &display.Unicode))
				}
				if more = max(more, -more); more > last {
					t.Errorf("%s: row %d: %d after %d", name, i, more, last)
				}
				last = more
			}
		}
	}
	r := opened(t, formattest.Unpack(t, "diff-gson.packedtrace"))
	d, broken := NewDifferences(r, Scope{}), errors.New("broken")
	d.Took = func(int32) ([2]int64, error) { return [2]int64{}, broken }
	if err := r.Pass(t.Context(), (&Scope{}).Over(d)); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// TestChanges: what is told to be different between two points is what is, without the identity of objects.
func TestChanges(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "diff-gson.packedtrace"))
	r.WithContext(func(c *format.Context) {
		var method int32 = -1
		for m := range c.Methods() {
			if len(m.Args) == 2 {
				method = m.ID
			}
		}
		call := func(class, hash int32, args ...int32) *format.Point {
			p := &format.Point{Class: format.ClassCall, Ref: method, Location: -1, Target: format.Value{Kind: format.ValueObject, ClassID: class, Bits: int64(hash)}}
			for _, n := range args {
				p.Args = append(p.Args, formattest.IntValue(int64(n)))
			}
			return p
		}
		end := func(n int32) *format.Footer { return &format.Footer{Result: formattest.IntValue(int64(n))} }
		got := Changes(c, call(1, 7, 3, 4), call(1, 8, 3, 5), end(12), end(16))
		want := []Change{{"argument 2", "", "4", "5"}, {"result", "", "12", "16"}}
		if !slices.Equal(got, want) {
			t.Errorf("%+v", got)
		}
		got = Changes(c, call(1, 7, 3), call(1, 8, 3, 5), end(12), &format.Footer{Threw: true, Exception: "a.b.Broken"})
		want = []Change{{"result", "", "12", "threw Broken"}, {"argument 2", "", "", "5"}}
		if !slices.Equal(got, want) {
			t.Errorf("%+v", got)
		}
		if got = Changes(c, call(1, 7, 3), call(1, 8, 3), end(1), nil); len(got) != 1 || got[0].Part != "result" {
			t.Errorf("%+v", got)
		}
	})
}
