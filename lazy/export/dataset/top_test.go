package dataset

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/export"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	lists "tracex/lazy/query/table"
)

// sum is what is known about a method.
type sum struct{ Calls, Threw, Self, Total, Max, Events int64 }

// topOf returns the table of methods of a scope.
func topOf(t *testing.T, j *export.Job) map[string]sum {
	t.Helper()
	top := query.NewTop(j.R, j.Scope, query.ByMethod)
	if err := j.R.Pass(t.Context(), j.Scope.Over(top)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := lists.WriteJSON(&b, top.Table(query.View{Done: 1, G: &display.Unicode}), 0); err != nil {
		t.Fatal(err)
	}
	all := map[string]sum{}
	for d := json.NewDecoder(&b); d.More(); {
		var row struct {
			Name, Class                    string
			Calls, Threw, Self, Total, Max int64
			Events                         int64
		}
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		// Groups of methods are told apart by types and results, too: here by their short names.
		key := row.Class + " " + short(row.Name)
		s := all[key]
		all[key] = sum{s.Calls + row.Calls, s.Threw + row.Threw, s.Self + row.Self, s.Total + row.Total, max(s.Max, row.Max), s.Events + row.Events}
	}
	return all
}

// short returns the last part of the name of a method, without parameters.
func short(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return strings.TrimPrefix(name[strings.LastIndexAny(name, ". ")+1:], ".")
}

// written sums the rows of calls by method.
func summed(rows []callRow) map[string]sum {
	all := map[string]sum{}
	type method struct{ trace, class, name, parameters string }
	until := map[method]int64{}
	for i := range rows { // by first
		r := &rows[i]
		m := method{r.Trace, "", r.Method, r.Parameters}
		if r.Class != nil {
			m.class = *r.Class
		}
		key := m.class + " " + short(r.Method)
		s := all[key]
		s.Calls++
		if r.Exception != nil {
			s.Threw++
		}
		if r.Self != nil {
			s.Self += *r.Self
			s.Max = max(s.Max, *r.Dur)
		}
		if end, ok := until[m]; !ok || end < r.First {
			until[m] = r.Last
			s.Events += r.Points
			if r.Dur != nil {
				s.Total += *r.Dur
			}
		}
		all[key] = s
	}
	return all
}

// TestTop: the numbers are those of the table of methods, also of calls that never ended.
func TestTop(t *testing.T) {
	for _, spec := range generated() {
		if spec.Shape == formattest.Random {
			spec.Plain = true
		}
		r := opened(t, formattest.File(t, spec))
		for _, raw := range []bool{false, true} {
			j := job(t, r, export.Options{Scope: query.Scope{Raw: raw}})
			j.CutAt(900)
			dir := t.TempDir()
			written(t, j, dir, Options{limits: tiny})
			got, want := summed(ordered(rowsOf[callRow](t, dir, "calls"))), topOf(t, j)
			if len(want) == 0 || !maps.Equal(got, want) {
				for key, w := range want {
					if got[key] != w {
						t.Fatalf("%s, raw %v: %s: %+v, want %+v", spec.Name(), raw, key, got[key], w)
					}
				}
				t.Fatalf("%s, raw %v: %d methods, want %d", spec.Name(), raw, len(got), len(want))
			}
		}
	}
}

// TestRange: times are cut at the ends of a range, as those of the table of methods are.
func TestRange(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 1500, Seed: 1, Timed: true}))
	_, length, _ := r.Recording()
	j := job(t, r, export.Options{Scope: query.Scope{Timed: true, From: int64(length) / 3, To: int64(length) / 2}})
	j.CutAt(900)
	dir := t.TempDir()
	s := written(t, j, dir, Options{limits: tiny})
	got, want := summed(ordered(rowsOf[callRow](t, dir, "calls"))), topOf(t, j)
	selfs := func(m map[string]sum) (n int64) {
		for _, s := range m {
			n += s.Self
		}
		return n
	}
	if selfs(got) == 0 || selfs(got) != selfs(want) || s.Calls > 1200 {
		t.Errorf("%d ns of %d calls, want %d", selfs(got), s.Calls, selfs(want))
	}
}
