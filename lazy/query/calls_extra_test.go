package query

import (
	"fmt"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
)

// TestExtraColumns compares the columns of captured fields, and of the iteration around, with what the
// points of the tree have, read in parts of several sizes.
func TestExtraColumns(t *testing.T) {
	type cell struct {
		at    lazy.Position
		value string
	}
	nested := 0
	for _, c := range []struct{ file, col string }{
		{"gson.stream.bin", "iter"}, {"allkinds.dump.bin", "iter"}, {"allkinds.dump.bin", "arg.1.FIELD"}, {"allkinds.dump.bin", "recv.FIELD"}, {"allkinds.dump.bin", "ret.FIELD"},
		{"allkinds.v27.dump.bin", "arg.1.FIELD"}, {"allkinds.v27.dump.bin", "recv.FIELD"}, {"allkinds.v27.dump.bin", "ret.FIELD"},
	} {
		r := opened(t, formattest.Unpack(t, c.file))
		base, _ := columnNamed(c.col)
		values := make(map[string][]cell) // by column: those that are there
		calls := 0
		tree := r.Tree(true)
		for _, th := range tree.Threads() {
			if _, _, err := tree.ExpandAll(t.Context(), th, 0, 1<<40, nil); err != nil {
				t.Fatal(err)
			}
		}
		for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
			n := row.Node
			if n.IsThread() || n.Point().Class != format.ClassCall {
				continue
			}
			calls++
			if base.kind == columnIter {
				for up := n.Parent(); up != nil && !up.IsThread(); up = up.Parent() {
					if p := up.Point(); p.Class == format.ClassIteration {
						values["iter"] = append(values["iter"], cell{n.Position(), fmt.Sprint(p.Number + 1)})
						break
					}
				}
				continue
			}
			p, f := n.Point(), n.Footer()
			of := make(map[string]*format.Value)
			switch {
			case base.kind == columnArg:
				for i := range p.Args {
					of[fmt.Sprintf("arg.%d.", i+1)] = &p.Args[i]
				}
			case base.kind == columnReceiver:
				of["recv."] = &p.Target
			case base.kind == columnResult && !f.Threw && f.Exception == "":
				of["ret."] = &f.Result
			}
			for name, v := range of {
				if v.Captured == nil {
					continue
				}
				for i := range v.Captured.Fields {
					field := &v.Captured.Fields[i]
					r.WithContext(func(x *format.Context) {
						values[name+field.Name] = append(values[name+field.Name], cell{n.Position(), string(x.AppendValueText(nil, &field.Value))})
					})
				}
			}
		}
		for col, want := range values {
			for _, share := range []int64{0, 700} {
				x, err := NewCalls(r, Scope{}, CallsOptions{What: "kind=call", Cols: []string{col}, Sort: col})
				if err != nil {
					t.Fatal(err)
				}
				x.limit.share = share
				if err := x.Run(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				made := x.Table(CallsView{Done: 1, Read: t.Context(), G: &display.Unicode})
				at := made.Column(col)
				if made.Rows.Len() != calls || at < 0 {
					t.Fatalf("%s: %d rows, column %d", col, made.Rows.Len(), at)
				}
				got := make(map[lazy.Position]string)
				for i := range made.Rows.Len() {
					place, _ := x.Place(made, i)
					value := made.Rows.Row(i)[at]
					if value.Known() {
						got[place] = value.Text()
					}
					if known := i < len(got); known != value.Known() {
						t.Errorf("%s %s: row %d is not in order", c.file, col, i)
					}
				}
				if len(got) != len(want) {
					t.Errorf("%s %s: %d values, want %d", c.file, col, len(got), len(want))
				}
				for _, w := range want {
					if got[w.at] != w.value {
						t.Errorf("%s %s: %v is %q, want %q", c.file, col, w.at, got[w.at], w.value)
					}
				}
				by, err := NewCalls(r, Scope{}, CallsOptions{What: "kind=call", By: col})
				if err != nil {
					t.Fatal(err)
				}
				if err := by.Run(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				sum := int64(0)
				groups := by.Table(CallsView{Done: 1, G: &display.Unicode})
				for i := range groups.Rows.Len() {
					if row := groups.Rows.Row(i); row[0].Known() {
						sum += row[groups.Column("calls")].Int()
					}
				}
				if sum < int64(len(want)) {
					t.Errorf("%s by %s: %d calls, want %d", c.file, col, sum, len(want))
				}
			}
		}
		if c.col == "iter" && c.file == "gson.stream.bin" && len(values["iter"]) < 500 {
			t.Error("the test shows nothing")
		}
		if c.col == "arg.1.FIELD" {
			nested += len(values)
		}
	}
	if nested == 0 {
		t.Error("no argument has fields: the test shows nothing")
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
	made := x.Table(CallsView{Done: 1, Read: t.Context(), G: &display.Unicode})
	if err := LoadCalls(t.Context(), made, 0, made.Rows.Len()); err != nil {
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
