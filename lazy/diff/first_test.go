package diff

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// plainMark is a mark, with a text in place of each hash.
type plainMark struct {
	key, value string
	at         int64
	event      int32
	end        bool
}

// plainMarks lists the marks of a thread by a walk over its tree.
func plainMarks(t *testing.T, r *lazy.LazyTraceReader, thread int32) (list []plainMark) {
	reader := lazy.ReaderOf(r)
	err := reader.Use(func() error {
		w, err := reader.WalkerOn(reader.Known.Load(), thread)
		if err != nil {
			return err
		}
		c := reader.Ctx
		var children func(pos, ord, end int64) error
		children = func(pos, ord, end int64) error {
			for {
				var e walk.NodeData
				ok, err := w.Next(pos, ord, end, &e, true)
				if !ok || err != nil {
					return err
				}
				m := plainMark{at: e.At, event: e.Point.Event}
				m.key, m.value = plainPoint(c, &e.Point)
				list = append(list, m)
				if e.Container() {
					if err := children(e.Start, e.First, e.End); err != nil {
						return err
					}
					m.key, m.value, m.end = e.Point.Class.String(), plainEnd(c, &e), true
					list = append(list, m)
				}
				pos, ord = e.Next, e.After
			}
		}
		return children(0, 0, w.S.Size)
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// plainPoint returns texts of what a point is about and of its values, for traces without captured state.
func plainPoint(c *format.Context, p *format.Point) (key, value string) {
	switch p.Class {
	case format.ClassCall:
		key, _ = methodName(c, p.Ref)
		value = plainValue(c, &p.Target) + fmt.Sprint(len(p.Args))
		for i := range p.Args {
			value += plainValue(c, &p.Args[i])
		}
	case format.ClassVariableRead, format.ClassVariableWrite:
		key, _ = variableName(c, p.Ref)
		value = plainValue(c, &p.Value)
	case format.ClassFieldRead, format.ClassFieldWrite:
		key, _ = fieldName(c, p.Ref)
		value = plainValue(c, &p.Target) + plainValue(c, &p.Value)
	case format.ClassLoop, format.ClassIteration:
	default:
		value = plainValue(c, &p.Target) + fmt.Sprint(p.Number) + plainValue(c, &p.Value)
	}
	return p.Class.String() + key, value
}

func plainEnd(c *format.Context, e *walk.NodeData) string {
	text := fmt.Sprint(e.State, e.Foot.Threw, e.Foot.Exception)
	if e.Point.Class == format.ClassCall && !e.Foot.Threw {
		text += plainValue(c, &e.Foot.Result)
	}
	return text
}

func plainValue(c *format.Context, x *format.Value) string {
	if x.Kind == format.ValueObject {
		name, _ := className(c, x.ClassID)
		return "object " + name
	}
	return fmt.Sprintf("%s %d %q;", x.Kind, x.Bits, x.Text)
}

// plainFirst is [first.find] with all in memory.
func plainFirst(t *testing.T, a, b *lazy.LazyTraceReader, pairs [][2]int32) *Parting {
	same := int64(0)
	for _, pair := range pairs {
		lists, next := [2][]plainMark{}, [2]*plainMark{}
		for side, r := range []*lazy.LazyTraceReader{a, b} {
			if pair[side] >= 0 {
				lists[side] = plainMarks(t, r, pair[side])
			}
		}
		for i := 0; ; i++ {
			p := &Parting{Same: same}
			for side, list := range lists {
				next[side], p.Sides[side] = nil, Place{Position: lazy.Position{Thread: pair[side], At: -1}, Event: -1, Missing: true}
				if i < len(list) {
					m := &list[i]
					next[side], p.Sides[side] = m, Place{Position: lazy.Position{Thread: pair[side], At: m.at}, Event: m.event, End: m.end}
				}
			}
			if next[0] == nil && next[1] == nil {
				break
			}
			p.Other = next[0] == nil || next[1] == nil || next[0].key != next[1].key || next[0].end != next[1].end
			if p.Other || next[0].value != next[1].value {
				return p
			}
			if !next[0].end {
				same++
			}
		}
	}
	return nil
}

// firstOf returns what [first.find] finds with parts of a size.
func firstOf(t *testing.T, a, b *lazy.LazyTraceReader, pairs [][2]int32, share int64) *Parting {
	t.Helper()
	f := first{readers: [2]*walk.Reader{lazy.ReaderOf(a), lazy.ReaderOf(b)}, share: share}
	for _, p := range pairs {
		f.pairs = append(f.pairs, [2]walk.PassRange{{Thread: p[0], To: -1}, {Thread: p[1], To: -1}})
	}
	done := int64(0)
	f.tell = func(n, total int64) {
		if n < done || n > total {
			t.Errorf("%d of %d bytes after %d", n, total, done)
		}
		done = n
	}
	p, err := f.find(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// inOrder pairs the threads of two traces by their ids.
func inOrder(a, b *lazy.LazyTraceReader) (pairs [][2]int32) {
	x, y := a.Threads(), b.Threads()
	for i := range max(len(x), len(y)) {
		p := [2]int32{-1, -1}
		if i < len(x) {
			p[0] = x[i].ID
		}
		if i < len(y) {
			p[1] = y[i].ID
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// TestFirst changes traces at random places, and compares with a plain comparison.
func TestFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	partings := map[string]int{}
	for i := range 60 {
		spec := formattest.Spec{Shape: formattest.Calls, N: 200, Seed: uint64(i % 3), Threads: 1 + i%3}
		if i%5 == 4 {
			spec.Shape, spec.N = formattest.Threads, 12
		}
		a, forest := forestOf(t, spec)
		after, how := random.IntN(300), random.IntN(5)
		other := &rewriting{forest: forest, options: formattest.Options{Version: format.V27, BlockSize: 3000}, edit: func(n *formattest.Node) {
			if after--; after < 0 {
				changeSome(n, how)
			}
		}}
		b := opened(t, other.file(t))
		pairs := inOrder(a, b)
		if i%7 == 6 {
			pairs = append(pairs[1:], [2]int32{pairs[0][0], -1}, [2]int32{-1, pairs[0][1]})
		}
		want := plainFirst(t, a, b, pairs)
		for j, share := range []int64{0, 200, 3000} {
			if formattest.Race && j != i%3 {
				continue
			}
			if got := firstOf(t, a, b, pairs, share); !reflect.DeepEqual(got, want) {
				t.Fatalf("trace %d, share %d: %+v, want %+v", i, share, got, want)
			}
		}
		switch {
		case want == nil:
			partings["equal"]++
		case want.Sides[0].Missing || want.Sides[1].Missing:
			partings["missing"]++
		case want.Other && (want.Sides[0].End || want.Sides[1].End):
			partings["end of one"]++
		case want.Other:
			partings["other"]++
		case want.Sides[0].End:
			partings["result"]++
		default:
			partings["value"]++
		}
	}
	for _, kind := range []string{"equal", "missing", "end of one", "other", "result", "value"} {
		if partings[kind] == 0 {
			t.Errorf("none of %v is %s", partings, kind)
		}
	}
}

// changeSome changes a point in one of several ways, where it can.
func changeSome(n *formattest.Node, how int) {
	switch {
	case how == 1 && len(n.Point.Args) > 0:
		n.Point.Args[0] = format.Value{Kind: format.ValueString, Text: "changed"}
	case how == 2 && n.Point.Class == format.ClassCall:
		n.Footer.Result = format.Value{Kind: format.ValueString, Text: "changed"}
	case how == 3 && len(n.Children) > 0:
		n.Children = n.Children[:len(n.Children)-1]
	case how == 4 && n.Point.Class == format.ClassCall:
		n.Point.Ref = (n.Point.Ref + 1) % 4
	}
}

// TestWrongIndex: when an index turns out to be wrong, what was read by it is read again.
func TestWrongIndex(t *testing.T) {
	good := opened(t, formattest.Unpack(t, "threads.stream.bin", "threads.stream.bin.idx"))
	index := formattest.Recorded(t, "threads.stream.bin.idx")
	lies := 0
	for pos := format.HeaderSize; pos < len(index)-format.IndexTail; pos += format.CellSize {
		if c := format.DecodeCell(index[pos:]); c.Kind == format.KindTracePoint && c.Start%11 == 0 && c.Start > 2 {
			c.Start--
			c.Put(index[pos:])
			lies++
		}
	}
	if lies == 0 {
		t.Fatal("no lie")
	}
	wrong := func() *lazy.LazyTraceReader {
		path := formattest.Unpack(t, "threads.stream.bin")
		if err := os.WriteFile(path+".idx", index, 0o600); err != nil {
			t.Fatal(err)
		}
		return opened(t, path)
	}
	again := 0
	for _, share := range []int64{200, 1000, 5000} {
		r := wrong()
		f := first{readers: [2]*walk.Reader{lazy.ReaderOf(good), lazy.ReaderOf(r)}, share: share}
		var m matcher
		for i, r := range f.readers {
			m.addAll(i, r, r.KnownNow().View, nil)
		}
		f.pair(m.match(), nil)
		for {
			p, err := f.once(t.Context())
			if errors.Is(err, errRead) {
				again++
				continue
			}
			if p != nil || err != nil {
				t.Fatalf("share %d: %+v, %v", share, p, err)
			}
			break
		}
		r = wrong()
		h := hashed(t, r, hashOptions{share: share})
		if r.Status().Epoch == 0 {
			t.Errorf("share %d: the lies were not found", share)
		}
		for _, th := range r.Threads() {
			checkThread(t, r, h, th.ID)
		}
	}
	if again == 0 {
		t.Error("nothing was read again after it had been compared")
	}
}

// TestFirstOfCalls compares two calls of one trace, and a call with itself.
func TestFirstOfCalls(t *testing.T) {
	b := formattest.NewBuilder(t)
	sell := b.Method("Shop", "sell", formattest.IntType)
	item, price := b.Variable("item"), b.Variable("price")
	order := func(names ...int32) int32 {
		event := b.Event
		b.Call(-1, sell, func() {
			for _, name := range names {
				b.Access(format.ClassVariableWrite, -1, name)
			}
		})
		return event
	}
	var calls []int32
	b.Call(-1, b.Method("Shop", "main", formattest.IntType), func() {
		calls = []int32{order(item, price), order(item, item), order(item, price), order(item)}
	})
	r := opened(t, b.File())
	between := func(x, y int) *Parting {
		ha, hb := lazy.EventHandle(calls[x]), lazy.EventHandle(calls[y])
		p, err := New(r, r, Options{A: &ha, B: &hb}).First(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := between(0, 2); p != nil {
		t.Errorf("equal calls part: %+v", p)
	}
	p := between(0, 1)
	if p == nil || p.Same != 2 || !p.Other || p.Sides[0].Event != calls[0]+2 || p.Sides[1].Event != calls[1]+2 || p.Sides[0].End {
		t.Errorf("calls with another event: %+v", p)
	}
	p = between(0, 3)
	if p == nil || p.Same != 2 || !p.Other || p.Sides[0].Event != calls[0]+2 || p.Sides[1].Event != calls[3] || !p.Sides[1].End {
		t.Errorf("calls with an event less: %+v", p)
	}
}

// TestFirstIdentity: the first place is where an object is another one than before.
func TestFirstIdentity(t *testing.T) {
	record := func(hashes ...int32) *lazy.LazyTraceReader {
		b := formattest.NewBuilder(t)
		class, m := b.Class("Item"), b.Method("Shop", "sell", formattest.IntType)
		for _, hash := range hashes {
			b.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: m, Target: format.Null(),
				Args: []format.Value{{ClassID: class, Bits: int64(hash)}}})
			b.Footer(format.ClassCall, &format.Footer{Result: format.Value{Kind: format.ValueVoid}})
		}
		return opened(t, b.File())
	}
	a := record(1, 2, 1, 3)
	for _, x := range []struct {
		hashes []int32
		same   int64 // -1: all
	}{{[]int32{9, 8, 9, 1}, -1}, {[]int32{9, 9, 9, 1}, 1}, {[]int32{9, 8, 8, 1}, 2}, {[]int32{9, 8, 9, 8}, 3}} {
		b := record(x.hashes...)
		for _, identity := range []bool{false, true} {
			p, err := New(a, b, Options{Identity: identity}).First(context.Background(), nil)
			want := x.same
			if !identity {
				want = -1
			}
			if err != nil || (p == nil) != (want < 0) || p != nil && (p.Same != want || p.Other) {
				t.Errorf("%v, identity %v: %+v, %v, want %d", x.hashes, identity, p, err, want)
			}
		}
	}
}

// TestFirstOfSteps: the first step, in the order in which two traces that are read in step meet them, is the place that First finds, or it is
// what one side alone has, and the place is in that.
func TestFirstOfSteps(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(60) {
		p, dir := newSeededPair(t, seed), t.TempDir()
		a, b := p.open(t, dir, false), p.open(t, dir, true)
		for _, pair := range [][2]*seededFile{{a, b}, {b, a}} {
			d := ran(t, pair[0].r, pair[1].r, Options{})
			first, err := d.First(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			threads, s, end := firstStep(t, d)
			switch {
			case first == nil:
				found["equal"]++
			case first.Guessed:
				found["guessed"]++
				continue
			}
			if (first == nil) != (s == nil) {
				t.Fatalf("pair %d: %+v, the engine has %+v", seed, first, s)
			}
			if s == nil {
				continue
			}
			in := func(side int, from int64, below bool) bool {
				at, to := first.Sides[side], from+1
				if below {
					g, err := d.readers[side].Extent(lazy.Position{Thread: threads[side], At: from})
					if err != nil {
						t.Fatal(err)
					}
					to = g.To
				}
				return at.Thread == threads[side] && at.At >= from && (at.At < to || to < 0)
			}
			ok := false
			switch s.kind {
			case stepRemoved:
				ok = in(0, s.a, true)
			case stepAdded:
				ok = in(1, s.b, true)
			default:
				ok = in(0, s.a, false) && in(1, s.b, false) && !first.Other && first.Sides[0].End == end && first.Sides[1].End == end
				found["edited"]++
				if end {
					found["end"]++
				}
			}
			if !ok {
				t.Errorf("pair %d: %+v, the engine has %+v of threads %v, end %v", seed, first, s, threads, end)
			}
		}
		a.r.Close()
		b.r.Close()
	}
	if t.Log(found); found["edited"] < 20 || found["end"] < 5 || found["guessed"] > 60 {
		t.Error("the test tests little")
	}
}

// firstStep returns the first step that counts, that of a container whose result alone differs after those in it: then end is true.
func firstStep(t *testing.T, d *Diff) (threads [2]int32, found *step, end bool) {
	t.Helper()
	var open []*step
	for s, err := range d.script.all() {
		if err != nil {
			t.Fatal(err)
		}
		switch counts := s.counts(); {
		case s.kind == stepThread:
			threads = [2]int32{int32(s.a), int32(s.b)}
			open = append(open, nil)
		case s.kind == stepEnter && (!counts || s.n == 1):
			open = append(open, nil)
			if counts {
				open[len(open)-1] = &s
			}
		case s.kind == stepExit:
			last := open[len(open)-1]
			if open = open[:len(open)-1]; last != nil {
				return threads, last, true
			}
		case counts:
			return threads, &s, false
		}
	}
	return threads, nil, false
}

// BenchmarkFirst compares a trace of a million calls with one that differs at its end.
func BenchmarkFirst(b *testing.B) {
	for _, version := range []format.Version{format.V22, format.V27} {
		b.Run(fmt.Sprintf("version=%d", version), func(b *testing.B) {
			r := opened(b, formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: 1_000_000, Seed: 1,
				Options: formattest.Options{Version: version}}))
			size, _ := r.Size()
			b.SetBytes(2 * size)
			b.ReportAllocs()
			for b.Loop() {
				if p, err := New(r, r, Options{}).First(b.Context(), nil); p != nil || err != nil {
					b.Fatal(p, err)
				}
			}
		})
	}
}
