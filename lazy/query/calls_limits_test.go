package query

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/compact"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// limited finds calls with limits.
func limited(t *testing.T, r *lazy.LazyTraceReader, o CallsOptions, limit callsLimits) (*Calls, *table.Table) {
	t.Helper()
	c, err := NewCalls(r, Scope{}, o)
	if err != nil {
		t.Fatal(err)
	}
	c.limit = limit
	if err := c.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return c, c.Table(View{Done: 1, Read: t.Context(), G: &display.Unicode})
}

// gsonCalls opens a real trace, and returns all its calls as a plain calculation has them.
func gsonCalls(t *testing.T) (*lazy.LazyTraceReader, []*plainCall) {
	r := opened(t, formattest.Unpack(t, "gson.stream.bin"))
	f, err := bound(r, callsFilter)
	if err != nil {
		t.Fatal(err)
	}
	return r, plainCalls(r, load(t, r, false), f)
}

// TestCallsListed: calls beyond the most are counted, and the table tells.
func TestCallsListed(t *testing.T) {
	r, want := gsonCalls(t)
	limit := usualCallsLimits
	limit.rows, limit.share = 300, 20_000
	c, got := limited(t, r, CallsOptions{What: "kind=call", Sort: "events"}, limit)
	if got.Rows.Len() != 300 || c.Found() != int64(len(want)) {
		t.Fatalf("%d rows, %d calls", got.Rows.Len(), c.Found())
	}
	sameOrder(t, "the first 300", got, want[:300], orders["events"].compare, false)
	note := fmt.Sprintf("%s more were counted and are not listed: narrow them down with a filter", display.Grouped(int64(len(want)-300)))
	if len(got.Notes) == 0 || got.Notes[len(got.Notes)-1] != note {
		t.Errorf("%q, want %q", got.Notes, note)
	}
}

// TestCallsManyTexts: if there are too many values to sort by, the first rows are in order, and no others
// are listed.
func TestCallsManyTexts(t *testing.T) {
	r, want := gsonCalls(t)
	for _, sort := range []string{"recv", "arg.1", "line"} {
		for _, reverse := range []bool{false, true} {
			for _, texts := range []int{10, 40} {
				limit := usualCallsLimits
				limit.texts, limit.sure, limit.share = texts, 100, 30_000
				_, got := limited(t, r, CallsOptions{What: "kind=call", Sort: sort, Reverse: reverse}, limit)
				n := got.Rows.Len()
				if n == 0 || n > 100 {
					t.Fatalf("%s: %d rows", sort, n)
				}
				name := fmt.Sprintf("%s, reversed %v, %d texts", sort, reverse, texts)
				sameFirst(t, name, got, want, orders[sort].compare, !reverse)
				if len(got.Notes) == 0 {
					t.Errorf("%s: no note", name)
				}
			}
		}
	}
}

// TestCallsManyGroups: if more values differ than have a row, what is shown is exact or a lower bound,
// and the frequent values are there.
func TestCallsManyGroups(t *testing.T) {
	r, want := gsonCalls(t)
	for _, by := range []string{"arg.1", "caller", "line", "recv", "caller.event"} {
		limit := usualCallsLimits
		limit.groups, limit.share = 12, 30_000
		c, got := limited(t, r, CallsOptions{What: "kind=call", By: by}, limit)
		counts := make(map[string]int64)
		for _, x := range want {
			counts[x.column(by)]++
		}
		calls := got.Column("calls")
		shown := make(map[string]bool)
		for i := range got.Rows.Len() {
			row := got.Rows.Row(i)
			key, n := row[0].Text(), row[calls].Int()
			shown[key] = true
			if bound := row[calls].Bound(); n > counts[key] || bound == table.Exact && n != counts[key] {
				t.Errorf("%s: %q has %v %d calls, not %d", by, key, bound, n, counts[key])
			}
		}
		most := int64(0)
		for key, n := range counts {
			most = max(most, n)
			if n > int64(len(want)/limit.groups) && !shown[key] && by != "caller.event" {
				t.Errorf("%s: %q with %d calls is missing", by, key, n)
			}
		}
		if got.Rows.Len() != limit.groups || len(got.Notes) == 0 {
			t.Errorf("%s: %d rows, notes %q", by, got.Rows.Len(), got.Notes)
		}
		if _, high, sure := c.Extremes(); high > most || sure && high != most {
			t.Errorf("%s: at most %d calls, not %d", by, high, most)
		}
	}
}

// TestCallsByCall: the calls of each call around are exact, however many there are.
func TestCallsByCall(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 5000, Seed: 4}))
	limit := usualCallsLimits
	limit.groups, limit.share = 50, 20_000
	f, err := bound(r, callsFilter)
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int64)
	most := int64(0)
	for _, x := range plainCalls(r, load(t, r, false), f) {
		if x.calling != "" && x.depth() == 5 {
			counts[x.calling]++
			most = max(most, counts[x.calling])
		}
	}
	c, _ := limited(t, r, CallsOptions{What: "depth=5", By: "caller.event"}, limit)
	fewest, high, sure := c.Extremes()
	if !sure || high != most || len(counts) <= limit.groups {
		t.Errorf("%d to %d, sure %v; want at most %d, of %d calls", fewest, high, sure, most, len(counts))
	}
}

// depth returns how many calls, loops and iterations are around a call.
func (x *plainCall) depth() (n int) {
	for up := x.parent; up != nil; up = up.parent {
		n++
	}
	return n
}

// TestCallsOnly: the calls of a group are those that it counts.
func TestCallsOnly(t *testing.T) {
	r, want := gsonCalls(t)
	for _, by := range []string{"arg.1", "ret", "caller", "threw", "thread", "line", "caller.event", "in:Gson.fromJson"} {
		_, groups := limited(t, r, CallsOptions{What: "kind=call", By: by}, usualCallsLimits)
		for i := 0; i < groups.Rows.Len(); i += 1 + groups.Rows.Len()/3 {
			only := GroupOf(groups, by, i)
			if only == nil {
				t.Fatalf("%s: row %d is no group", by, i)
			}
			c, got := limited(t, r, CallsOptions{What: "kind=call", Sort: "event", Only: only}, usualCallsLimits)
			if n := groups.Rows.Row(i)[groups.Column("calls")].Int(); c.Found() != n {
				t.Errorf("%s: %q has %d calls, listed are %d", by, only.Text, n, c.Found())
			}
			if by[:3] == "in:" {
				continue
			}
			for k, at := 0, 0; k < min(got.Rows.Len(), 30); at++ {
				if want[at].column(by) != only.Text && by != "thread" {
					continue
				}
				if event := got.Rows.Row(k)[got.Column("event")].Int(); event != int64(want[at].point.point.Event) {
					t.Fatalf("%s: %q: row %d is #%d, want #%d", by, only.Text, k, event, want[at].point.point.Event)
				}
				k++
			}
		}
	}
}

// TestCallsStopped: what was found before the pass was stopped has rows, in order.
func TestCallsStopped(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 60_000, Seed: 2, Timed: true}))
	c, err := NewCalls(r, Scope{}, CallsOptions{What: "kind=call"})
	if err != nil {
		t.Fatal(err)
	}
	c.limit.share = 100_000
	ctx, cancel := context.WithCancel(t.Context())
	err = c.Run(ctx, func(done, total int64) {
		if done > total/4 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	got := c.Table(View{Done: 0.3, Read: t.Context(), G: &display.Unicode})
	if n := got.Rows.Len(); n == 0 || n > 60_000 || !got.Partial || int64(n) != c.Found() {
		t.Fatalf("%d rows", n)
	}
	last := int64(1) << 60
	for i := range 200 {
		v := got.Rows.Row(i)[0]
		if !v.Known() || v.Int() > last {
			t.Fatalf("row %d: %v after %d", i, v, last)
		}
		last = v.Int()
	}
}

// TestCallsErrors: what the trace does not have is told.
func TestCallsErrors(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "gson.stream.bin"))
	var none *NoMethodError
	var fault *filter.Error
	var column *ColumnError
	for _, x := range []struct {
		o  CallsOptions
		as any
	}{
		{CallsOptions{What: "Gson.fromJsn"}, &none}, {CallsOptions{What: "two words"}, &none}, {CallsOptions{What: "Gson.fromJson("}, &none},
		{CallsOptions{What: "metod=x"}, &fault}, {CallsOptions{What: "method=fromJsn"}, &fault}, {CallsOptions{What: "ret<"}, &fault},
		{CallsOptions{What: "Gson.fromJson", By: "arg.0"}, &column}, {CallsOptions{What: "Gson.fromJson", By: "event"}, &column},
		{CallsOptions{What: "Gson.fromJson", By: "in:nothing"}, &none}, {CallsOptions{What: "Gson.fromJson", Sort: "dur"}, &column},
		{CallsOptions{What: "Gson.fromJson", By: "ret", Sort: "max"}, &column}, {CallsOptions{What: "Gson.fromJson", Sort: "arg.256"}, &column},
	} {
		if _, err := NewCalls(r, Scope{}, x.o); err == nil || !errors.As(err, x.as) {
			t.Errorf("%+v: %v", x.o, err)
		}
	}
	if _, err := NewCalls(r, Scope{}, CallsOptions{What: "new GsonBuilder"}); err != nil {
		t.Error(err)
	}
}

// TestCallsTexts: tables of a real trace without times, and of one with times, as printed.
func TestCallsTexts(t *testing.T) {
	for _, x := range []struct {
		name string
		r    *lazy.LazyTraceReader
		o    CallsOptions
	}{
		{"gson", opened(t, formattest.Unpack(t, "gson.stream.bin")), CallsOptions{What: "Gson.getAdapter"}},
		{"gson-groups", opened(t, formattest.Unpack(t, "gson.stream.bin")), CallsOptions{What: "JsonReader.peek", By: "caller"}},
		{"shop", opened(t, shop(t)), CallsOptions{What: "Till.pay"}},
		{"shop-groups", opened(t, shop(t)), CallsOptions{What: "Till.price", By: "arg.1"}},
	} {
		_, made := limited(t, x.r, x.o, usualCallsLimits)
		for _, width := range []int{60, 100, 160} {
			var out bytes.Buffer
			if err := table.WriteText(&out, made, table.Options{Width: width, Limit: 12, Glyphs: &display.Unicode}); err != nil {
				t.Fatal(err)
			}
			golden(t, fmt.Sprintf("calls-%s-%d.txt", x.name, width), out.Bytes())
		}
	}
}

// TestEditedCalls: with steps, the calls are those of the edited tree, with the callers and the own times
// that they have there.
func TestEditedCalls(t *testing.T) {
	editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		m := caseMakerOf(t, r, forest(t, r, false))
		if m == nil {
			return
		}
		roots := forest(t, r, false)
		size, _ := r.Size()
		for _, text := range stepCases {
			x := m.make(text)
			var scope Scope
			if err := scope.Edit(t.Context(), r, x.steps); err != nil {
				t.Fatal(err)
			}
			want := make(map[int32]string) // the caller of each call
			var list func(nodes []*node, caller string)
			list = func(nodes []*node, caller string) {
				for _, n := range nodes {
					name := caller
					if n.class == format.ClassCall {
						want[n.event] = caller
						r.WithContext(func(c *format.Context) { name, _ = c.CallName(n.ref, 0) })
					}
					list(n.kids, name)
				}
			}
			list(edited(roots, x.plain, new(StackSums)), "")
			c, err := NewCalls(r, scope, CallsOptions{What: "kind=call", Sort: "event"})
			if err != nil {
				t.Fatal(err)
			}
			c.limit.share = max(400, size/15)
			if err := c.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			got := c.Table(View{Done: 1, Read: t.Context(), G: &display.Unicode})
			if got.Rows.Len() != len(want) {
				t.Errorf("%s: %d calls, want %d", text, got.Rows.Len(), len(want))
			}
			for i := range min(got.Rows.Len(), windowRows) {
				row := got.Rows.Row(i)
				event := int32(row[got.Column("event")].Int())
				if caller, ok := want[event]; !ok || caller != cell(got, row, "caller") {
					t.Errorf("%s: #%d is called by %q, want %q", text, event, cell(got, row, "caller"), caller)
				}
			}
			self := int64(0)
			for i := range c.list.n {
				if w := c.list.weight.At(i); w != compact.Unknown {
					self += w
				}
			}
			top := editedTop(t, r, scope, 0)
			all := int64(0)
			for i := range top.rows {
				all += top.rows[i].Self
			}
			if c.about.timed && c.sums.unended+c.sums.untimed+top.all.Shorter == 0 && self != all {
				t.Errorf("%s: %d ns, want %d", text, self, all)
			}
		}
	})
}
