package query

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// plainMark is an event, or the end of one, as texts.
type plainMark struct {
	key, value string
	end        bool
	at         lazy.Position
	event      int32
	path       []string // below the side
}

// plainSequence is a subtree as a list.
type plainSequence struct {
	t    *testing.T
	c    *format.Context
	tree *lazy.Tree
	list []plainMark
	path []string
}

func (s *plainSequence) class(id int32) string {
	if d := s.c.Class(id); d != nil {
		return d.Name
	}
	return fmt.Sprint("class ", id)
}

// text writes a value as a row does, without the identity of objects.
func (s *plainSequence) text(v *format.Value) string {
	if v.ByValue() {
		text := s.class(v.ClassID) + ": {"
		for i := range v.Captured.Fields {
			f := &v.Captured.Fields[i]
			text += f.Name + ":" + s.text(&f.Value) + ", "
		}
		return text + "}"
	}
	text := string(s.c.AppendValueText(nil, v))
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence:
		text = s.class(v.ClassID) + ": " + strings.Replace(text, fmt.Sprint("@", v.Hash()), "", 1)
	case format.ValueBuilder:
		text = strings.Replace(text, fmt.Sprint("@", v.Hash()), "", 1)
	case format.ValueEnum:
		text = s.class(v.ClassID) + ": " + text
	case format.ValueString, format.ValueRawString, format.ValueBigInteger, format.ValueBigDecimal, format.ValueJavaClass, format.ValueKotlinClass,
		format.ValueFloat, format.ValueDouble, format.ValueChar, format.ValueBoolean:
		text = fmt.Sprint(v.Kind, v.Bits, " ", v.Text)
	}
	return text
}

// around returns the last names of the path.
func (s *plainSequence) around() []string {
	return slices.Clone(s.path[min(1, len(s.path)):][max(0, len(s.path)-1-pathLength):])
}

func (s *plainSequence) add(n *lazy.Node) {
	p := n.Point()
	key, name := fmt.Sprint(p.Class, " "), ""
	switch p.Class {
	case format.ClassCall:
		if m := s.c.Method(p.Ref); m != nil {
			key += fmt.Sprint(s.class(m.ClassID), m.Name, m.Args, m.Result, s.c.SuperCall(p))
		} else {
			key += fmt.Sprint("?", p.Ref, s.c.SuperCall(p))
		}
		name, _ = s.c.CallName(p.Ref, 0)
	case format.ClassFieldRead, format.ClassFieldWrite:
		if f := s.c.Field(p.Ref); f != nil {
			key += fmt.Sprint(s.class(f.ClassID), f.Name, f.Type)
		} else {
			key += fmt.Sprint("?", p.Ref)
		}
	case format.ClassVariableRead, format.ClassVariableWrite:
		if f := s.c.Variable(p.Ref); f != nil {
			key += fmt.Sprint(f.Name, f.Type)
		} else {
			key += fmt.Sprint("?", p.Ref)
		}
	case format.ClassLoop:
		key, name = key+fmt.Sprint(p.Ref), "loop"
	case format.ClassIteration:
		key, name = key+fmt.Sprint(p.Ref), fmt.Sprintf("<iteration %d>", p.Number+1)
	}
	value := ""
	switch p.Class {
	case format.ClassLoop, format.ClassIteration:
	case format.ClassSnapshot:
		for i := range p.Snapshot.Watches {
			value += s.text(&p.Snapshot.Watches[i]) + ","
		}
	default:
		value = s.text(&p.Target) + "," + s.text(&p.Value)
		for i := range p.Args {
			value += "," + s.text(&p.Args[i])
		}
		if p.Class == format.ClassArrayRead || p.Class == format.ClassArrayWrite {
			value += fmt.Sprint("[", p.Number)
		}
	}
	s.list = append(s.list, plainMark{key: key, value: value, at: n.Position(), event: p.Event, path: s.around()})
	if !p.Class.Container() {
		return
	}
	s.path = append(s.path, name)
	for row, ok := s.tree.FirstChild(n); ok; row, ok = s.tree.NextSibling(row) {
		s.add(row.Node)
	}
	s.path = s.path[:len(s.path)-1]
	value = fmt.Sprint(n.State())
	if f := n.Footer(); f != nil && n.State() == lazy.StateWhole {
		value += fmt.Sprint(f.Threw || f.Exception != "", f.Exception)
		switch p.Class {
		case format.ClassCall:
			value += s.text(&f.Result)
		case format.ClassLoop:
			value += fmt.Sprint(f.Iterations)
		}
	}
	s.list = append(s.list, plainMark{key: "end", value: value, end: true, at: n.Position(), event: p.Event, path: s.around()})
}

// compared is what a comparison found, as text.
func compared(same, others int64, own, value, event string) string {
	return fmt.Sprintf("%d same, %d other values; own %s; value %s; event %s", same, others, own, value, event)
}

// placeText writes a place.
func placeText(same int64, at lazy.Position, event int32, end bool, path []string) string {
	return fmt.Sprintf("after %d: %v #%d end %v in %q", same, at, event, end, path)
}

// plainCompare compares two lists by the definition.
func plainCompare(a, b []plainMark) string {
	place := func(same int64, i int) string {
		text := ""
		for _, list := range [][]plainMark{a, b} {
			m := &list[i]
			text += placeText(same, m.at, m.event, m.end, m.path) + "; "
		}
		return text
	}
	same, others := int64(0), int64(0)
	own, value, event := "none", "none", "none"
	for i := range min(len(a), len(b)) {
		if a[i].key != b[i].key {
			event = place(same, i)
			break
		}
		if a[i].value != b[i].value {
			found := &value
			if a[i].at == a[0].at && b[i].at == b[0].at {
				found = &own
			}
			if others++; *found == "none" {
				*found = place(same, i)
			}
		}
		if !a[i].end {
			same++
		}
	}
	return compared(same, others, own, value, event)
}

// comparedText is what a Compare has found, as plainCompare writes it.
func comparedText(c *Compare) string {
	text := func(p *Parting) string {
		if p == nil {
			return "none"
		}
		text := ""
		for i := range p.Sides {
			s := &p.Sides[i]
			text += placeText(p.Same, s.Position, s.Event, s.End, s.Path) + "; "
		}
		return text
	}
	return compared(c.found.same, c.found.others, text(c.found.own), text(c.found.value), text(c.found.event))
}

// compareOf compares two events, read in small pieces.
func compareOf(t *testing.T, r *lazy.LazyTraceReader, scope Scope, a, b lazy.Handle, piece int64) *Compare {
	t.Helper()
	c, err := NewCompare(r, scope, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if piece > 0 {
		c.chunk, c.share = piece, piece/2
	}
	if err := c.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCompare: where two subtrees differ, and their sums, are what a plain comparison of the loaded trees
// finds, however they are read.
func TestCompare(t *testing.T) {
	var found [3]atomic.Int64 // pairs that are equal, with another value, with another event
	t.Cleanup(func() {
		for i := range found {
			if n := found[i].Load(); n < 5 && !t.Failed() && !formattest.Race {
				t.Errorf("%d pairs of kind %d: the test shows nothing", n, i)
			}
		}
	})
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		if size, _ := r.Size(); size > 150_000 {
			return // long enough
		}
		for _, raw := range []bool{false, true} {
			compareSome(t, r, raw, 4, rand.New(rand.NewPCG(5, 6)), &found)
		}
	})
}

// compareSome compares pairs of containers, most of them alike, and counts what was found.
func compareSome(t *testing.T, r *lazy.LazyTraceReader, raw bool, pairs int, rng *rand.Rand, found *[3]atomic.Int64) {
	tree := r.Tree(!raw)
	for _, th := range tree.Threads() {
		if _, _, err := tree.ExpandAll(t.Context(), th, 0, 1<<40, nil); err != nil {
			t.Fatal(err)
		}
	}
	like := make(map[string][]*lazy.Node)
	var names []string
	for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
		if n := row.Node; !n.IsThread() && n.Point().Class.Container() {
			key := fmt.Sprint(n.Point().Class, n.Point().Ref)
			if like[key] == nil {
				names = append(names, key)
			}
			like[key] = append(like[key], n)
		}
	}
	if len(names) == 0 {
		return
	}
	var ctx *format.Context
	r.WithContext(func(c *format.Context) { ctx = c })
	nodes := make(map[lazy.Position]*node)
	var index func(list []*node)
	index = func(list []*node) {
		for _, n := range list {
			nodes[n.at] = n
			index(n.kids)
		}
	}
	index(forest(t, r, raw))
	for i := range pairs {
		list := like[names[rng.IntN(len(names))]]
		other := list
		if i%4 == 3 {
			other = like[names[rng.IntN(len(names))]]
		}
		a, b := list[rng.IntN(len(list))], other[rng.IntN(len(other))]
		x, y := plainSequence{t: t, c: ctx, tree: tree}, plainSequence{t: t, c: ctx, tree: tree}
		x.add(a)
		y.add(b)
		piece := []int64{0, 150, 700}[i%3]
		if len(x.list)+len(y.list) > 300 {
			piece = 0
		}
		c := compareOf(t, r, Scope{Raw: raw}, lazy.PositionHandle(a.Position()), lazy.PositionHandle(b.Position()), piece)
		want := plainCompare(x.list, y.list)
		if got := comparedText(c); got != want {
			t.Fatalf("raw %v, %v and %v, in pieces of %d:\n%s\nwant\n%s", raw, a.Handle(), b.Handle(), piece, got, want)
		}
		own, value, event, _ := c.Places()
		for i, is := range []bool{own == nil && value == nil && event == nil, value != nil, event != nil} {
			found[i].Add(int64(b2i(is)))
		}
		sameSums(t, r, c, nodes[a.Position()], nodes[b.Position()])
	}
}

// comparison compares a few pairs.
func (w *whole) comparison(t *testing.T) {
	var found [3]atomic.Int64
	compareSome(t, w.r, w.raw, 3, w.rng, &found)
}

// sameSums compares the methods of a comparison with those of the two subtrees.
func sameSums(t *testing.T, r *lazy.LazyTraceReader, c *Compare, nodes ...*node) {
	t.Helper()
	want := make(map[string][2]Sums)
	for side, n := range nodes {
		for key, row := range plainly(r, []*node{n}, ByMethod).rows {
			sums := want[key]
			sums[side] = row.Sums
			want[key] = sums
		}
	}
	list := comparedMethods(c.found.counts)
	if len(list) != len(want) {
		t.Errorf("%d methods, want %d", len(list), len(want))
	}
	differ := int64(0)
	for i := range list {
		m := &list[i]
		if got := want[m.group.key(ByMethod)]; got != m.sums {
			t.Errorf("%s: %+v, want %+v", m.group.full, m.sums, got)
		}
		differ += int64(b2i(m.differs()))
	}
	own, value, event, walked := c.Places()
	for _, p := range []*Parting{own, value, event} {
		differ += int64(b2i(p != nil))
	}
	if n := c.Differences(); !walked || n != differ {
		t.Errorf("%d differences, want %d", n, differ)
	}
	if own == nil && value == nil && event == nil && differ > 0 {
		t.Error("equal, but the sums differ")
	}
}

// TestCompareEnds: of a damaged or unfinished trace, what is whole is compared.
func TestCompareEnds(t *testing.T) {
	for _, crash := range []formattest.Crash{formattest.CrashLost, formattest.CrashPartial} {
		r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 1500, Seed: 7, Crash: crash, Options: formattest.Options{BlockSize: 4096}}))
		tree := r.Tree(true)
		for _, th := range tree.Threads() {
			if _, _, err := tree.ExpandAll(t.Context(), th, 0, 1<<40, nil); err != nil {
				t.Fatal(err)
			}
		}
		tested := 0
		for row, ok := tree.First(); ok && tested < 3; row, ok = tree.Next(row) {
			if n := row.Node; !n.IsThread() && n.Point().Class == format.ClassCall && n.State() != lazy.StateWhole {
				tested++
				c := compareOf(t, r, Scope{}, n.Handle(), n.Handle(), 0)
				made := c.Table(View{Done: 1, G: &display.Unicode})
				if !strings.HasPrefix(made.Title, "equal: ") || !slices.Contains(made.Notes, "A had not ended when the recording did: it is compared as far as it was recorded") {
					t.Errorf("%s\n%q", made.Title, made.Notes)
				}
			}
		}
		if tested == 0 {
			t.Error("all calls ended")
		}
	}
}

// TestCompareSteps: with steps, what they leave is compared; a part of the recording is not.
func TestCompareSteps(t *testing.T) {
	r := opened(t, shop(t))
	a, b := lazy.EventHandle(46), lazy.EventHandle(84)
	whole := compareOf(t, r, Scope{}, a, b, 0)
	for _, c := range []struct {
		kind StepKind
		text string
	}{{Merge, "Till.*"}, {Drop, "Till.*"}, {Focus, "Till.*"}} {
		step, err := ParseStep(c.kind, c.text)
		if err != nil {
			t.Fatal(err)
		}
		var scope Scope
		if err := scope.Edit(t.Context(), r, Steps{step}); err != nil {
			t.Fatal(err)
		}
		x := compareOf(t, r, scope, a, b, 0)
		y := compareOf(t, r, scope, a, b, 100)
		if comparedText(x) != comparedText(y) {
			t.Errorf("%s: %s, in pieces %s", step, comparedText(x), comparedText(y))
		}
		if comparedText(x) == comparedText(whole) {
			t.Errorf("%s changes nothing", step)
		}
	}
	var scope Scope
	if err := scope.Edit(t.Context(), r, Steps{RangeStep(true, 0, 1000)}); err != nil {
		t.Fatal(err)
	}
	if _, err := NewCompare(r, scope, a, b); err != ErrPart {
		t.Errorf("a part of the recording: %v", err)
	}
}

// TestCompareStops: with its context it ends, and what was found stays.
func TestCompareStops(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"))
	ctx, cancel := context.WithCancel(t.Context())
	c, err := NewCompare(r, Scope{}, lazy.PositionHandle(lazy.Position{At: -1}), lazy.PositionHandle(lazy.Position{At: -1}))
	if err != nil {
		t.Fatal(err)
	}
	c.chunk = 1000
	if err := c.Run(ctx, func(done, total int64) {
		if done > total {
			t.Errorf("%d of %d", done, total)
		}
		if done > total/4 {
			cancel()
		}
	}); err != context.Canceled {
		t.Errorf("%v", err)
	}
	if got := c.Table(View{Done: 0.25, G: &display.Unicode}).Title; !strings.HasPrefix(got, "comparing: the same ") {
		t.Error(got)
	}
}

// TestCompareOrders: methods are in the order of each column, after the places.
func TestCompareOrders(t *testing.T) {
	for _, path := range []string{shop(t), formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx")} {
		r := opened(t, path)
		_, timed := r.Times()
		a, b := lazy.EventHandle(46), lazy.EventHandle(84)
		if !timed {
			a, b = lazy.EventHandle(1), lazy.EventHandle(106)
		}
		c := compareOf(t, r, Scope{}, a, b, 0)
		for _, key := range CompareSorts(timed) {
			for _, rising := range []bool{false, true} {
				made := c.Table(View{Sort: key, Rising: rising, Done: 1, G: &display.Unicode})
				rows := made.Rows.(*compareRows)
				var sizes []int64
				for i := range made.Rows.Len() {
					v := made.Rows.Row(i)
					if len(v) != len(made.Columns) {
						t.Fatalf("%d values, %d columns", len(v), len(made.Columns))
					}
					if what := v[made.Column("what")].Text(); (what == "method") != (rows.list[i].comparedMethod != nil) {
						t.Errorf("row %d is a %s", i, what)
					} else if what == "method" {
						n := v[made.Column(key)].Int()
						sizes = append(sizes, max(n, -n))
					}
				}
				if !rising {
					slices.Reverse(sizes)
				}
				if !slices.IsSorted(sizes) || len(sizes) < 3 {
					t.Errorf("by %s: %v", key, sizes)
				}
			}
		}
	}
}

// TestCompareTable compares tables with the expected ones.
func TestCompareTable(t *testing.T) {
	shop, gson := opened(t, shop(t)), opened(t, formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"))
	for _, x := range []struct {
		name string
		r    *lazy.LazyTraceReader
		a, b int32
	}{{"shop", shop, 46, 84}, {"gson", gson, 106, 115}, {"gson-same", gson, 106, 106}} {
		c := compareOf(t, x.r, Scope{}, lazy.EventHandle(x.a), lazy.EventHandle(x.b), 0)
		made := c.Table(View{Done: 1, G: &display.Unicode})
		for _, width := range []int{60, 100, 160} {
			var b strings.Builder
			if err := table.WriteText(&b, made, table.Options{Width: width, Limit: 12, Glyphs: &display.Unicode}); err != nil {
				t.Fatal(err)
			}
			golden(t, fmt.Sprintf("compare-%s-%d.txt", x.name, width), []byte(b.String()))
		}
	}
}
