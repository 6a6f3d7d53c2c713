package query

import (
	"math/rand/v2"
	"testing"

	"tracex/format"
	"tracex/lazy"
)

// TestRangeOfEvents: with a range of events, calls count that begin and end in it, and events that are in it.
func TestRangeOfEvents(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		if _, timed := r.Times(); timed {
			return
		}
		if data, _ := r.Size(); data > 100<<10 {
			return // its tree takes long
		}
		random := rand.New(rand.NewPCG(3, 4))
		roots := forest(t, r, true)
		last := int32(0)
		var all []*node
		var walk func(list []*node)
		walk = func(list []*node) {
			for _, n := range list {
				all = append(all, n)
				last = max(last, n.event)
				walk(n.kids)
			}
		}
		walk(roots)
		for range 2 {
			from := random.Int64N(int64(last) + 2)
			to := from + 1 + random.Int64N(int64(last)+2)
			scope := Scope{Raw: true}
			if err := scope.Edit(t.Context(), r, Steps{RangeStep(false, from, to)}); err != nil {
				t.Fatal(err)
			}
			calls, events := int64(0), 0
			for _, n := range all {
				if int64(n.event) < from || int64(n.event) >= to {
					continue
				}
				events++
				if n.class == format.ClassCall && int64(lastEvent(n)) < to && !(n.unended && goesOn(all, n.thread, to)) {
					calls++
				}
			}
			found := NewFind(r, scope.Pass(), nil, 0)
			if err := found.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if n, beyond := found.Set.Count(); int64(n)+beyond != int64(events) {
				t.Errorf("%d…%d: found %d events, want %d", from, to, n, events)
			}
			top := NewTop(r, scope, ByThread)
			if err := r.Pass(t.Context(), scope.Over(top)); err != nil {
				t.Fatal(err)
			}
			if top.all.Calls != calls || top.all.Points != int64(events) {
				t.Errorf("%d…%d: top has %d calls and %d events, want %d and %d", from, to, top.all.Calls, top.all.Points, calls, events)
			}
		}
	})
}

// lastEvent returns the number of the last event of a node.
func lastEvent(n *node) int32 {
	if len(n.kids) == 0 {
		return n.event
	}
	return lastEvent(n.kids[len(n.kids)-1])
}

// goesOn reports whether a thread has an event from a number on.
func goesOn(all []*node, thread int32, from int64) bool {
	for _, n := range all {
		if n.thread == thread && int64(n.event) >= from {
			return true
		}
	}
	return false
}

// TestRangeStep: a range is written as it is read.
func TestRangeStep(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1.2s..1.3s", "range 1.2s..1.3s"},
		{"350us .. 2ms", "range 350µs..2ms"},
		{"#1,000..#2000", "range #1000..#2000"},
		{"1.2s..", "range 1.2s.."}, {"#7..", "range #7.."},
		{"2s..1s", ""}, {"..1s", ""}, {"1s", ""}, {"#5..1s", ""}, {"@3..#9", ""}, {"", ""}, {"-1s..2s", ""},
	} {
		s, err := ParseStep(Range, c.text)
		if (err != nil) != (c.want == "") || err == nil && s.String() != c.want {
			t.Errorf("%q: %q, %v", c.text, s.String(), err)
		}
		if err != nil {
			continue
		}
		timed, from, to, ok := s.Span()
		again, err := ParseStep(Range, s.Text)
		if err != nil || !ok || RangeStep(timed, from, to).Text != again.Text {
			t.Errorf("%q: %v, %v", s.Text, again, err)
		}
	}
	r := opened(t, shop(t))
	events, _ := ParseStep(Range, "#1..#20")
	if err := events.Check(r); err == nil {
		t.Error("a range of events in a trace with times")
	}
	var scope Scope
	part, _ := ParseStep(Range, "1ms..2ms")
	if err := scope.Edit(t.Context(), r, Steps{part, RangeStep(true, 0, 1_500_000)}); err != nil || !scope.Timed || scope.From != 1_000_000 || scope.To != 1_500_000 {
		t.Errorf("%+v, %v", scope, err)
	}
}
