package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
)

// plainPaths are sums of paths, by plain recursion over a tree in memory.
type plainPaths struct {
	o        CallersOptions
	asked    func(n *node) bool
	filtered bool // not all calls of the methods are asked for
	name     func(ref int32) string
	timed    bool
	sums     map[string]*pathSums
	inner    int64
	// recursions tell the methods of steps.
	recursions []func(ref int32) bool
}

// collapse leaves out of a path what recursions of methods have between them.
func (p *plainPaths) collapse(path []*node) []*node {
	for _, is := range p.recursions {
		for i := 0; i < len(path); i++ {
			if !is(path[i].ref) {
				continue
			}
			for j := len(path) - 1; j > i; j-- {
				if is(path[j].ref) {
					path = slices.Concat(path[:i+1], path[j+1:])
					break
				}
			}
			break
		}
	}
	return path
}

// recursive adds a call in a tree in which recursions are collapsed.
func (p *plainPaths) recursive(n *node, around []*node, s pathSums) {
	path := p.collapse(append(slices.Clone(around), n))
	at := path[len(path)-1]
	names := func(list []*node) (out []string) {
		for _, a := range list {
			out = append(out, p.name(a.ref))
		}
		return out
	}
	switch within := slices.ContainsFunc(around, p.asked); {
	case p.o.Callees:
		first := slices.IndexFunc(path, p.asked)
		if first < 0 {
			return
		}
		if at != n {
			s.Calls = 0
		}
		list := names(path[first+1:])
		if len(list) > p.o.Depth {
			list, s.Calls = list[:p.o.Depth], 0
		}
		s.Total, s.Points = s.Self, s.Own
		p.add(list, s)
		for s.Calls = 0; len(list) > 0; p.add(list, s) {
			list = list[:len(list)-1]
		}
	case !p.asked(n):
	case within && !p.o.Self && at != n:
	case within && !p.o.Self:
		p.inner++
		p.add([]string{p.name(n.ref)}, pathSums{Calls: 1})
	default:
		path = path[:len(path)-1]
		slices.Reverse(path)
		list := names(path[:min(len(path), p.o.Depth)])
		for p.add(list, s); len(list) > 0; p.add(list, s) {
			list = list[:len(list)-1]
		}
	}
}

func (p *plainPaths) add(path []string, s pathSums) {
	if p.o.Self && !p.o.Callees {
		s.Total, s.Points = s.Self, s.Own
	}
	key := strings.Join(path, " < ")
	if p.sums[key] == nil {
		p.sums[key] = new(pathSums)
	}
	p.sums[key].add(&s)
}

// calls adds up calls; around are the calls around them, outermost first.
func (p *plainPaths) calls(list []*node, around []*node) {
	for _, n := range list {
		within := calls(n.kids)
		s := pathSums{Calls: 1, Points: n.points, Own: n.points}
		for _, k := range within {
			s.Own -= k.points
		}
		if p.timed && n.timed {
			s.Total, s.Self = n.time.Duration, n.time.Duration
			for _, k := range within {
				if k.timed {
					s.Self -= k.time.Duration
				}
			}
			s.Self = max(0, s.Self)
		}
		outer := slices.IndexFunc(around, p.asked)
		switch {
		case len(p.recursions) > 0:
			p.recursive(n, around, s)
		case p.o.Callees && outer >= 0:
			var path []string
			for _, a := range append(slices.Clone(around[outer+1:]), n) {
				path = append(path, p.name(a.ref))
			}
			if len(path) <= p.o.Depth {
				p.add(path, s)
			}
		case !p.asked(n):
		case p.o.Callees:
			p.add(nil, s)
		case outer >= 0 && !p.o.Self:
			p.inner++
			if !p.filtered {
				p.add([]string{p.name(n.ref)}, pathSums{Calls: 1})
			}
		default:
			var path []string
			p.add(nil, s)
			for i := len(around) - 1; i >= 0 && len(path) < p.o.Depth; i-- {
				path = append(path, p.name(around[i].ref))
				p.add(path, s)
			}
		}
		p.calls(within, append(slices.Clone(around), n))
	}
}

// TestCallers: each path has the sums of a plain recursion over the tree, however the pass is cut;
// the root has the total of the methods, or their self time.
func TestCallers(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		if size > 200_000 {
			return // long enough
		}
		_, timed := r.Times()
		for _, raw := range []bool{false, true} {
			roots := calls(forest(t, r, raw))
			if timed && slices.ContainsFunc(roots, func(n *node) bool { return n.unended }) {
				continue // TestTop checks what the time of a call is that never ended
			}
			for _, method := range methodsOf(r, roots) {
				for _, o := range []CallersOptions{{Method: method, Depth: 3}, {Method: method, Depth: 40, Self: true}, {Method: method, Depth: 4, Callees: true}} {
					checkCallers(t, r, roots, Scope{Raw: raw}, o, 0)
					checkCallers(t, r, roots, Scope{Raw: raw}, o, max(1000, size/100))
				}
			}
		}
	})
}

// methodsOf returns the names of the method of the first root, of a method in the middle of the
// trace, and of one that calls itself, if any.
func methodsOf(r *lazy.LazyTraceReader, roots []*node) (list []string) {
	var all []*node
	var recursive *node
	var walk func(list []*node)
	walk = func(list []*node) {
		for _, n := range list {
			all = append(all, n)
			if recursive == nil && slices.ContainsFunc(calls(n.kids), func(k *node) bool { return k.ref == n.ref }) {
				recursive = n
			}
			walk(calls(n.kids))
		}
	}
	walk(roots)
	if len(all) == 0 {
		return nil
	}
	pick := []*node{all[0], all[len(all)/2]}
	if recursive != nil {
		pick = append(pick, recursive)
	}
	r.WithContext(func(c *format.Context) {
		for _, n := range pick {
			if m := c.Method(n.ref); m != nil {
				list = append(list, m.Name)
			}
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}

func checkCallers(t *testing.T, r *lazy.LazyTraceReader, roots []*node, scope Scope, o CallersOptions, share int64) {
	t.Helper()
	where := fmt.Sprintf("raw %v, %v%s, %+v, share %d", scope.Raw, scope.Steps(), scope.about(&display.Unicode), o, share)
	c, err := NewCallers(r, scope, o)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	pass := scope.Over(c)
	pass.Share = share
	if err := r.Pass(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	groups := c.groups.list()
	asked := remembered(c.focus.matches)
	filtered := scope.where != nil
	want := plainPaths{o: o, asked: func(n *node) bool { return asked(n.ref) && (n.match || !filtered) }, filtered: filtered, timed: c.timed, sums: make(map[string]*pathSums)}
	want.name = remembered(func(ref int32) string { return fmt.Sprint(c.groups.of(ref)) })
	for _, f := range scope.recursions() {
		want.recursions = append(want.recursions, remembered(func(ref int32) (yes bool) {
			r.WithContext(func(*format.Context) { yes = f.Quick(format.ClassCall, ref, 0) == filter.Yes })
			return yes
		}))
	}
	want.calls(roots, nil)
	p := c.focus.paths
	got := make(map[string]pathSums)
	for i := range p.nodes {
		var path []string
		for at := int32(i); at > 0; at = p.nodes[at].parent {
			path = append(path, fmt.Sprint(p.nodes[at].group))
		}
		slices.Reverse(path)
		if n := p.nodes[i]; n.pathSums != (pathSums{}) {
			got[strings.Join(path, " < ")] = n.pathSums
		}
	}
	for key, w := range want.sums {
		if got[key] != *w {
			t.Errorf("%s: %q\n got %+v\nwant %+v", where, key, got[key], *w)
		}
	}
	if len(got) != len(want.sums) || p.nodes[0].inner != want.inner {
		t.Errorf("%s: %d paths, %d inner calls, want %d, %d", where, len(got), p.nodes[0].inner, len(want.sums), want.inner)
	}
	var sum Sums
	for i := range c.rows {
		if asked(groups[i].ID) {
			sum.add(&c.rows[i].Sums)
		}
	}
	if root := p.nodes[0]; o.Self && !filtered && (root.Total != sum.Self || root.Points != sum.Own || root.Calls != sum.Calls) {
		t.Errorf("%s: the root is %+v, the methods %+v", where, root.pathSums, sum)
	}
}

// TestPathsBounded: with too many paths, the heavy ones stay, none has more than it should, and
// what it may lack is told.
func TestPathsBounded(t *testing.T) {
	for _, prefixes := range []bool{true, false} {
		p := newPaths(prefixes, false)
		p.most = 100
		exact := newPaths(prefixes, false)
		for i := range int32(5000) {
			c := pathCall{&callPath{groups: []int32{i % 3, i}}, pathSums{Calls: 1, Total: 1, Points: 1}}
			if i%2 == 0 {
				c = pathCall{&callPath{groups: []int32{1, 2}}, pathSums{Calls: 1, Total: 100, Points: 1}}
			}
			root := pathCall{new(callPath), c.pathSums}
			for _, to := range []*paths{p, exact} {
				to.add(c)
				if !prefixes {
					to.add(root)
				}
			}
		}
		if len(p.nodes) > p.most {
			t.Errorf("%d nodes", len(p.nodes))
		}
		if p.merged == 0 || p.nodes[0].pathSums != exact.nodes[0].pathSums {
			t.Errorf("%d merged, the root %+v, want %+v", p.merged, p.nodes[0].pathSums, exact.nodes[0].pathSums)
		}
		find := func(p *paths) pathSums { return p.nodes[p.index[pathKey{p.index[pathKey{0, 1}], 2}]].pathSums }
		got, want := find(p), find(exact)
		if got.Total > want.Total || got.Total < want.Total-p.lost || got.Total == 0 {
			t.Errorf("the heavy path has %d of %d, and may lack %d", got.Total, want.Total, p.lost)
		}
	}
}

// TestCallersUnknown: a name that the trace does not have is an error that names similar ones.
func TestCallersUnknown(t *testing.T) {
	_, err := NewCallers(opened(t, formattest.Unpack(t, "gson.stream.bin")), Scope{}, CallersOptions{Method: "doPek", Depth: 2})
	var none *NoMethodError
	if !errors.As(err, &none) || !slices.Contains(none.Near, "doPeek") {
		t.Errorf("%v: %+v", err, none)
	}
}

// remembered returns a function that calls f once for each argument.
func remembered[T any](f func(int32) T) func(int32) T {
	known := make(map[int32]T)
	return func(id int32) T {
		v, ok := known[id]
		if !ok {
			v = f(id)
			known[id] = v
		}
		return v
	}
}

// TestCallersOn: the calls kept for a row are those that it counts: of the method, by these callers, or on the way
// from it. A row whose path goes on beyond the longest one tells so.
func TestCallersOn(t *testing.T) {
	rows, cut := new(atomic.Int64), new(atomic.Int64)
	t.Run("traces", func(t *testing.T) {
		editable(t, func(t *testing.T, r *lazy.LazyTraceReader) {
			roots := calls(forest(t, r, false))
			byPlace := make(map[lazy.Position]*node)
			var all []*node
			var walk func(list []*node)
			walk = func(list []*node) {
				for _, n := range list {
					byPlace[n.at], all = n, append(all, n)
					walk(calls(n.kids))
				}
			}
			walk(roots)
			name := func(n *node) (text string) {
				r.WithContext(func(c *format.Context) { text, _ = c.CallName(n.ref, 0) })
				return text
			}
			up := func(n *node) *node {
				for n = n.parent; n != nil && n.class != format.ClassCall; n = n.parent {
				}
				return n
			}
			chain := func(n *node, most int) (list []string) {
				for ; n != nil && len(list) <= most; n = up(n) {
					list = append(list, name(n))
				}
				return list
			}
			for _, method := range methodsOf(r, roots) {
				for _, o := range []CallersOptions{{Method: method, Depth: 3}, {Method: method, Depth: 2, Callees: true}} {
					scope := Scope{}
					find := func(o CallersOptions) *Callers {
						c, err := NewCallers(r, scope, o)
						if err != nil {
							t.Fatal(err)
						}
						pass := scope.Over(c)
						pass.Share = 900
						if err := r.Pass(t.Context(), pass); err != nil {
							t.Fatal(err)
						}
						return c
					}
					table := find(o).Table(View{Done: 1, G: &display.Unicode})
					at := table.Column("name")
					for i := range min(table.Rows.Len(), 30) {
						row := table.Rows.Row(i)
						path, ok := PathOf(table, i)
						if !ok {
							continue
						}
						o.On = path
						list := find(o).On()
						if int64(len(list)) != row[table.Column("calls")].Int() {
							t.Fatalf("%+v: %d calls, and the row counts %v", o, len(list), row[table.Column("calls")])
						}
						if len(list) == 0 || strings.Contains(row[at].Text(), "(again)") {
							continue
						}
						rows.Add(1)
						more, first := false, byPlace[list[0].Position]
						for _, p := range list {
							n := byPlace[p.Position]
							is, want := chain(n, len(path)), chain(first, len(path))
							if o.Callees {
								is, want = is[:len(path)], want[:len(path)] // without the method asked for: several may be
							} else {
								is, want = is[1:], want[1:]
							}
							if n.event != p.Event || !slices.Equal(is, want) {
								t.Fatalf("%+v: %v is on another path than %v", o, chain(n, len(path)), chain(first, len(path)))
							}
							if o.Callees {
								more = more || len(calls(n.kids)) > 0
							} else {
								more = more || len(chain(n, len(path)+1)) > len(path)+1
							}
						}
						if more = more && len(path) == o.Depth; more {
							cut.Add(1)
						}
						if marked := strings.Contains(row[at].Text(), display.Unicode.Absent); marked != more {
							t.Errorf("%+v: the row %q goes on: %v", o, row[at].Text(), more)
						}
					}
				}
			}
		})
	})
	if !formattest.Race && (rows.Load() < 100 || cut.Load() < 20) {
		t.Errorf("%d rows, %d cut: the test shows nothing", rows.Load(), cut.Load())
	}
}
