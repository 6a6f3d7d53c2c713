package lazy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"tracex/format/formattest"
	"tracex/recorder"
)

// flameTraces are traces with and without times, of all shapes, cut ones too.
func flameTraces(t *testing.T, f func(t *testing.T, r *LazyTraceReader)) {
	var specs []formattest.Spec
	for i, shape := range []formattest.Shape{formattest.Calls, formattest.Deep, formattest.Wide, formattest.WideCalls,
		formattest.WideLeaves, formattest.Threads, formattest.Goroutines, formattest.Random} {
		for _, timed := range []bool{false, true} {
			spec := formattest.Spec{Shape: shape, N: 600, Seed: uint64(3 + i), Timed: timed}
			spec.BlockSize, spec.Dump = 3000, i%2 == 1
			specs = append(specs, spec)
		}
	}
	for seed := range uint64(4) {
		spec := formattest.Spec{Shape: formattest.Random, N: 1200, Seed: seed, Wild: seed%2 == 1, Timed: seed < 2, Threads: 2}
		spec.BlockSize = 2048
		specs = append(specs, spec)
		spec.Crash, spec.Dump = formattest.CrashPartial, false
		specs = append(specs, spec)
	}
	for i, spec := range specs {
		if formattest.Race && i%4 != 3 {
			continue
		}
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			f(t, waited(t, formattest.File(t, spec)))
		})
	}
	for _, name := range []string{"threads.stream.bin", "kotlin.v27.stream.bin", "crash.stream.bin"} {
		if !formattest.Race {
			t.Run(name, func(t *testing.T) { t.Parallel(); f(t, waited(t, formattest.Unpack(t, name))) })
		}
	}
}

// plainFlame is a thread in memory.
type plainFlame struct {
	nodes  []*flameNode
	begins [][2]int64 // offset and begin of all recorded containers with times
	events [][2]int64 // offset and number of all points
	axis   [2]int64
	timed  bool
}

// flameNode is a container.
type flameNode struct {
	n        *Node
	from, to int64
	known    bool
	depth    int
	parent   *flameNode
}

func newPlainFlame(t *testing.T, r *LazyTraceReader, th *Node, raw bool) *plainFlame {
	tree := r.Tree(!raw)
	Inline(tree)
	root := tree.thread(th.thread)
	if _, complete, err := tree.ExpandAll(t.Context(), root, 0, 1<<40, nil); err != nil || !complete {
		t.Fatal(complete, err)
	}
	p := &plainFlame{}
	c := &flameEvents{}
	if err := r.Pass(t.Context(), Pass{Raw: true, Collect: []Collector{c}, Ranges: []PassRange{{Thread: th.thread, To: -1}}}); err != nil {
		t.Fatal(err)
	}
	p.events = c.list
	_, p.timed = r.Times()
	switch whole, ok := r.ThreadTime(th.thread); {
	case p.timed && ok:
		p.axis = [2]int64{whole.Start, whole.End()}
	case !p.timed && len(p.events) > 0:
		p.axis = [2]int64{p.events[0][1], p.events[len(p.events)-1][1] + 1}
	}
	by := make(map[*Node]*flameNode)
	for row, ok := Row(Row{Node: root}), true; ok; row, ok = tree.Next(row) {
		n := row.Node
		if n == root {
			continue
		}
		if n.IsThread() {
			break
		}
		if e := n.e.Load(); e.Container() {
			x := &flameNode{n: n, parent: by[n.parent]}
			if x.parent != nil {
				x.depth = x.parent.depth + 1
			}
			by[n] = x
			p.nodes = append(p.nodes, x)
		}
	}
	if p.timed {
		r.r.Use(func() error {
			w, err := r.r.WalkerOn(r.r.Known.Load(), th.thread)
			for ord := range w.S.Cells.Len() {
				if t, ok := w.CellTime(ord); ok {
					p.begins = append(p.begins, [2]int64{w.S.Cells.At(ord).Start, t.Start})
				}
			}
			return err
		})
	}
	for _, x := range p.nodes {
		p.span(x)
	}
	return p
}

// span finds where a node is on the axis.
func (p *plainFlame) span(x *flameNode) {
	e := x.n.e.Load()
	x.known, x.to = true, p.axis[1]
	switch {
	case !p.timed:
		x.from = int64(e.Point.Event)
		if i := sort.Search(len(p.events), func(i int) bool { return p.events[i][0] >= e.Next }); e.State == StateWhole && i < len(p.events) {
			x.to = p.events[i][1]
		}
	case e.State == StateWhole:
		var t Time
		if t, x.known = x.n.Time(); x.known {
			x.from, x.to = t.Start, t.End()
			break
		}
		x.to = math.MaxInt64
		fallthrough
	default:
		x.from = math.MaxInt64
		for _, begin := range p.begins {
			if begin[0] > e.Start && begin[0] < e.End {
				x.from = min(x.from, begin[1])
			}
		}
		if x.known {
			x.from = min(x.from, p.axis[1])
		}
	}
}

// flameEvents collects the points of a thread.
type flameEvents struct{ list [][2]int64 }

func (c *flameEvents) Visitor() Visitor         { return &flameEvents{} }
func (c *flameEvents) Reset()                   { c.list = nil }
func (c *flameEvents) Begin(int32, []PassFrame) {}
func (c *flameEvents) Exit(*PassPoint)          {}
func (c *flameEvents) Leaf(p *PassPoint)        { c.list = append(c.list, [2]int64{p.At, int64(p.Event)}) }
func (c *flameEvents) Enter(p *PassPoint)       { c.Leaf(p) }
func (c *flameEvents) Merge(v Visitor) error {
	c.list = append(c.list, v.(*flameEvents).list...)
	return nil
}

// TestFlame: a flame has the containers that are a column wide, those of the tree, and no others.
func TestFlame(t *testing.T) {
	flameTraces(t, func(t *testing.T, r *LazyTraceReader) {
		random := rand.New(rand.NewPCG(5, 6))
		threads := r.Tree(true).Threads()
		for i, th := range threads {
			if len(threads) > 12 && i%(len(threads)/12) != 0 {
				continue
			}
			for _, raw := range []bool{false, true} {
				p := newPlainFlame(t, r, th, raw)
				for range 6 {
					o := FlameOptions{Thread: th.thread, Raw: raw, Columns: 1 + random.IntN(90), Depth: 1 + random.IntN(12)}
					if length := p.axis[1] - p.axis[0]; random.IntN(3) > 0 && length > 1 {
						o.From = p.axis[0] + random.Int64N(length)
						o.To = o.From + 1 + random.Int64N(length)
					}
					var below *flameNode
					if random.IntN(3) == 0 && len(p.nodes) > 0 {
						below = p.nodes[random.IntN(len(p.nodes))]
						at := below.n.Position()
						o.Below = &at
					}
					p.check(t, r, o, below)
				}
			}
		}
	})
}

func (p *plainFlame) check(t *testing.T, r *LazyTraceReader, o FlameOptions, below *flameNode) {
	t.Helper()
	about := fmt.Sprintf("thread %d raw %v, %d columns, depth %d, %d…%d", o.Thread, o.Raw, o.Columns, o.Depth, o.From, o.To)
	if below != nil {
		about += fmt.Sprint(", below ", below.n.Handle())
	}
	told := 0
	o.Tell = func(f Flame) {
		if told = f.Done; told == 0 || told >= o.Columns || len(f.Depth) != told {
			t.Errorf("%s: told of %d columns, of depth %d", about, f.Done, len(f.Depth))
		}
	}
	f, err := FlameOf(t.Context(), r, o)
	begin, end := p.axis[0], p.axis[1]
	if below != nil {
		begin, end = below.from, below.to
	}
	from, to := begin, end
	if o.To > o.From {
		from, to = max(from, o.From), min(to, o.To)
	}
	if from >= to || below != nil && !below.known {
		if err == nil {
			t.Errorf("%s: no error for nothing", about)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", about, err)
	}
	if f.From != from || f.To != to || f.Begin != begin || f.End != end || f.Done != o.Columns || len(f.Ends) != o.Columns {
		t.Fatalf("%s: from %d to %d of %d to %d, want %d to %d of %d to %d", about, f.From, f.To, f.Begin, f.End, from, to, begin, end)
	}
	type span struct {
		event           int32
		depth           int
		from, to        int64
		parent          int32
		at, left, right int64
	}
	column := func(at int64) int64 { // the nearest edge
		at = min(max(at, from), to) - from
		return (int64(o.Columns)*2*at/(to-from) + 1) / 2
	}
	var want, got []span
	wide := make(map[*flameNode]bool)
	var deep []*flameNode // wide ones directly below the last level
	for _, x := range p.nodes {
		depth, parent := x.depth, int32(-1)
		if below != nil {
			depth -= below.depth
		}
		inside := below == nil || x == below || wide[x.parent]
		if width := min(x.to, to) - max(x.from, from); !inside || !x.known || x != below && (width <= 0 || width*int64(o.Columns) < to-from) ||
			x != below && x.parent != nil && !wide[x.parent] {
			continue
		}
		if depth >= o.Depth {
			deep = append(deep, x)
			continue
		}
		wide[x] = true
		if x.parent != nil && x != below {
			parent = x.parent.n.e.Load().Point.Event
		}
		e := x.n.e.Load()
		want = append(want, span{e.Point.Event, depth, x.from, x.to, parent, e.At, column(x.from), column(x.to)})
	}
	for _, s := range f.Spans {
		parent := int32(-1)
		if s.Parent >= 0 {
			parent = f.Spans[s.Parent].Event
		}
		got = append(got, span{s.Event, s.Depth, s.From, s.To, parent, s.At, int64(s.Left), int64(s.Right)})
	}
	order := func(a, b span) int { return int(a.at - b.at) }
	slices.SortStableFunc(want, order)
	slices.SortStableFunc(got, order)
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", about, got, want)
	}
	deeper := 0
	for k := range int64(o.Columns) {
		middle := from + (2*k+1)*(to-from)/(2*int64(o.Columns))
		if slices.ContainsFunc(deep, func(x *flameNode) bool { return x.from <= middle && middle < x.to }) {
			deeper++
		}
	}
	if f.Deeper != deeper {
		t.Errorf("%s: %d columns have more, want %d", about, f.Deeper, deeper)
	}
	if o.Raw && below == nil {
		p.checkColumns(t, about, &f, o.Depth, wide)
	}
}

// checkColumns checks what is counted in columns, and where narrow containers are.
func (p *plainFlame) checkColumns(t *testing.T, about string, f *Flame, most int, wide map[*flameNode]bool) {
	t.Helper()
	length, columns := f.To-f.From, int64(f.Columns)
	depth, ends := make([]int32, columns), make([]int64, columns)
	type place struct {
		parent int32
		column int
	}
	narrow, counts := make(map[place]bool), make(map[place]int64)
	vague := make(map[int32]bool) // by parent: a container in it has no time, and may be anywhere there
	parentEvent := func(x *flameNode) int32 {
		if x.parent == nil {
			return -1
		}
		return x.parent.n.e.Load().Point.Event
	}
	begins := func(k int64) int64 { return f.From + k*length/columns } // of a column, rounded down
	for _, x := range p.nodes {
		e := x.n.e.Load()
		for k := range columns {
			if at := f.From + (2*k+1)*length/(2*columns); x.from <= at && at < x.to {
				depth[k]++
			}
		}
		ended := int64(-1)
		if last := x.to - 1; x.known && e.State == StateWhole {
			if !p.timed {
				i := sort.Search(len(p.events), func(i int) bool { return p.events[i][0] >= e.Next })
				last = p.events[i-1][1]
			}
			for k := range columns {
				if last >= begins(k) && last < begins(k+1) {
					ended = k
					ends[k]++
				}
			}
		}
		top := x // within what is wide
		for top.parent != nil && !wide[top.parent] {
			top = top.parent
		}
		if !x.known && (top.parent == nil || wide[top.parent]) {
			vague[parentEvent(top)] = true
		}
		if wide[x] || !x.known || top.depth >= most || top.parent != nil && !wide[top.parent] {
			continue
		}
		parent := parentEvent(top)
		if ended >= 0 {
			counts[place{parent, int(ended)}]++
			narrow[place{parent, int(ended)}] = true
		}
		for k := range columns {
			if x == top && x.from < begins(k+1) && x.to > begins(k) && x.from < x.to {
				narrow[place{parent, int(k)}] = true
			}
		}
	}
	if !slices.Equal(f.Depth, depth) || !slices.Equal(f.Ends, ends) {
		t.Errorf("%s: depth %v, want %v; ends %v, want %v", about, f.Depth, depth, f.Ends, ends)
	}
	for _, e := range p.events {
		for k := range columns {
			if in := e[1] >= begins(k) && e[1] < begins(k+1); !p.timed && in != (e[0] >= f.Edges[k] && e[0] < f.Edges[k+1]) {
				t.Errorf("%s: #%d at %d: in column %d %v, whose edges are %d and %d", about, e[1], e[0], k, in, f.Edges[k], f.Edges[k+1])
			}
		}
	}
	drawn := make(map[place]bool) // at what is in a span
	parentOf := func(i int) int32 {
		if i < 0 {
			return -1
		}
		return f.Spans[i].Event
	}
	for _, s := range f.Spans {
		for k := s.Left; k < s.Right; k++ {
			drawn[place{parentOf(s.Parent), k}] = true
		}
	}
	runs := make(map[place]bool)
	for _, n := range f.Narrow {
		sum, inner := int64(0), 0
		for k := n.Left; k < n.Right; k++ {
			at := place{parentOf(n.Parent), k}
			if drawn[at] || !narrow[at] && !vague[at.parent] {
				t.Errorf("%s: %+v, in column %d: over a wide one %v, narrow ones %v", about, n, k, drawn[at], narrow[at])
			}
			runs[at] = true
			sum += counts[at]
			if k > n.Left && k < n.Right-1 {
				inner += int(counts[at])
			}
		}
		if n.Count > sum && !vague[parentOf(n.Parent)] || n.Count < int64(inner) {
			t.Errorf("%s: %+v, want at most %d", about, n, sum)
		}
	}
	parents := map[int32][2]int{-1: {0, f.Columns}}
	for _, s := range f.Spans {
		parents[s.Event] = [2]int{s.Left, s.Right}
	}
	for at := range narrow {
		if in := parents[at.parent]; at.column >= in[0] && at.column < in[1] && !drawn[at] && !runs[at] {
			t.Errorf("%s: nothing shows the narrow ones in %v", about, at)
		}
	}
}

// TestFlameText: the beginning of a long text ends with a whole character.
func TestFlameText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	rec, err := recorder.Start(recorder.Config{Path: path, Strategy: recorder.Streaming, NoTimes: true})
	if err != nil {
		t.Fatal(err)
	}
	th, class := rec.Thread("main"), rec.Class("Main")
	for i := range 4 { // characters of two, three and four bytes, each at any distance from the end
		for _, c := range []string{"é", "語", "🜚"} {
			th.Enter(rec.Method(class, strings.Repeat("f", i)+strings.Repeat(c, 400), recorder.Type{}), 0, recorder.Null())
			th.Exit(recorder.Null())
		}
	}
	if err := rec.Stop(); err != nil {
		t.Fatal(err)
	}
	r := waited(t, path)
	f, err := FlameOf(t.Context(), r, FlameOptions{Thread: r.ThreadList().ID(0), Columns: 400, Depth: 2})
	if err != nil || len(f.Spans) != 12 {
		t.Fatalf("%d spans: %v", len(f.Spans), err)
	}
	for _, s := range f.Spans {
		if n := len(s.Text); n > mostFlameText || n <= mostFlameText-utf8.UTFMax || !utf8.ValidString(s.Text) {
			t.Errorf("%d bytes, which end with %q", n, s.Text[n-8:])
		}
	}
}
