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
)

// TestTopIn: a Top of what is below an event is that of the event's subtree, as if it were all of
// the trace.
func TestTopIn(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		if size > 200_000 {
			return // long enough
		}
		for _, raw := range []bool{false, true} {
			var all []*node
			var walk func(list []*node)
			walk = func(list []*node) {
				for _, n := range list {
					all = append(all, n)
					walk(n.kids)
				}
			}
			walk(forest(t, r, raw))
			for i := 0; i < len(all); i += 1 + len(all)/12 {
				n := all[i]
				scope := Scope{Raw: raw}
				err := scope.In(t.Context(), r, lazy.EventHandle(n.event))
				if !n.class.Container() {
					if err == nil {
						t.Errorf("event %d is a leaf", n.event)
					}
					continue
				}
				if err != nil {
					t.Errorf("event %d: %v", n.event, err)
					continue
				}
				want := plainly(r, []*node{n}, ByMethod)
				for _, share := range []int64{0, max(150, size/50)} {
					got := counted(t, r, scope, ByMethod, share)
					sameTop(t, fmt.Sprintf("raw %v, event %d, share %d", raw, n.event, share), got, want)
				}
			}
		}
	})
}

// TestScopeHidden: what folding hides is an error that tells so.
func TestScopeHidden(t *testing.T) {
	var scope Scope
	r := kotlin(t)
	for event := range int32(2000) {
		scope = Scope{}
		err := scope.In(t.Context(), r, lazy.EventHandle(event))
		raw := Scope{Raw: true}
		if errors.Is(err, ErrHidden) && raw.In(t.Context(), r, lazy.EventHandle(event)) == nil {
			return
		}
	}
	t.Error("folding hides nothing")
}

// TestTopOfThread: a Top of one thread has its calls only.
func TestTopOfThread(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		if size > 200_000 {
			return // long enough
		}
		roots := forest(t, r, true)
		for i, th := range r.Threads() {
			if i > 5 {
				break
			}
			own := slices.DeleteFunc(slices.Clone(roots), func(n *node) bool { return n.thread != th.ID })
			scope := Scope{Raw: true, Ranges: []lazy.PassRange{{Thread: th.ID, To: -1}}}
			sameTop(t, fmt.Sprint("thread ", th.ID), counted(t, r, scope, ByMethod, 1000), plainly(r, own, ByMethod))
		}
	})
}

// spanned adds up the parts of calls in a span of time.
func spanned(rows map[string]*Sums, all *Totals, key func(*node) string, list []*node, open map[string]int, from, to int64) (took int64) {
	for _, n := range list {
		k := key(n)
		if rows[k] == nil {
			rows[k] = new(Sums)
		}
		row := rows[k]
		outer := open[k] == 0
		open[k]++
		within := spanned(rows, all, key, calls(n.kids), open, from, to)
		open[k]--
		if !n.timed {
			continue
		}
		part := max(0, min(n.time.End(), to)-max(n.time.Start, from))
		took += part
		row.Self += max(0, part-within)
		if outer {
			row.Total += part
		}
		if n.time.Start >= from && n.time.Start < to {
			row.Calls++
			all.Calls++
			row.Max = max(row.Max, part)
			row.Took += part
		}
	}
	return took
}

// TestTopOfSpan: with a span of time, calls count if they begin in it, and durations are cut at its
// ends.
func TestTopOfSpan(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		_, length, ok := r.Recording()
		size, _ := r.Size()
		if !ok || size > 200_000 || strings.Contains(t.Name(), "lost") || strings.Contains(t.Name(), "half") {
			return // TestTop checks calls that never ended
		}
		roots := calls(forest(t, r, false))
		for _, part := range [][2]int64{{0, 1000}, {300, 301}, {100, 600}, {999, 1000}, {500, 500}} {
			scope := Scope{Timed: true, From: int64(length) * part[0] / 1000, To: int64(length) * part[1] / 1000}
			got := counted(t, r, scope, ByMethod, 1000)
			p := plainTop{by: ByMethod}
			r.WithContext(func(c *format.Context) { p.ctx = c })
			rows, all := make(map[string]*Sums), Totals{}
			all.Time = spanned(rows, &all, p.key, roots, make(map[string]int), scope.From, scope.To)
			if got.all.Calls != all.Calls || got.all.Time != all.Time {
				t.Errorf("%v: %+v, want %+v", part, got.all, all)
			}
			for i, g := range got.groups.list() {
				if i >= len(got.rows) {
					break
				}
				w, s := rows[g.key(ByMethod)], got.rows[i].Sums
				if w == nil || s.Calls != w.Calls || s.Self != w.Self || s.Total != w.Total || s.Max != w.Max || s.Took != w.Took {
					t.Errorf("%v: %s: %+v, want %+v", part, g.names[0], s, w)
				}
			}
		}
	})
}

// TestShownAsked: each row of the folded view can be asked about by its number and by its position, also where folding
// has put a call in place of another one.
func TestShownAsked(t *testing.T) {
	r := kotlin(t)
	moved := 0
	var walk func(list []*node)
	walk = func(list []*node) {
		for _, n := range list {
			if walk(n.kids); formattest.Race && n.event%8 > 0 {
				continue
			}
			recorded, event, err := r.Find(t.Context(), lazy.EventHandle(n.event))
			if err != nil || event != n.event {
				t.Fatalf("%d: %v", n.event, err)
			}
			if recorded == n.at && moved > 0 && n.event%50 > 0 {
				continue
			}
			if recorded != n.at {
				moved++
			}
			if n.class.Container() {
				var by, at Scope
				if err := errors.Join(by.In(t.Context(), r, lazy.EventHandle(n.event)), at.In(t.Context(), r, lazy.PositionHandle(n.at))); err != nil || !slices.Equal(by.Ranges, at.Ranges) {
					t.Errorf("#%d: %v, %v %v", n.event, err, by.Ranges, at.Ranges)
				}
			}
			if err := NewState(r, false, HistoryPoint{recorded, n.event}).Run(t.Context(), nil); err != nil {
				t.Errorf("state of #%d: %v", n.event, err)
			}
			if a, err := FindAround(t.Context(), r, recorded, AroundOptions{N: 2}); err != nil || !slices.ContainsFunc(a.Moments, func(m Moment) bool { return m.Position == n.at }) {
				t.Errorf("around #%d: %v", n.event, err)
			}
			if _, _, err := LocationsAt(t.Context(), r, false, recorded); err != nil && !errors.Is(err, ErrNoLocation) {
				t.Errorf("locations of #%d: %v", n.event, err)
			}
		}
	}
	if walk(forest(t, r, false)); moved == 0 {
		t.Error("folding moves nothing")
	}
}
