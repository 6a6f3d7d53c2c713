package query

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// plainCall is a call as a plain calculation has it.
type plainCall struct {
	*point
	call, result, receiver, thread, caller, line, threw string
	args                                                []string
	calling                                             string // the call around
	self, events                                        int64
	selfKnown, outer                                    bool
}

// plainCalls returns the calls that match a filter, in the order of the trace.
func plainCalls(r *lazy.LazyTraceReader, all []*point, f *filter.Filter) (out []*plainCall) {
	events := make(map[*point]int64)
	for i := len(all) - 1; i >= 0; i-- { // children are after their parents
		events[all[i]]++
		if up := all[i].parent; up != nil {
			events[up] += events[all[i]]
		}
	}
	found := make(map[*point]bool)
	r.WithContext(func(c *format.Context) {
		for _, p := range all {
			if p.point.Class != format.ClassCall || !p.matches(f) {
				continue
			}
			found[p] = true
			x := &plainCall{point: p, events: events[p], outer: true}
			text := func(v *format.Value) string { return string(c.AppendValueText(nil, v)) }
			x.call, _ = c.CallName(p.point.Ref, p.point.Flags)
			for i := range p.point.Args {
				x.args = append(x.args, text(&p.point.Args[i]))
			}
			switch foot := p.foot; {
			case foot == nil:
			case foot.Threw || foot.Exception != "":
				x.threw = cmp.Or(format.ShortClass(foot.Exception), "threw")
				x.result = "✗ " + x.threw
			case foot.Result.Kind != format.ValueUnfinished:
				x.result = text(&foot.Result)
				x.threw = "returned"
			}
			if p.point.Target.Kind != format.ValueNull {
				x.receiver = text(&p.point.Target)
			}
			if x.thread = "Thread " + fmt.Sprint(p.at.Thread+1); c.Thread(p.at.Thread) != nil && c.Thread(p.at.Thread).Name != "" {
				x.thread = c.Thread(p.at.Thread).Name
			}
			for up := p.parent; up != nil; up = up.parent {
				if up.point.Class == format.ClassCall {
					if x.caller == "" {
						x.caller, _ = c.CallName(up.point.Ref, 0)
						x.calling = fmt.Sprintf("%s #%d", x.caller, up.point.Event)
					}
					x.outer = x.outer && !found[up]
				}
			}
			x.line = string(c.AppendLocationText(nil, p.point.Location))
			if calls, known := p.calls(); known && p.timed {
				x.self, x.selfKnown = max(0, p.time.Duration-calls), true
			}
			out = append(out, x)
		}
	})
	return out
}

// column returns the value of a call in a column, as groups show it.
func (x *plainCall) column(word string) string {
	switch word {
	case "arg.1":
		if len(x.args) > 0 {
			return x.args[0]
		}
		return ""
	case "ret":
		return x.result
	case "recv":
		return x.receiver
	case "thread":
		return fmt.Sprint("Thread ", x.at.Thread+1)
	case "caller":
		return x.caller
	case "caller.event":
		return x.calling
	case "iter":
		if n := x.iteration(); n > 0 {
			return fmt.Sprint(n)
		}
		return ""
	case "method":
		return x.call
	case "threw":
		if x.threw != "" && x.threw != "returned" {
			return "✗ " + x.threw
		}
		return x.threw
	}
	return x.line
}

// iteration returns the number of the innermost iteration around the call, from 1; 0 if there is none.
func (x *plainCall) iteration() int64 {
	for up := x.parent; up != nil; up = up.parent {
		if up.point.Class == format.ClassIteration {
			return int64(up.point.Number) + 1
		}
	}
	return 0
}

// callFilters returns filters for calls of a trace: of methods, and others.
func callFilters(r *lazy.LazyTraceReader, all []*point, rng *rand.Rand) (list []string) {
	list = []string{"kind=call", "threw kind=call", "in(has(kind=loop)) kind=call", "depth>1 kind=call", "-in(threw) kind=call"}
	r.WithContext(func(c *format.Context) {
		for range 1000 {
			if p := all[rng.IntN(len(all))]; p.point.Class == format.ClassCall && c.Method(p.point.Ref) != nil {
				m := filter.MethodTerm(c, p.point.Ref)
				list = append(list, m, m, m+" or threw kind=call")
				break
			}
		}
	})
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:2]
}

// TestCalls compares tables of calls with a plain calculation: which calls, their values, their order,
// their groups; folded and raw, in parts of any size.
func TestCalls(t *testing.T) {
	corpus(t, func(t *testing.T, path string) {
		r := opened(t, path)
		for _, raw := range []bool{false, true} {
			all := load(t, r, raw)
			if len(all) == 0 {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(len(all)), 7))
			for _, text := range callFilters(r, all, rng) {
				compareCalls(t, r, raw, all, text, rng)
			}
		}
	})
}

// compareCalls compares tables of the calls that match a filter with a plain calculation.
func compareCalls(t *testing.T, r *lazy.LazyTraceReader, raw bool, all []*point, text string, rng *rand.Rand) {
	t.Helper()
	_, timed := r.Times()
	size, _ := r.Size()
	e, err := filter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := bound(r, filter.And(e, callsFilter))
	if err != nil {
		t.Fatal(err)
	}
	want := plainCalls(r, all, f)
	run := func(o CallsOptions) (*Calls, *table.Table) {
		o.What = text
		c, err := NewCalls(r, Scope{Raw: raw}, o)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if c.limit.share = shares[rng.IntN(len(shares))]; c.limit.share > 0 {
			c.limit.share = max(c.limit.share, size/60) // each part takes long to begin in a deep trace
		}
		if err := c.Run(t.Context(), nil); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return c, c.Table(View{Done: 1, Read: t.Context(), G: &display.Unicode})
	}
	name := fmt.Sprintf("%s, raw %v", text, raw)
	c, got := run(CallsOptions{Sort: "event"})
	sameCalls(t, name, c, got, want, timed, rng)
	for range 2 {
		sort := sortWords[rng.IntN(len(sortWords))]
		if known, ok := orders[sort]; ok && (known.timed == 0 || known.timed == 1 == timed) {
			reverse := rng.IntN(2) == 1
			_, got := run(CallsOptions{Sort: sort, Reverse: reverse})
			sameOrder(t, fmt.Sprintf("%s by %s, reversed %v", name, sort, reverse), got, want, known.compare, CallsRise(sort) != reverse)
		}
	}
	by := groupWords[rng.IntN(len(groupWords))]
	if by == "in:METHOD" {
		by = "line"
	}
	_, got = run(CallsOptions{By: by})
	sameGroups(t, name+" by "+by, got, want, by, timed)
}

// text returns a shown value of a row.
func cell(t *table.Table, row []table.Value, key string) string {
	i := t.Column(key)
	if i < 0 || !row[i].Known() {
		return ""
	}
	if t.Columns[i].Kind == table.Text {
		return row[i].Text()
	}
	return fmt.Sprint(row[i].Int())
}

// sameCalls compares all rows, of those in the order of the trace.
func sameCalls(t *testing.T, name string, c *Calls, got *table.Table, want []*plainCall, timed bool, rng *rand.Rand) {
	t.Helper()
	if got.Rows.Len() != len(want) || c.Found() != int64(len(want)) {
		t.Fatalf("%s: %d rows, want %d", name, got.Rows.Len(), len(want))
	}
	skip := rng.IntN(2)
	for i, x := range want {
		if len(want) > 4*windowRows && i/windowRows%(len(want)/windowRows/2) != skip {
			continue // reading rows takes long
		}
		row := got.Rows.Row(i)
		if row == nil {
			t.Fatalf("%s: row %d: %v", name, i, RowsErr(got))
		}
		result := x.result
		if result == "" && (x.foot == nil || x.foot.Result.Kind == format.ValueUnfinished) {
			result = neverEnded(x.state == lazy.StatePending)
		}
		list := map[string]string{"event": fmt.Sprint(x.point.point.Event), "call": x.call, "result": result, "receiver": x.receiver,
			"thread_name": x.thread, "thread": fmt.Sprint(x.at.Thread + 1), "caller": x.caller, "handle": fmt.Sprintf("#%d", x.point.point.Event)}
		for i, arg := range x.args {
			list[fmt.Sprintf("arg_%d", i+1)] = arg
		}
		if !timed {
			list["events"] = fmt.Sprint(x.events)
		} else {
			for key, v := range map[string]int64{"duration": x.time.Duration, "start": x.time.Start} {
				if list[key] = ""; x.timed {
					list[key] = fmt.Sprint(v)
				}
			}
			if list["self"] = ""; x.selfKnown && x.state == lazy.StateWhole {
				list["self"] = fmt.Sprint(x.self)
			}
		}
		for key, want := range list {
			if have := cell(got, row, key); have != want {
				t.Fatalf("%s: row %d, event %d, %s: %q, want %q", name, i, x.point.point.Event, key, have, want)
			}
		}
	}
}

// order is how a column compares two calls: those without a value are last.
type order struct {
	timed   int // 1 only in traces with times, 2 only in others
	compare func(x *plainCall) (known bool, number int64, numeric bool, text string)
}

var orders = map[string]order{
	"event":  {0, func(*plainCall) (bool, int64, bool, string) { return true, 0, true, "" }},
	"dur":    {1, func(x *plainCall) (bool, int64, bool, string) { return x.timed, x.time.Duration, true, "" }},
	"self":   {1, func(x *plainCall) (bool, int64, bool, string) { return x.selfKnown, x.self, true, "" }},
	"start":  {1, func(x *plainCall) (bool, int64, bool, string) { return x.timed, x.time.Start, true, "" }},
	"events": {2, func(x *plainCall) (bool, int64, bool, string) { return true, x.events, true, "" }},
	"thread": {0, func(x *plainCall) (bool, int64, bool, string) { return true, int64(x.at.Thread), true, "" }},
	"caller": {0, func(x *plainCall) (bool, int64, bool, string) { return x.caller != "", 0, false, x.caller }},
	"method": {0, func(x *plainCall) (bool, int64, bool, string) { return true, 0, false, x.call }},
	"iter":   {0, func(x *plainCall) (bool, int64, bool, string) { return x.iteration() > 0, x.iteration(), true, "" }},
	"line":   {0, func(x *plainCall) (bool, int64, bool, string) { return true, 0, false, x.line }},
	"recv":   {0, func(x *plainCall) (bool, int64, bool, string) { return value(&x.point.point.Target, x.receiver) }},
	"arg.1": {0, func(x *plainCall) (bool, int64, bool, string) {
		if len(x.args) == 0 {
			return false, 0, false, ""
		}
		return value(&x.point.point.Args[0], x.args[0])
	}},
}

// value tells how a recorded value compares.
func value(v *format.Value, text string) (known bool, number int64, numeric bool, out string) {
	switch v.Kind {
	case format.ValueByte, format.ValueShort, format.ValueInt, format.ValueLong:
		return true, v.Bits, true, "n"
	case format.ValueFloat, format.ValueDouble:
		f := v.Float() + 0 // no negative zero
		bits := math.Float64bits(f)
		if bits>>63 == 0 {
			bits |= 1 << 63
		} else {
			bits = ^bits
		}
		switch text := fmt.Sprintf("%016x", bits); {
		case math.IsNaN(f):
			return true, math.MinInt64, true, "a"
		case f < math.MinInt64:
			return true, math.MinInt64, true, "b" + text
		case f >= math.MaxInt64:
			return true, math.MaxInt64, true, "o" + text
		default:
			return true, int64(math.Floor(f)), true, "o" + text
		}
	}
	return text != "" || v.Kind != format.ValueNull, 0, false, text
}

// sameOrder compares sorted rows with a plain sort.
func sameOrder(t *testing.T, name string, got *table.Table, want []*plainCall, of func(x *plainCall) (bool, int64, bool, string), rising bool) {
	t.Helper()
	if got.Rows.Len() != len(want) {
		t.Fatalf("%s: %d rows, want %d", name, got.Rows.Len(), len(want))
	}
	sameFirst(t, name, got, want, of, rising)
}

// sameFirst is sameOrder for a table with the first rows only.
func sameFirst(t *testing.T, name string, got *table.Table, want []*plainCall, of func(x *plainCall) (bool, int64, bool, string), rising bool) {
	t.Helper()
	want = slices.Clone(want)
	if got.Sorted == "event" {
		if !rising {
			slices.Reverse(want)
		}
		rising = true
	}
	slices.SortStableFunc(want, func(a, b *plainCall) int {
		knownA, numberA, isA, textA := of(a)
		knownB, numberB, isB, textB := of(b)
		if !knownA || !knownB {
			return cmp.Compare(b2i(knownB), b2i(knownA))
		}
		c := cmp.Or(cmp.Compare(b2i(isB), b2i(isA)), cmp.Compare(numberA, numberB), strings.Compare(textA, textB))
		if !rising {
			c = -c
		}
		return c
	})
	rows := got.Rows.(*callRows)
	at, _ := rows.places(0, rows.n)
	for i := range at {
		if at[i] != want[i].at {
			t.Fatalf("%s: row %d is at %v, want %v", name, i, at[i], want[i].at)
		}
	}
}

// sameGroups compares groups with sums by the text of a column.
func sameGroups(t *testing.T, name string, got *table.Table, want []*plainCall, by string, timed bool) {
	t.Helper()
	type sums struct {
		calls, threw, total, longest, took, timed int64
		results                                   map[string]int
	}
	groups := make(map[string]*sums)
	for _, x := range want {
		s := groups[x.column(by)]
		if s == nil {
			s = &sums{results: make(map[string]int)}
			groups[x.column(by)] = s
		}
		s.calls++
		switch {
		case strings.HasPrefix(x.result, "✗ "):
			s.threw++
		case x.result != "":
			s.results[x.result]++
		}
		if x.timed && x.state == lazy.StateWhole {
			s.longest, s.took, s.timed = max(s.longest, x.time.Duration), s.took+x.time.Duration, s.timed+1
			if x.outer {
				s.total += x.time.Duration
			}
		}
	}
	if len(groups) > mostGroups {
		return
	}
	seen := make(map[string]*sums)
	last := int64(1) << 60
	for i := range got.Rows.Len() {
		row := got.Rows.Row(i)
		key := row[0].Text()
		if by == "thread" {
			key, _, _ = strings.Cut(key, " (")
		}
		s := seen[key]
		if s == nil {
			s = new(sums)
			seen[key] = s
		}
		number := func(key string) int64 {
			if i := got.Column(key); i >= 0 && row[i].Known() {
				return row[i].Int()
			}
			return 0
		}
		if number("calls") > last {
			t.Fatalf("%s: row %d is out of order", name, i)
		}
		last = number("calls")
		s.calls += number("calls")
		s.threw += number("threw")
		s.total += number("total")
		s.longest = max(s.longest, number("max"))
	}
	for key, want := range groups {
		s := seen[key]
		if s == nil || s.calls != want.calls || s.threw != want.threw || s.total != want.total || s.longest != want.longest {
			t.Errorf("%s: %q: %+v, want %+v", name, key, s, want)
		}
	}
	if len(seen) != len(groups) {
		t.Errorf("%s: %d values, want %d", name, len(seen), len(groups))
	}
}
