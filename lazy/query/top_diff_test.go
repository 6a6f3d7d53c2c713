package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// comparedTops runs a TopDiff.
func comparedTops(t *testing.T, a, b TopSide, where string) *TopDiff {
	t.Helper()
	var e *filter.Expr
	if where != "" {
		var err error
		if e, err = filter.Parse(where); err != nil {
			t.Fatal(err)
		}
	}
	a.Word, b.Word = "A", "B"
	d := NewTopDiff(a, b, false, e)
	if rows := d.Table(View{G: &display.Unicode}).Rows.Len(); rows != 0 {
		t.Errorf("%d rows before anything was read", rows)
	}
	if err := d.Run(t.Context(), func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTopDiff: each row has the sums of its method in both traces, and the order is that of the differences, those that may be chance last.
func TestTopDiff(t *testing.T) {
	file := func(n int, timed bool) *lazy.LazyTraceReader {
		return opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: n, Seed: 1, Timed: timed}))
	}
	a, b, untimed := file(900, true), file(1500, true), file(1500, false)
	for _, c := range []struct {
		b     *lazy.LazyTraceReader
		timed bool
	}{{b, true}, {untimed, false}} {
		want := [2]map[string]*topRow{plainly(a, forest(t, a, false), ByMethod).rows, plainly(c.b, forest(t, c.b, false), ByMethod).rows}
		d := comparedTops(t, TopSide{R: a}, TopSide{R: c.b}, "")
		got := d.Table(View{Done: 1, G: &display.Unicode})
		x := got.Rows.(*answerRows[*topPair])
		seen, noisy, last := 0, 0, int64(-1)
		for i, p := range x.list {
			key := p.group.key(ByMethod)
			value := func(key string) table.Value { v, _ := RowOf(got, i).value(key); return v }
			var sums [2]Sums
			for side := range want {
				row := want[side][key]
				if (row != nil) != (p.rows[side] != nil) {
					t.Fatalf("%s: side %d: %v, want %v", key, side, p.rows[side], row)
				}
				if row != nil {
					sums[side] = row.Sums
					seen++
				}
			}
			of, column := func(s Sums) int64 { return s.Total }, "more"
			if !c.timed {
				of, column = func(s Sums) int64 { return s.Calls }, "calls_more"
			}
			for key, n := range map[string]int64{column: of(sums[1]) - of(sums[0]), "calls_old": sums[0].Calls, "calls_new": sums[1].Calls} {
				if v := value(key); v.Known() && v.Int() != n || !v.Known() && n != 0 {
					t.Errorf("%s: %s is %v, want %d", p.name, key, v, n)
				}
			}
			if c.timed && (value("total_new").Int() != sums[1].Total || value("self_old").Int() != sums[0].Self) {
				t.Errorf("%s: %v", p.name, got.Rows.Row(i))
			}
			v := value(column)
			if v.Bound() == table.Noise {
				noisy++
				continue
			}
			size := max(v.Int(), -v.Int())
			if noisy > 0 || last >= 0 && size > last {
				t.Errorf("row %d: %d after %d, and %d of noise", i, size, last, noisy)
			}
			last = size
		}
		if seen != len(want[0])+len(want[1]) || c.timed && (noisy == 0 || noisy == len(x.list)) {
			t.Errorf("%d rows of %d and %d, %d of noise", seen, len(want[0]), len(want[1]), noisy)
		}
		if says := strings.Contains(got.Title, "not both have times"); says == c.timed {
			t.Error(got.Title)
		}
	}
}

// TestTopDiffOfItself: a trace has no difference from itself that is not noise.
func TestTopDiffOfItself(t *testing.T) {
	r := opened(t, formattest.Demo(t))
	got := comparedTops(t, TopSide{R: r}, TopSide{R: r}, "").Table(View{Done: 1, G: &display.Unicode})
	more, self := got.Column("more"), got.Column("self_more")
	for i := range got.Rows.Len() {
		if row := got.Rows.Row(i); row[more].Bound() != table.Noise || row[self].Bound() != table.Noise || row[more].Int() != 0 {
			t.Errorf("%s", got.RowText(i, &display.Unicode))
		}
	}
	by := comparedTops(t, TopSide{R: r}, TopSide{R: r}, "").Table(View{Sort: "self_old", Done: 1, G: &display.Unicode})
	if c := by.Columns[by.Column("self_old")]; by.Sorted != c.Key || c.Priority != 0 || got.Columns[got.Column("self_old")].Priority == 0 {
		t.Errorf("sorted by %s: %+v", by.Sorted, c)
	}
	if got.Rows.Len() == 0 || !slices.Contains(got.Notes, "~ may be chance") {
		t.Errorf("%d rows, %q", got.Rows.Len(), got.Notes)
	}
}

// TestTopDiffOfCalls: of two calls of one trace, and of what a filter matches in only one of them.
func TestTopDiffOfCalls(t *testing.T) {
	r := opened(t, formattest.Demo(t))
	a, b := lazy.EventHandle(46), lazy.EventHandle(84)
	d := comparedTops(t, TopSide{R: r, Below: &a}, TopSide{R: r, Below: &b}, "")
	text := ""
	got := d.Table(View{Sort: "name", Rising: true, Done: 1, G: &display.Unicode})
	for i := range got.Rows.Len() {
		row := RowOf(got, i)
		old, _ := row.value("calls_old")
		now, ok := row.value("calls_new")
		name, _ := row.text("name")
		text += fmt.Sprintln(name, old.Int(), now.Int(), ok)
	}
	if want := "Shop.order() 1 1 true\nTill.discount() 4 3 true\nTill.pay() 1 1 true\nTill.price() 1 1 true\nTill.receipt() 1 0 false\n"; text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	gson := opened(t, formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"))
	got = comparedTops(t, TopSide{R: gson}, TopSide{R: r}, "method=Till.pay").Table(View{Done: 1, G: &display.Unicode})
	if row := RowOf(got, 0); got.Rows.Len() != 1 || row.Call() != "shop.Till.pay()" {
		t.Errorf("%d rows, %s", got.Rows.Len(), row.Call())
	}
	side := TopSide{R: r, Below: &b}
	if p, ok, err := side.FirstCall(t.Context(), false, "shop.Till.discount()", nil); err != nil || !ok || p.Event < 84 || p.Event > 100 {
		t.Errorf("the first call is %+v, %v %v", p, ok, err)
	}
	if p, ok, err := side.FirstCall(t.Context(), false, "shop.Till.receipt()", nil); err != nil || ok {
		t.Errorf("a call that is not there is %+v, %v", p, err)
	}
	for _, where := range []string{"method=Nowhere.none", "method=Nowhere.none dur>1us", "dur>1us"} {
		e, _ := filter.Parse(where)
		if err := NewTopDiff(TopSide{R: gson}, TopSide{R: r}, false, e).Run(t.Context(), func(int64, int64) {}); err == nil {
			t.Errorf("%s fits", where)
		}
	}
}

// TestPairTops: partners are those of the same types, then of the same parameters, then of the same name.
func TestPairTops(t *testing.T) {
	method := func(class, name, result string, args ...string) *Group {
		g := &Group{Class: class, Method: name, Result: format.Type{Kind: format.TypeObject, Class: result}}
		for _, a := range args {
			g.Args = append(g.Args, format.Type{Kind: format.TypeObject, Class: a})
		}
		g.nameAs(class+"."+name, class+"."+name)
		return g
	}
	top := func(list ...*Group) *Top {
		t := &Top{groups: &groups{all: list}, rows: make([]topRow, len(list))}
		for i := range t.rows {
			t.rows[i].Calls = int64(i + 1)
		}
		return t
	}
	a := top(method("S", "get", "R", "A"), method("S", "get", "R", "B"), method("S", "put", "R", "A"), method("S", "sum", "R"), method("S", "old", "R"), method("S", "cut", "R", "A"), method("S", "cut", "R", "B"))
	b := top(method("S", "cut", "R", "C"), method("S", "sum", "Q"), method("S", "put", "R", "C"), method("S", "get", "R", "B"), method("S", "get", "R", "D"), method("T", "old", "R"))
	var got []string
	for _, p := range pairTops([2]*Top{a, b}) {
		old, _ := p.value(0, func(s *Sums) int64 { return s.Calls })
		now, _ := p.value(1, func(s *Sums) int64 { return s.Calls })
		got = append(got, fmt.Sprint(old, " ", now))
	}
	slices.Sort(got)
	if want := []string{"0 1", "0 6", "1 5", "2 4", "3 3", "4 2", "5 0", "6 0", "7 0"}; !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// TestTopDiffNoise: with few calls a tenth decides, with more the test does, and another number of calls is no chance.
func TestTopDiffNoise(t *testing.T) {
	row := func(times ...int64) *topRow {
		r := &topRow{}
		for _, ns := range times {
			r.Calls, r.Total, r.Self = r.Calls+1, r.Total+ns, r.Self+ns
			r.times.Add(ns)
		}
		return r
	}
	five := row(100, 120, 140, 160, 180)
	for _, c := range []struct {
		a, b        *topRow
		noise, self bool
	}{
		{row(100), row(109), true, true}, {row(100), row(120), false, false}, {row(), row(), true, true},
		{five, row(100, 120, 140, 160, 2000), true, true},
		{five, row(1000, 1200, 1400, 1600, 1800), false, false},
		{five, row(100, 120, 140, 160, 180, 100, 120, 140, 160, 180), false, false},
	} {
		p := topPair{rows: [2]*topRow{c.a, c.b}}
		if p.judge(); p.noise != c.noise || p.selfNoise != c.self {
			t.Errorf("%+v and %+v: %v, %v", c.a.Sums, c.b.Sums, p.noise, p.selfNoise)
		}
	}
	p := topPair{rows: [2]*topRow{five, nil}}
	if p.judge(); p.noise {
		t.Error("what only one side has is no chance")
	}
}

// TestTopDiffHidden: what the folded view does not show is compared as it was recorded.
func TestTopDiffHidden(t *testing.T) {
	r := kotlin(t)
	all := comparedTops(t, TopSide{R: r}, TopSide{R: r}, "").Table(View{Done: 1, G: &display.Unicode})
	for event := range int32(2000) {
		h, folded := lazy.EventHandle(event), Scope{}
		if !errors.Is(folded.In(t.Context(), r, h), ErrHidden) {
			continue
		}
		side := TopSide{R: r, Below: &h}
		got := comparedTops(t, side, side, "").Table(View{Done: 1, G: &display.Unicode})
		if _, ok, err := side.FirstCall(t.Context(), false, RowOf(all, 0).Call(), nil); ok != (got.Rows.Len() > 0) || err != nil {
			t.Errorf("%s: %d rows, a call: %v %v", h, got.Rows.Len(), ok, err)
		}
		return
	}
	t.Error("folding hides nothing")
}
