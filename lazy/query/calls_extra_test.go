package query

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// columnCell is a value of a call in a column.
type columnCell struct {
	at    lazy.Position
	value string
}

// plainColumns returns the values of calls in the columns that are shown on request: captured fields and
// elements, up to two deep, and the number of the iteration around.
func plainColumns(t *testing.T, r *lazy.LazyTraceReader, raw bool) (calls int, values map[string][]columnCell) {
	t.Helper()
	values = make(map[string][]columnCell)
	tree := r.Tree(!raw)
	for _, th := range tree.Threads() {
		if _, _, err := tree.ExpandAll(t.Context(), th, 0, 1<<40, nil); err != nil {
			t.Fatal(err)
		}
	}
	long := make(map[string]bool) // columns with a value that is shown cut
	for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
		n := row.Node
		if n.IsThread() || n.Point().Class != format.ClassCall {
			continue
		}
		calls++
		for up := n.Parent(); up != nil && !up.IsThread(); up = up.Parent() {
			if p := up.Point(); p.Class == format.ClassIteration {
				values["iter"] = append(values["iter"], columnCell{n.Position(), fmt.Sprint(p.Number + 1)})
				break
			}
		}
		var in func(name string, v *format.Value, deep int)
		in = func(name string, v *format.Value, deep int) {
			if v.Captured == nil || deep == 2 {
				return
			}
			seen := make(map[string]bool)
			add := func(field string, v *format.Value) {
				if field == "" || strings.Contains(field, ".") || seen[field] {
					return
				}
				seen[field] = true
				col := name + "." + field
				r.WithContext(func(x *format.Context) {
					text := string(x.AppendValueText(nil, v))
					long[col] = long[col] || len(text) > longestText
					values[col] = append(values[col], columnCell{n.Position(), text})
				})
				in(col, v, deep+1)
			}
			for i := range v.Captured.Fields {
				add(v.Captured.Fields[i].Name, &v.Captured.Fields[i].Value)
			}
			for i := range v.Captured.Elements {
				add(strconv.Itoa(i), &v.Captured.Elements[i])
			}
		}
		p := n.Point()
		for i := range p.Args {
			in(fmt.Sprint("arg.", i+1), &p.Args[i], 0)
		}
		in("recv", &p.Target, 0)
		if f := n.Footer(); n.State() == lazy.StateWhole && !f.Threw && f.Exception == "" {
			in("ret.1", &f.Result, 0)
			if c := f.Result.Captured; c == nil || len(c.Elements) == 0 { // ret.0 would be a result, not an element
				in("ret", &f.Result, 0)
			}
		}
	}
	for col := range long {
		if long[col] {
			delete(values, col)
		}
	}
	return calls, values
}

// compareColumn compares a column of all calls with its values.
func compareColumn(t *testing.T, r *lazy.LazyTraceReader, raw bool, col string, calls int, want []columnCell, share int64) {
	t.Helper()
	scope := Scope{Raw: raw}
	x, err := NewCalls(r, scope, CallsOptions{What: "kind=call", Cols: []string{col}, Sort: col})
	if err != nil {
		t.Fatal(err)
	}
	x.limit.share = share
	if err := x.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	made := x.Table(View{Done: 1, Read: t.Context(), G: &display.Unicode})
	at := made.Column(col)
	if made.Rows.Len() != calls || at < 0 {
		t.Fatalf("%s: %d rows of %d, column %d", col, made.Rows.Len(), calls, at)
	}
	got := make(map[lazy.Position]string)
	for i := range made.Rows.Len() {
		place, _ := PointAt(made, i)
		value := made.Rows.Row(i)[at]
		if value.Known() {
			got[place.Position] = value.Text()
		}
		if known := i < len(got); known != value.Known() {
			t.Errorf("%s: row %d is not in order", col, i)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", col, len(got), len(want))
	}
	for _, w := range want {
		if got[w.at] != w.value {
			t.Errorf("%s, raw %v: %v is %q, want %q", col, raw, w.at, got[w.at], w.value)
		}
	}
	by, err := NewCalls(r, scope, CallsOptions{What: "kind=call", By: col})
	if err != nil {
		t.Fatal(err)
	}
	by.limit.share = share
	if err := by.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	sum := 0
	groups := by.Table(View{Done: 1, G: &display.Unicode})
	for i := range groups.Rows.Len() {
		if row := groups.Rows.Row(i); row[0].Known() {
			sum += int(row[groups.Column("calls")].Int())
		}
	}
	if sum < len(want) {
		t.Errorf("by %s: %d calls, want %d", col, sum, len(want))
	}
}

// TestExtraColumns compares the columns of captured fields, and of the iteration around, with what the
// points of the tree have, read in parts of several sizes.
func TestExtraColumns(t *testing.T) {
	nested := 0
	for _, file := range []string{"gson.stream.bin", "allkinds.dump.bin", "allkinds.v27.dump.bin"} {
		r := opened(t, formattest.Unpack(t, file))
		for _, raw := range []bool{false, true} {
			calls, values := plainColumns(t, r, raw)
			for i, col := range slices.Sorted(maps.Keys(values)) {
				if nested += b2i(col != "iter"); formattest.Race && i%12 > 0 || file == "gson.stream.bin" && raw {
					continue // it takes long
				}
				for _, share := range []int64{0, 700} {
					if formattest.Race && share > 0 && file == "gson.stream.bin" {
						continue
					}
					compareColumn(t, r, raw, col, calls, values[col], share)
				}
			}
			if file == "gson.stream.bin" && len(values["iter"]) < 500 {
				t.Error("the test shows nothing")
			}
		}
	}
	if nested < 10 {
		t.Errorf("%d columns of fields: the test shows nothing", nested)
	}
}

// TestExtraIn: each column of the nearest call of a method around has the calls of its own method, and a
// column does not hide that the calls cannot be grouped.
func TestExtraIn(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "gson.dump.bin"))
	cols := []string{"in:TypeAdapters$28.read", "in:Gson.fromJson"}
	x, err := NewCalls(r, Scope{}, CallsOptions{What: "JsonReader.peek", Cols: cols})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	made := x.Table(View{Done: 1, Read: t.Context(), G: &display.Unicode})
	if err := made.Rows.(table.Loader).Load(t.Context(), 0, made.Rows.Len()); err != nil {
		t.Fatal(err)
	}
	for _, col := range cols {
		found := 0
		for i := range made.Rows.Len() {
			if v := made.Rows.Row(i)[made.Column(col)]; v.Known() {
				found++
				if text := v.Text(); !strings.HasPrefix(text, strings.TrimPrefix(col, "in:")) {
					t.Errorf("%s is %s", col, text)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s has no value: the test shows nothing", col)
		}
	}
	for _, by := range []string{"bad", "dur"} {
		if _, err := NewCalls(r, Scope{}, CallsOptions{What: "JsonReader.peek", By: by, Cols: []string{"iter"}}); err == nil {
			t.Errorf("calls can be grouped by %s", by)
		}
	}
}
