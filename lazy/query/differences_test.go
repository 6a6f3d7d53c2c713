package query

import (
	"context"
	"slices"
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
