package query

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// plainOpen calculates what threads were in by looking at all nodes.
type plainOpen struct {
	roots map[int32][]*node // as recorded, by thread
	all   []*node
	shown map[lazy.Position]*node // what the view shows
}

func plainOpenOf(t *testing.T, r *lazy.LazyTraceReader, raw bool) *plainOpen {
	t.Helper()
	x := &plainOpen{roots: make(map[int32][]*node), shown: make(map[lazy.Position]*node)}
	var walk func(list []*node, f func(*node))
	walk = func(list []*node, f func(*node)) {
		for _, n := range list {
			f(n)
			walk(n.kids, f)
		}
	}
	recorded := forest(t, r, true)
	for _, n := range recorded {
		x.roots[n.thread] = append(x.roots[n.thread], n)
	}
	walk(recorded, func(n *node) { x.all = append(x.all, n) })
	list := recorded
	if !raw {
		list = forest(t, r, false)
	}
	walk(list, func(n *node) { x.shown[n.at] = n })
	return x
}

// openIn returns the innermost container of a list that was open at a time; nil if none was.
func openIn(list []*node, at int64) *node {
	for _, n := range list {
		if n.timed && n.time.Start <= at && at <= n.time.End() {
			if in := openIn(n.kids, at); in != nil {
				return in
			}
			return n
		}
		if !n.timed && n.unended {
			if in := openIn(n.kids, at); in != nil {
				return in
			}
		}
	}
	return nil
}

// call returns the innermost call around a node that the view shows, or the node; nil if there is none.
func (x *plainOpen) call(n *node) *node {
	for ; n != nil; n = n.parent {
		if s := x.shown[n.at]; s != nil && s.class == format.ClassCall {
			return s
		}
	}
	return nil
}

// extentOf returns the first begin and the last end of a thread's containers, and whether all have ended.
func extentOf(list []*node) (from, to int64, whole bool) {
	from, to, whole = math.MaxInt64, math.MinInt64, true
	for _, n := range list {
		if n.timed {
			from, to = min(from, n.time.Start), max(to, n.time.End())
		}
		a, b, c := extentOf(n.kids)
		from, to, whole = min(from, a), max(to, b), whole && c && (n.timed || !n.class.Container())
	}
	return from, to, whole
}

// begunBy reports whether a container without a time had begun for certain: what is in it had.
func begunBy(n *node, at int64) bool {
	if n.timed {
		return n.time.Start <= at
	}
	return slices.ContainsFunc(n.kids, func(k *node) bool { return begunBy(k, at) })
}

func atOf(t *testing.T, r *lazy.LazyTraceReader, o AtOptions) *At {
	t.Helper()
	a := NewAt(r, o)
	runs(t, a)
	return a
}

// compareAt compares what all threads were in with what the nodes tell.
func compareAt(t *testing.T, r *lazy.LazyTraceReader, x *plainOpen, raw bool, at int64) {
	t.Helper()
	a := atOf(t, r, AtOptions{Time: at, Raw: raw})
	entries := make(map[int32]atEntry)
	for _, e := range slices.Concat(a.entries[0], a.entries[1]) {
		if _, twice := entries[e.Thread]; twice {
			t.Errorf("at %d: thread %d is there twice", at, e.Thread)
		}
		entries[e.Thread] = e
	}
	rows, err := a.rows(t.Context(), slices.Concat(a.entries[0], a.entries[1]))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(entries) {
		t.Errorf("at %d: %d rows of %d threads", at, len(rows), len(entries))
	}
	var counts AtCounts
	st, growing := r.Status(), false
	growing = st.Growth.On || st.Problem != nil
	for id := range r.ThreadList().All() {
		roots := x.roots[id.ID]
		from, to, whole := extentOf(roots)
		e, listed := entries[id.ID]
		want := x.call(openIn(roots, at))
		switch {
		case want != nil && (!listed || e.Position != want.at || e.about):
			t.Errorf("at %d, raw %v: thread %d was in #%d at %v, not in %+v, %v", at, raw, id.ID, want.event, want.at, e, listed)
		case want == nil && !listed && at <= to && slices.ContainsFunc(x.all, func(n *node) bool {
			return n.thread == id.ID && n.unended && !n.timed && begunBy(n, at) && x.call(n) != nil
		}):
			t.Errorf("at %d, raw %v: thread %d was in a call without an end, and is not there", at, raw, id.ID)
		case want == nil && listed && whole:
			t.Errorf("at %d, raw %v: thread %d was in no call, not in %+v", at, raw, id.ID, e)
		case want == nil && listed && !e.about:
			var n *node // as recorded
			if i := slices.IndexFunc(x.all, func(n *node) bool { return n.at == e.Position }); i >= 0 {
				n = x.all[i]
			}
			for n != nil && n.timed {
				n = n.parent
			}
			if n == nil || !n.unended || !begunBy(n, at) {
				t.Errorf("at %d, raw %v: thread %d was in %+v for certain", at, raw, id.ID, e)
			}
		case listed:
		case from > to: // it has no container
			counts.Idle++
		case at < from:
			counts.Later++
		case at > to && whole && !growing:
			counts.Ended++
		case at > to && growing:
			counts.Unknown++
		default:
			counts.Idle++
		}
	}
	if counts.Working = int64(len(a.entries[0])); !growing && wholeTimes(x) && counts != a.Counts {
		t.Errorf("at %d, raw %v: %+v, want %+v", at, raw, a.Counts, counts)
	}
	if sum := a.Counts.Working + a.Counts.Waiting + a.Counts.Idle + a.Counts.Later + a.Counts.Ended + a.Counts.Unknown; sum != int64(r.ThreadList().Len()) {
		t.Errorf("at %d: %+v of %d threads", at, a.Counts, r.ThreadList().Len())
	}
	for i := range rows {
		row := &rows[i]
		n := x.shown[row.Position]
		if n == nil || n.class != format.ClassCall || row.Event != n.event || n.unended && !row.Unended {
			t.Fatalf("at %d: #%d of %+v", at, row.Event, n)
		}
		if n.timed && (row.From != n.time.Start || row.To != row.From) || !n.timed && row.From > row.To {
			t.Errorf("at %d: #%d began from %d to %d, not at %d", at, n.event, row.From, row.To, n.time.Start)
		}
		above := 0
		for p := n.parent; p != nil; p = p.parent {
			above += b2i(p.class == format.ClassCall)
		}
		if len(row.Path)+row.Left != above || len(row.Path) != min(above, callersShown) {
			t.Errorf("at %d: #%d has %d callers and %d more, want %d", at, n.event, len(row.Path), row.Left, above)
		}
	}
}

// wholeTimes reports whether all containers of a trace have times.
func wholeTimes(x *plainOpen) bool {
	return !slices.ContainsFunc(x.all, func(n *node) bool { return n.class.Container() && !n.timed })
}

// someMoments returns moments: the begin, the end and the middle of some containers, and others.
func (x *plainOpen) someMoments(rng *rand.Rand, n int) (list []int64) {
	list = []int64{0, math.MaxInt64 / 4}
	for try := 0; try < 20*n && n > 0 && len(x.all) > 0; try++ {
		k := x.all[rng.IntN(len(x.all))]
		if !k.timed {
			continue
		}
		n--
		list = append(list, k.time.Start, k.time.End(), k.time.Start+k.time.Duration/2, max(0, k.time.Start-1), k.time.End()+1)
	}
	return list
}

// at compares what threads were in with a plain calculation.
func (w *whole) at(t *testing.T) {
	if _, timed := w.r.Times(); !timed {
		return
	}
	x := plainOpenOf(t, w.r, w.raw)
	for _, at := range x.someMoments(w.rng, 4) {
		compareAt(t, w.r, x, w.raw, at)
	}
}

// TestAt compares what threads of all traces with times were in with plain calculations.
func TestAt(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		if long(r) {
			return
		}
		if _, timed := r.Times(); !timed {
			if err := NewAt(r, AtOptions{}).Run(t.Context(), nil); err != lazy.ErrNoTimes {
				t.Errorf("%v", err)
			}
			return
		}
		rng := rand.New(rand.NewPCG(5, 6))
		for _, raw := range []bool{true, false} {
			x := plainOpenOf(t, r, raw)
			for _, at := range x.someMoments(rng, 8) {
				compareAt(t, r, x, raw, at)
			}
		}
	})
}

// TestAtDemo compares what threads of a recorded trace were in, at each moment at which something began or ended.
func TestAtDemo(t *testing.T) {
	r := opened(t, shop(t))
	for _, raw := range []bool{true, false} {
		x := plainOpenOf(t, r, raw)
		for _, n := range x.all {
			if n.timed {
				compareAt(t, r, x, raw, n.time.Start)
				compareAt(t, r, x, raw, n.time.End())
			}
		}
	}
}

// TestAtPlace: the moment of an event is when it began, and its own thread was in the call around it.
func TestAtPlace(t *testing.T) {
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Random, Threads: 3, Seed: 8, Timed: true},
		{Shape: formattest.Calls, Threads: 2, Seed: 9, Timed: true, Options: formattest.Options{Version: format.V27}},
	} {
		spec.N = 500
		r := opened(t, formattest.File(t, spec))
		rng := rand.New(rand.NewPCG(5, 7))
		x := plainOpenOf(t, r, true)
		for range 40 {
			n := x.all[rng.IntN(len(x.all))]
			h := lazy.PositionHandle(n.at)
			a := atOf(t, r, AtOptions{Place: &h, Raw: true})
			if n.timed && (a.Time != n.time.Start || a.Upto != a.Time) || !n.timed && n.class.Container() {
				t.Errorf("#%d began from %d to %d, not at %d", n.event, a.Time, a.Upto, n.time.Start)
			}
			if !n.class.Container() && (a.Time > a.Upto || n.parent != nil && n.parent.timed && (a.Time < n.parent.time.Start || a.Upto > n.parent.time.End())) {
				t.Errorf("#%d was from %d to %d, in a call at %+v", n.event, a.Time, a.Upto, n.parent.time)
			}
			want := x.call(n)
			i := slices.IndexFunc(a.entries[0], func(e atEntry) bool { return e.Thread == n.thread })
			if want == nil != (i < 0) || want != nil && a.entries[0][i].Position != want.at {
				t.Errorf("#%d: %+v, want %+v", n.event, a.entries[0], want)
			}
			at := atOf(t, r, AtOptions{Time: a.Time, Raw: true})
			others := func(a *At) string {
				return fmt.Sprint(slices.DeleteFunc(slices.Clone(a.entries[0]), func(e atEntry) bool { return e.Thread == n.thread }))
			}
			if others(a) != others(at) {
				t.Errorf("#%d: others were in %s, but at its time in %s", n.event, others(a), others(at))
			}
		}
	}
}
