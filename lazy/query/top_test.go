package query

import (
	"fmt"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// plainTop is a Top by plain recursion over a tree in memory.
type plainTop struct {
	r        *lazy.LazyTraceReader
	ctx      *format.Context
	by       By
	rows     map[string]*topRow
	all      Totals
	timed    bool
	filtered bool            // only nodes that match count
	wait     format.Type     // what methods return that are waits
	ends     map[int32]int64 // of threads
}

func (p *plainTop) key(n *node) string {
	method := func() (class, name string) {
		m := p.ctx.Method(n.ref)
		if m == nil {
			return "", fmt.Sprint("unknown ", n.ref)
		}
		if c := p.ctx.Class(m.ClassID); c != nil {
			class = c.Name
		}
		return class, fmt.Sprint(m.Name, m.Args, m.Result)
	}
	switch class, name := method(); p.by {
	case ByThread:
		return fmt.Sprint(n.thread)
	case ByFile:
		file, _, _ := p.ctx.FileLine(n.location)
		return file
	case ByClass:
		return class
	case ByPackage:
		return filter.PackageOf(class)
	default:
		return class + "." + name
	}
}

// add adds up calls; open are the keys of the calls around them.
func (p *plainTop) add(list []*node, open map[string]int) {
	for _, n := range list {
		if p.filtered && !n.match {
			p.add(calls(n.kids), open)
			continue
		}
		key := p.key(n)
		row := p.rows[key]
		if row == nil {
			row = new(topRow)
			p.rows[key] = row
		}
		const any = "any call"
		outer, root := open[key] == 0, open[any] == 0
		open[key]++
		open[any]++
		within := calls(n.kids)
		p.add(within, open)
		open[key]--
		open[any]--
		if root && p.filtered {
			p.all.Points += n.points
		}
		if root && p.timed && n.timed {
			p.all.Time += n.time.Duration
		}

		row.Calls++
		row.Merged += n.merged
		p.all.Calls++
		if n.threw {
			row.Threw++
		}
		if n.unended {
			row.Unended++
			p.all.Unended++
		}
		own := n.points
		for _, k := range within {
			own -= k.points
		}
		row.Own += own
		if outer {
			row.Points += n.points
			row.Dropped += n.dropped
		}
		if !p.timed {
			continue
		}
		if !n.timed {
			p.all.Untimed++
			continue
		}
		self := n.time.Duration
		for _, k := range within {
			if k.timed {
				self -= k.time.Duration
			}
		}
		if self < 0 {
			p.all.Shorter++
			self = 0
		}
		row.Self += self
		if outer {
			row.Total += n.time.Duration
			row.Waiting += p.waiting(n)
		}
		row.Took += n.time.Duration
		row.Timed++
		row.Max = max(row.Max, n.time.Duration)
		row.times.Add(n.time.Duration)
	}
}

// waiting returns how long a call waited.
func (p *plainTop) waiting(n *node) (ns int64) {
	if m := p.ctx.Method(n.ref); m != nil && m.Result == p.wait && n.timed {
		return n.time.Duration
	}
	for _, k := range calls(n.kids) {
		ns += p.waiting(k)
	}
	return ns
}

// TestTopWaiting: the time of waits is that of a plain recursion, whichever calls are waits.
func TestTopWaiting(t *testing.T) {
	var some atomic.Int64
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		if size, _ := r.Size(); size > 1<<20 {
			return // long enough
		}
		if _, timed := r.Times(); !timed {
			return
		}
		results := map[format.Type]bool{}
		r.WithContext(func(c *format.Context) {
			for m := range c.Methods() {
				results[m.Result] = true
			}
		})
		n := 0
		for wait := range results {
			if n++; n > 4 {
				break
			}
			want := plain(r, ByMethod)
			want.wait = wait
			roots := forest(t, r, false)
			want.estimate(roots)
			want.sum(roots)
			for _, share := range sharesOf(r, 500) {
				got := NewTop(r, Scope{}, ByMethod)
				got.wait = wait
				pass := got.scope.Pass()
				pass.Share, pass.Collect = share, []lazy.Collector{got}
				if err := r.Pass(t.Context(), pass); err != nil {
					t.Fatal(err)
				}
				sameTop(t, fmt.Sprintf("waits return %v, share %d", wait, share), got, want)
			}
			for _, row := range want.rows {
				if row.Waiting > 0 && row.Waiting < row.Total {
					some.Add(1)
				}
			}
		}
	})
	t.Cleanup(func() {
		if some.Load() < 20 && !t.Failed() && !formattest.Race {
			t.Errorf("%d rows in part of whose time is waited", some.Load())
		}
	})
}

// estimate gives containers that never ended their times.
func (p *plainTop) estimate(list []*node) {
	for _, n := range list {
		p.estimate(n.kids)
		within := calls(n.kids)
		if !p.timed || !n.unended {
			continue
		}
		// It ends where its thread ends, as far as that is known, and begins where the first call in it
		// that has a time does.
		end, ok := p.ends[n.thread]
		for _, k := range within {
			if k.timed {
				end, ok = max(end, k.time.End()), true
			}
		}
		n.time, n.timed = lazy.Time{Start: end}, ok
		for _, k := range within {
			if k.timed {
				n.time.Start = min(n.time.Start, k.time.Start)
			}
		}
		n.time.Duration = end - n.time.Start
	}
}

func plainly(r *lazy.LazyTraceReader, roots []*node, by By) *plainTop {
	p := plain(r, by)
	p.estimate(roots)
	return p.sum(roots)
}

// plain prepares to add up calls.
func plain(r *lazy.LazyTraceReader, by By) *plainTop {
	p := &plainTop{r: r, by: by, rows: make(map[string]*topRow), ends: make(map[int32]int64)}
	r.WithContext(func(c *format.Context) { p.ctx = c })
	_, p.timed = r.Times()
	for _, th := range r.Threads() {
		if time, ok := r.ThreadTime(th.ID); ok {
			p.ends[th.ID] = time.End()
		}
	}
	return p
}

// sum adds up the calls of a forest whose times are known.
func (p *plainTop) sum(roots []*node) *plainTop {
	p.add(calls(roots), make(map[string]int))
	for _, n := range roots {
		if !p.filtered {
			p.all.Points += n.points
		}
	}
	return p
}

// key returns the key that a plainTop gives a group.
func (g *Group) key(by By) string {
	switch {
	case by == ByThread:
		return fmt.Sprint(g.ID)
	case by == ByFile && g.Unknown, by == ByClass && g.Unknown, by == ByPackage && g.Unknown:
		return ""
	case by == ByFile:
		return g.names[0]
	case by == ByClass, by == ByPackage:
		return g.Class
	case g.Unknown:
		return "." + fmt.Sprint("unknown ", g.ID)
	}
	return g.Class + "." + fmt.Sprint(g.Method, g.Args, g.Result)
}

// counted runs a Top.
func counted(t *testing.T, r *lazy.LazyTraceReader, scope Scope, by By, share int64) *Top {
	t.Helper()
	top := NewTop(r, scope, by)
	pass := scope.Pass()
	pass.Share, pass.Collect = share, []lazy.Collector{top}
	if err := r.Pass(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	return top
}

// TestTop: each number is that of a plain recursion over the tree, however the pass is cut.
func TestTop(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		for _, raw := range []bool{false, true} {
			for by := range By(len(Bys)) {
				if by > ByMethod && size > 1<<20 {
					break // long enough
				}
				want := plainly(r, forest(t, r, raw), by)
				for _, share := range sharesOf(r, 500) {
					if by > ByMethod && share != 1000 {
						continue
					}
					got := counted(t, r, Scope{Raw: raw}, by, share)
					where := fmt.Sprintf("raw %v, by %v, share %d", raw, by, share)
					sameTop(t, where, got, want)
				}
			}
		}
	})
}

func sameTop(t *testing.T, where string, got *Top, want *plainTop) {
	t.Helper()
	if got.all != want.all {
		t.Errorf("%s: all %+v\nwant %+v", where, got.all, want.all)
	}
	seen := make(map[string]topRow)
	groups, rows := got.groups.list(), got.rows
	if got.by == ByThread {
		groups, rows = nil, nil
		x := got.threadTable()
		for i := range x.Len() {
			rows = append(rows, topRow{})
			groups = append(groups, &Group{ID: x.sums(i, &rows[i])})
		}
	}
	for i, g := range groups {
		if i >= len(rows) || rows[i].Calls == 0 {
			continue
		}
		row := rows[i]
		key := g.key(got.by)
		if was, twice := seen[key]; twice && got.by == ByPackage && g.Class == "" { // no package, and no class
			was.add(&row.Sums)
			was.times.Merge(&row.times)
			row = was
		} else if twice {
			t.Errorf("%s: %q twice", where, key)
		}
		seen[key] = row
	}
	if len(seen) != len(want.rows) {
		t.Errorf("%s: %d rows, want %d", where, len(seen), len(want.rows))
	}
	var sum Sums
	for key, row := range seen {
		w := want.rows[key]
		if w == nil {
			t.Errorf("%s: %q is not expected", where, key)
			continue
		}
		if row.Sums != w.Sums {
			t.Errorf("%s: %q\n got %+v\nwant %+v", where, key, row.Sums, w.Sums)
		}
		for _, q := range []float64{0, 0.5, 0.99, 1} {
			if a, b := row.times.Quantile(q), w.times.Quantile(q); a != b {
				t.Errorf("%s: %q: quantile %v is %d, want %d", where, key, q, a, b)
			}
		}
		sum.add(&row.Sums)
	}
	if sum.Self != got.all.Time && got.all.Shorter == 0 && got.all.Untimed == 0 && got.scope.where == nil {
		t.Errorf("%s: the sum of self times is %d, of roots %d", where, sum.Self, got.all.Time)
	}
}
