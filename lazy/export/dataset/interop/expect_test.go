package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// rows are those of an answer, each as one text, in any order.
type rows []string

// row makes a row of values; null stands for none.
func row(values ...any) string {
	list := make([]string, len(values))
	for i, v := range values {
		switch x := v.(type) {
		case nil:
			list[i] = null
		case json.Number:
			list[i] = number(x.String())
		case string:
			list[i] = number(x) // the text of one
		case float64:
			list[i] = number(strconv.FormatFloat(x, 'g', -1, 64))
		default:
			list[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(list, " | ")
}

// number writes a number so that engines agree: with six digits if it is no integer: a float has seven.
func number(s string) string {
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		return s
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(float64(float32(f)), 'g', 6, 64) // tracex writes floats as doubles
}

// known returns a number, nil if it is not known.
func known(n int64, ok bool) any {
	if !ok {
		return nil
	}
	return n
}

// quantile returns a quantile of numbers, interpolated; nil of none.
func quantile(list []int64, q float64) any {
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	at := q * float64(len(list)-1)
	low := int(at)
	high := min(low+1, len(list)-1)
	return float64(list[low]) + (at-float64(low))*float64(list[high]-list[low])
}

// expected returns the rows that queries of the page have for a trace, or for several together, as far as one goroutine
// finds out. method, outer, inner and field are what the queries are about.
func (a *plainTrace) expected(method, outer, inner, field string) map[string]rows {
	e := map[string]rows{"calls": {}, "values": {}, "repeated": {}, "within": {}, "exceptions": {}, "thrown": {}, "writes": {}}
	type group struct {
		n, threw  int
		durations []int64
		traces    map[string]bool
	}
	values, repeated, thrown, exceptions := map[string]*group{}, map[string]*group{}, map[string]*group{}, map[string]*group{}
	within := map[*plainCall]int{}
	count := func(m map[string]*group, key string, c *plainCall) {
		g := m[key]
		if g == nil {
			g = &group{traces: map[string]bool{}}
			m[key] = g
		}
		g.n++
		if c != nil {
			g.traces[c.trace] = true
		}
		if c != nil && c.threw != "" {
			g.threw++
		}
		if c != nil && c.time.Duration >= 0 {
			g.durations = append(g.durations, c.time.Duration)
		}
	}
	for _, c := range a.calls {
		if c.shown == method {
			e["calls"] = append(e["calls"], a.callRow(c))
			count(values, first(c.args), c)
		}
		if c.around != nil {
			count(repeated, row(c.trace, c.around.event, c.around.shown, c.shown, line(c.line)), c)
		}
		if c.threw != "" {
			count(exceptions, row(strings.TrimPrefix(c.threw, "threw "), c.class, c.shown), c)
		}
		if c.shown != inner {
			continue
		}
		for p := c.around; p != nil; p = p.around {
			if p.shown == outer {
				within[p]++
			}
		}
	}
	for _, p := range a.points {
		switch {
		case p.class == format.ClassThrow:
			count(thrown, row(p.name, shown(p.in), line(p.line)), nil)
		case p.name == field:
			e["writes"] = append(e["writes"], row(p.trace, p.event, shown(p.in), known(int64(p.ownerHash), p.ownerHash != 0), p.value))
		}
	}
	for key, g := range values {
		e["values"] = append(e["values"], row(key, g.n, quantile(g.durations, 0.99), g.threw))
	}
	for key, g := range repeated {
		if g.n > 10 {
			total := int64(0)
			for _, d := range g.durations {
				total += d
			}
			e["repeated"] = append(e["repeated"], row(key, g.n, known(total, len(g.durations) > 0)))
		}
	}
	for p, n := range within {
		if n > 10 {
			e["within"] = append(e["within"], row(p.trace, p.event, n))
		}
	}
	for key, g := range exceptions {
		e["exceptions"] = append(e["exceptions"], row(key, g.n, len(g.traces)))
	}
	for key, g := range thrown {
		e["thrown"] = append(e["thrown"], row(key, g.n))
	}
	return e
}

// callRow is the row of a call in the list of calls of a method.
func (a *plainTrace) callRow(c *plainCall) string {
	dur := known(c.time.Duration, c.time.Duration >= 0)
	self := known(c.self(), c.time.Duration >= 0)
	var threw any
	if c.threw != "" {
		threw = strings.TrimPrefix(c.threw, "threw ")
	}
	return row(c.trace, c.event, c.thread, dur, self, first(c.args), c.result, threw, shown(c.around))
}

func first(args []string) string {
	if len(args) == 0 {
		return null
	}
	return args[0]
}

func shown(c *plainCall) string {
	if c == nil {
		return null
	}
	return c.shown
}

func line(n int32) any { return known(int64(n), n >= 0) }

// topRow is a row of tracex top --json.
type topRow struct {
	Name, Class, Method            string
	Types                          []string
	Calls, Threw, Self, Total, Max int64
	Events                         int64
}

// topRows returns the answer to tracex top --json.
func topRows(t *testing.T, r *lazy.LazyTraceReader) (list []topRow) {
	t.Helper()
	top := query.NewTop(r, query.Scope{}, query.ByMethod)
	scope := query.Scope{}
	if err := r.Pass(t.Context(), scope.Over(top)); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := table.WriteJSON(&b, top.Table(query.View{Done: 1, G: &display.Unicode}), 0); err != nil {
		t.Fatal(err)
	}
	return parseTop(t, &b)
}

// parseTop reads the output of tracex top --json.
func parseTop(t *testing.T, b *bytes.Buffer) (list []topRow) {
	t.Helper()
	for d := json.NewDecoder(b); d.More(); {
		var r topRow
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// shownName returns the name that a dataset has for the method of a row of top, if rows call a method of a class alike.
func (r *topRow) shownName() string {
	name, _, _ := strings.Cut(r.Name, "(")
	if r.Method == "<init>" {
		class := strings.TrimPrefix(name, "new ")
		return "new " + class
	}
	return name
}
