package query

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
)

// corpus calls f with recorded traces and with generated ones.
func corpus(t *testing.T, f func(t *testing.T, path string)) {
	for i, name := range formattest.RecordedNames(t, ".bin") {
		if formattest.Race && i%3 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, formattest.Small(t, formattest.Unpack(t, name)))
		})
	}
	for seed := range uint64(6) {
		spec := formattest.Spec{Shape: formattest.Random, N: 800, Seed: seed, Threads: 2, Wild: seed%2 == 1, Timed: seed%3 == 0}
		spec.BlockSize = 2048
		if seed > 3 {
			spec.Version = format.V27
		}
		if seed == 5 {
			spec.Crash = formattest.CrashPartial
		}
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			f(t, formattest.File(t, spec))
		})
	}
}

// point is a trace point in memory, to calculate with.
type point struct {
	at       lazy.Position
	point    *format.Point
	foot     *format.Footer
	state    lazy.State
	time     lazy.Time
	timed    bool
	size     int64 // in bytes
	parent   *point
	children []*point
	// memory has what was calculated before, by filter: whether it matches, and whether it matches
	// this point or one below it, or one around it.
	memory, below, above map[*filter.Filter]bool
}

// kept calculates a value once.
func kept(memory *map[*filter.Filter]bool, f *filter.Filter, calculate func() bool) bool {
	if v, ok := (*memory)[f]; ok {
		return v
	}
	if *memory == nil {
		*memory = make(map[*filter.Filter]bool)
	}
	v := calculate()
	(*memory)[f] = v
	return v
}

// load loads a trace by the tree that the explorer shows.
func load(t *testing.T, r *lazy.LazyTraceReader, raw bool) (all []*point) {
	tree := r.Tree(!raw)
	var below func(n *lazy.Node, parent *point)
	below = func(n *lazy.Node, parent *point) {
		children, err := tree.Children(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range children {
			p := &point{at: c.Position(), point: c.Point(), state: c.State(), parent: parent}
			if p.point.Class.Container() && p.state != lazy.StatePending {
				p.foot = c.Footer()
			}
			p.time, p.timed = c.Time()
			p.size = sizeOf(t, r, c)
			if parent != nil {
				parent.children = append(parent.children, p)
			}
			all = append(all, p)
			below(c, p)
		}
	}
	for _, n := range tree.Threads() {
		below(n, nil)
	}
	return all
}

// sizeOf returns how many bytes a node takes, of one that has not ended those up to the end of its
// thread.
func sizeOf(t *testing.T, r *lazy.LazyTraceReader, n *lazy.Node) int64 {
	if n.State() != lazy.StatePending {
		bytes, _ := n.Weight()
		return bytes
	}
	x, err := r.Extent(n.Position())
	if err != nil {
		t.Fatal(err)
	}
	if x.To < 0 {
		thread, _ := r.ThreadInfo(x.Thread)
		x.To = thread.Bytes
	}
	return x.To - x.From
}

// matches evaluates a filter by its definition.
func (p *point) matches(f *filter.Filter) bool {
	return kept(&p.memory, f, func() bool { return f.Match(p.facts(f)) })
}

func (p *point) facts(f *filter.Filter) *filter.Facts {
	x := filter.Facts{Point: p.point, Footer: p.foot, Unfinished: p.state == lazy.StateUnfinished, Thread: p.at.Thread, Known: filter.KnownDepth}
	if p.parent != nil {
		x.Parent = format.ParentOf(p.parent.point)
	}
	for up := p.parent; up != nil; up = up.parent {
		x.Depth++
	}
	if p.timed {
		x.At, x.Duration = p.time.Start, p.time.Duration
		x.Known |= filter.KnownAt | filter.KnownDuration
	}
	if p.point.Class.Container() {
		x.Size, x.Known = p.size, x.Known|filter.KnownSize
	}
	if p.point.Class.Container() {
		x.Kids, x.Known = int64(len(p.children)), x.Known|filter.KnownKids
		if calls, known := p.calls(); known && p.timed {
			x.Self, x.Known = max(0, p.time.Duration-calls), x.Known|filter.KnownSelf
		}
	}
	ins, has := f.Subs()
	for _, in := range ins {
		x.In = append(x.In, p.parent != nil && p.parent.isIn(in))
	}
	for _, h := range has {
		x.Has = append(x.Has, slices.ContainsFunc(p.children, func(c *point) bool { return c.contains(h) }))
	}
	return &x
}

// calls returns the time of the calls in the point and in its loops, and whether it is known.
func (p *point) calls() (ns int64, known bool) {
	known = true
	for _, c := range p.children {
		took, ok := c.time.Duration, c.timed
		if c.point.Class != format.ClassCall {
			took, ok = c.calls()
		}
		ns, known = ns+max(0, took), known && ok
	}
	return ns, known
}

// isIn reports whether a filter matches the point or one around it.
func (p *point) isIn(f *filter.Filter) bool {
	return kept(&p.above, f, func() bool { return p.matches(f) || p.parent != nil && p.parent.isIn(f) })
}

// contains reports whether a filter matches the point or one below it.
func (p *point) contains(f *filter.Filter) bool {
	return kept(&p.below, f, func() bool {
		return p.matches(f) || slices.ContainsFunc(p.children, func(c *point) bool { return c.contains(f) })
	})
}

// TestFind compares the places found with the definition of a filter.
func TestFind(t *testing.T) {
	corpus(t, func(t *testing.T, path string) {
		r := opened(t, path)
		_, timed := r.Times()
		size, _ := r.Size()
		for _, raw := range []bool{false, true} {
			all := load(t, r, raw)
			if len(all) == 0 {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(len(all)), 1))
			for _, text := range filters(r, all, rng, timed) {
				share := shares[rng.IntN(len(shares))]
				if share > 0 {
					share = max(share, size/300) // it takes long to begin many parts
				}
				compareFind(t, r, raw, all, text, share)
			}
		}
	})
}

// compareFind compares the places that a filter finds with its definition.
func compareFind(t *testing.T, r *lazy.LazyTraceReader, raw bool, all []*point, text string, share int64) {
	t.Helper()
	e, err := filter.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	f, err := bound(r, e)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var want []lazy.Position
	for _, p := range all {
		if p.matches(f) {
			want = append(want, p.at)
		}
	}
	find := NewFind(r, lazy.Pass{Raw: raw, Share: share}, e, 0)
	if err := find.Run(t.Context(), nil); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if n, same := samePlaces(find.Set, want); !same {
		t.Errorf("%s, raw %v: found %d places, want %d", text, raw, n, len(want))
	}
}

// samePlaces returns how many places a set has, and whether they are those of a list, in its order.
func samePlaces(set *places.Set, want []lazy.Position) (n int, same bool) {
	n, _ = set.Count()
	same = n == len(want)
	for i := 0; i < n && same; i++ {
		got, _ := set.Place(i)
		same = got == want[i]
	}
	return n, same
}

// TestFindLiterals: parts of a trace without the bytes of what is looked for are not read, and nothing is
// missed; calls that are decided at their ends are found in order, in whichever part they end.
func TestFindLiterals(t *testing.T) {
	for _, name := range []string{"gson.stream.bin", "kotlin.v27.stream.bin"} {
		r := opened(t, formattest.Unpack(t, name))
		all := load(t, r, false)
		size, _ := r.Size()
		rng := rand.New(rand.NewPCG(uint64(len(all)), 2))
		var early, late []string
		for range 2000 {
			p := all[rng.IntN(len(all))]
			if p.point.Class != format.ClassCall {
				continue
			}
			if v := &p.point.Target; v.Kind == format.ValueObject && v.Hash() != 0 {
				early = append(early, fmt.Sprintf("recv=@%d", v.Hash()))
			}
			for _, v := range p.point.Args {
				if v.Kind == format.ValueString && len(v.Text) > 1 && !strings.ContainsAny(v.Text, "\\\"\n") {
					early = append(early, fmt.Sprintf("arg=%q", v.Text))
				}
			}
			switch v := p.foot.Result; v.Kind {
			case format.ValueInt:
				late = append(late, fmt.Sprintf("ret=%d", v.Bits), fmt.Sprintf("-threw ret>%d", v.Bits))
			case format.ValueString:
				late = append(late, fmt.Sprintf("ret=%q", v.Text))
			case format.ValueNull:
				late = append(late, "ret=null", fmt.Sprintf("size>%d ret=null", 30+rng.IntN(300)))
			}
		}
		for _, list := range [][]string{early, late} {
			if len(list) < 20 {
				t.Fatalf("%s: %d terms: the test tests little", name, len(list))
			}
			rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for _, text := range list[:8] {
				compareFind(t, r, false, all, text, size/60)
			}
		}
	}
}

// filters returns filters of all forms, with names and numbers of the trace: some of them, others for
// another trace.
func filters(r *lazy.LazyTraceReader, all []*point, rng *rand.Rand, timed bool) (list []string) {
	list = []string{
		"", "kind=call", "-kind=call", "threw", "depth>3", "kind=call depth<=2", "ret=null", "arg=null", "kind=loop or kind=iteration",
		"has(threw)", "in(threw) -threw", "has(kind=loop) kind=call", "in(has(kind=iteration)) kind=write", "in(in(kind=call))",
		"size>200 kind=call", "status=unfinished", "kids>2", "kids=0 kind=call",
	}
	r.WithContext(func(c *format.Context) {
		for range 1000 {
			p := all[rng.IntN(len(all))]
			if p.point.Class != format.ClassCall || c.Method(p.point.Ref) == nil {
				continue
			}
			m, event := filter.MethodTerm(c, p.point.Ref), p.point.Event
			list = append(list, m, "-"+m, "in("+m+")", "has("+m+")", "-in("+m+") kind=call", "has(in("+m+"))",
				fmt.Sprintf("event=%d", event), fmt.Sprintf("event>%d kind=call", event))
			break
		}
	})
	if timed {
		list = append(list, "dur>1us", "in(dur>2us) kind=call", "has(dur>1us)", "at>1ms dur<1ms", "self>500ns", "in(self<100ns) kind=call")
	}
	few := 4
	switch {
	case formattest.Race:
		few = 1
	case formattest.Exhaustive():
		few = 10
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:few]
	return list
}

// TestRead: points are read as the tree shows them, in any order, or in that of the trace: from all to a few of them.
func TestRead(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "gson.stream.bin"))
	for i, take := range []float64{-1, 1, 0.3, 0.01, -1, 0.1} {
		raw := i >= 4
		if formattest.Race && take == 1 {
			continue // all points
		}
		all := load(t, r, raw)
		rng := rand.New(rand.NewPCG(1, 2))
		var at []lazy.Position
		var want []*point
		for _, p := range all {
			if rng.Float64() < take {
				at, want = append(at, p.at), append(want, p)
			}
		}
		for range 300 {
			if take < 0 {
				p := all[rng.IntN(len(all))]
				at, want = append(at, p.at), append(want, p)
			}
		}
		got, err := read(t.Context(), r, &Scope{Raw: raw}, true, at)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d points, want %d: %v", len(got), len(want), err)
		}
		for i, p := range want {
			var text []byte
			r.WithContext(func(c *format.Context) {
				parent := format.Parent{}
				if p.parent != nil {
					parent = format.ParentOf(p.parent.point)
				}
				text = c.AppendText(nil, p.point, p.foot, parent, false)
			})
			if got[i].Position != p.at || got[i].Event != p.point.Event || got[i].Text != string(text) {
				t.Errorf("%+v, want %v %q", got[i], p.at, text)
			}
		}
	}
}

// TestFindFirst: a search for the first matches ends early, and does not say that it knows all.
func TestFindFirst(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 100_000, Seed: 3})
	r := opened(t, path)
	e, _ := filter.Parse("kind=call")
	find := NewFind(r, lazy.Pass{}, e, 10)
	if err := find.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	n, _ := find.Set.Count()
	if n < 10 || n > 90_000 || find.Set.Done() {
		t.Errorf("%d places, done %v", n, find.Set.Done())
	}
}

// TestMayMatch: what surely does not match, neither itself nor around, is not found; of some filters that is most.
func TestMayMatch(t *testing.T) {
	r := opened(t, formattest.Demo(t))
	for text, most := range map[string]bool{
		"method=receipt": true, "class=Till threw": false, "in(method=receipt)": true, "in(class=Catalogue) var=item or kind=throw": true, "not kind=call": false,
		"has(method=pay)": false, "thread~.": false, "depth>3": false, "var=item": true, "method=pay or kind=catch": true, "in(method=pay) kind=throw arg=1": true,
	} {
		e, err := filter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		find := NewFind(r, lazy.Pass{Raw: true}, e, 0)
		if err := find.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		all, no := load(t, r, true), 0
		for _, p := range all {
			n, err := lazy.RevealAlone(t.Context(), r.Tree(false), p.at)
			if err != nil {
				t.Fatal(err)
			}
			if may, err := MayMatch(r, e, n); may || err != nil {
				if err != nil {
					t.Fatal(err)
				}
				continue
			}
			no++
			for ; p != nil; p = p.parent {
				if _, found := find.Set.First(p.at.Thread, p.at.At, p.at.At+1); found {
					t.Errorf("%s: %v, or what is in it, cannot match, it says, but that does", text, p.at)
				}
			}
		}
		if most != (no > len(all)/2) {
			t.Errorf("%s: of %d events %d do not match for certain", text, len(all), no)
		}
	}
}
