package lazy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/walk"
)

// passCuts make enough shares that small traces have seams of all kinds.
var passCuts = [...]walk.PassCut{{Bytes: 150, Approach: 512, Width: 3}, {Bytes: 1100, Approach: 3, Width: 2}, {Bytes: 5000, Approach: 512, Width: 1}, {Bytes: 40_000, Approach: 40, Width: 4}}

// passListing is a Collector that writes a line for each visit.
type passListing struct {
	t   *testing.T
	r   *LazyTraceReader
	out bytes.Buffer
	// forgiving ignores errors of points: those of a wrong index end the pass anyway.
	forgiving bool
}

// listedPart is the visitor of a passListing.
type listedPart struct {
	l    *passListing
	out  bytes.Buffer
	open []string // of the containers around, the text of their ends; "" if begun earlier
}

func (l *passListing) Visitor() Visitor { return &listedPart{l: l} }

func (l *passListing) Merge(v Visitor) error {
	l.out.Write(v.(*listedPart).out.Bytes())
	return nil
}

func (l *passListing) failed(err error) {
	if !l.forgiving {
		l.t.Error(err)
	}
}

func (l *passListing) Reset() { l.out.Reset() }

func (v *listedPart) Begin(thread int32, around []PassFrame) {
	v.open = v.open[:0]
	for range around {
		v.open = append(v.open, "")
	}
}

// Around notes how the container will be left.
func (v *listedPart) Around(p *PassPoint) {
	if point, err := p.Point(); err != nil || point.Event != p.Event || p.Ref != point.Ref {
		v.l.failed(fmt.Errorf("around: %+v, point %+v: %w", p.PassFrame, point, err))
	}
	v.open[p.Depth] = v.end(p)
}

func (v *listedPart) point(p *PassPoint) {
	point, err := p.Point()
	if err != nil {
		v.l.failed(err)
		return
	}
	foot, err := p.Footer()
	if err != nil {
		v.l.failed(err)
	}
	text := v.l.r.r.Ctx.AppendText(nil, point, foot, p.Parent(), true)
	inside := int64(-1)
	if f, ok := p.Inside(); ok {
		inside = int64(f.Event)
	}
	took, _ := p.Time()
	writePoint(&v.out, p.Thread, p.At, p.Depth, point, inside, took, text)
	if p.Ref != point.Ref || p.Event != point.Event || p.Class != point.Class || p.Location != point.Location {
		v.l.t.Errorf("fields of %+v, point %+v", p.PassFrame, point)
	}
}

func writePoint(out *bytes.Buffer, thread int32, at int64, depth int, p *format.Point, inside int64, took Time, text []byte) {
	fmt.Fprintf(out, "%d %d %d %d in %d %v %v %q\n", thread, at, depth, p.Event, inside, p.Class, took, text)
}

func (v *listedPart) end(p *PassPoint) string {
	foot, err := p.Footer()
	if err != nil {
		v.l.failed(err)
	}
	took, _ := p.Time()
	from, to, err := p.Content()
	if err != nil {
		v.l.failed(err)
	}
	end := "unknown"
	if foot != nil {
		end = fmt.Sprintf("%q %q %v %d", v.l.r.r.Ctx.AppendValueText(nil, &foot.Result), foot.Exception, foot.Threw, foot.Iterations)
	}
	return fmt.Sprint(p.PassFrame, p.Depth, end, took, from, to)
}

func (v *listedPart) Enter(p *PassPoint) {
	v.point(p)
	v.open = append(v.open, v.end(p))
}

func (v *listedPart) Leaf(p *PassPoint) { v.point(p) }

func (v *listedPart) Exit(p *PassPoint) {
	if len(v.open) == 0 || p.Depth != len(v.open)-1 {
		v.l.t.Fatalf("left %+v, depth %d, with %d open", p.PassFrame, p.Depth, len(v.open))
	}
	entered := v.open[p.Depth]
	v.open = v.open[:p.Depth]
	left := v.end(p)
	if entered != "" && entered != left && !v.l.forgiving {
		v.l.t.Errorf("entered %s\n   left %s", entered, left)
	}
	if point, err := p.Point(); (err != nil || point.Event != p.Event) && !v.l.forgiving {
		v.l.t.Errorf("left %+v, point %+v: %v", p.PassFrame, point, err)
	}
	fmt.Fprintf(&v.out, "left %s\n", left)
}

// descended returns what a passListing should have, without the lines of Exit.
func descended(t *testing.T, r *LazyTraceReader, folded bool) []byte {
	var out bytes.Buffer
	eachPoint(t, r, folded, segmentsFrom(r, Position{}), func(v *eachVisit) {
		text := r.r.Ctx.AppendText(nil, &v.Point, v.ShownFooter(), v.parent, true)
		writePoint(&out, v.thread, v.At, v.depth, &v.Point, v.inside, v.time, text)
	})
	return out.Bytes()
}

// withoutExits removes the lines of Exit.
func withoutExits(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("left ")) {
			out = append(out, line...)
		}
	}
	return out
}

func listedBy(t *testing.T, r *LazyTraceReader, p Pass) []byte {
	t.Helper()
	l := &passListing{t: t, r: r}
	p.Collect = []Collector{l}
	if err := r.Pass(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return l.out.Bytes()
}

// TestPass: a pass visits the points that a walk over the tree visits, however it is cut.
func TestPass(t *testing.T) {
	check := func(t *testing.T, path string) {
		r := ready(t, path, Options{NoWrite: true})
		size, _ := r.Size()
		for _, raw := range []bool{false, true} {
			var first []byte
			for i, c := range passCuts {
				if size/c.Bytes > mostShares/2 || formattest.Race && i%2 == 1 {
					continue
				}
				got := listedBy(t, r, walk.CutPass(Pass{Raw: raw}, c))
				if first == nil {
					first = got
					formattest.SameText(t, withoutExits(got), descended(t, r, !raw))
				} else if !bytes.Equal(got, first) {
					t.Errorf("raw %v, cut %+v:", raw, c)
					formattest.SameText(t, got, first)
				}
			}
		}
	}
	corpus(t, check)
	for _, shape := range []formattest.Shape{formattest.Deep, formattest.Wide, formattest.WideLeaves, formattest.WideCalls, formattest.Threads, formattest.Calls} {
		for _, version := range []format.Version{format.V22, format.V27} {
			spec := formattest.Spec{Shape: shape, N: 1000, Seed: 5, Options: formattest.Options{Version: version, BlockSize: 3000}}
			t.Run(spec.Name(), func(t *testing.T) {
				t.Parallel()
				check(t, formattest.File(t, spec))
			})
		}
	}
}

// TestPassContradiction: if the index turns out to be wrong in the middle, the pass begins
// again with the right one.
func TestPassContradiction(t *testing.T) {
	for _, name := range []string{"threads.stream.bin", "threads.v27.stream.bin"} {
		path := formattest.Unpack(t, name)
		if err := os.WriteFile(path+".idx", lyingIndex(t, formattest.Recorded(t, name+".idx")), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, c := range passCuts {
			r := ready(t, path, Options{NoWrite: true})
			l := &passListing{r: r, t: t, forgiving: true}
			if err := r.Pass(t.Context(), walk.CutPass(Pass{Collect: []Collector{l}}, c)); err != nil {
				t.Fatal(err)
			}
			if st := r.Status(); st.Epoch != 1 {
				t.Errorf("%s, cut %+v: %+v", name, c, st)
			}
			formattest.SameText(t, withoutExits(l.out.Bytes()), descended(t, r, true))
		}
	}
}

// TestPassRanges: the parts of a trace, visited one by one, make up the whole.
func TestPassRanges(t *testing.T) {
	seeds, n := uint64(4), 1500
	if formattest.Race { // it takes ten times as long
		seeds, n = 1, 400
	}
	for seed := range seeds {
		spec := formattest.Spec{Shape: formattest.Random, N: n, Seed: seed, Threads: 2, Options: formattest.Options{BlockSize: 4096}}
		r := ready(t, formattest.File(t, spec), Options{NoWrite: true})
		for _, raw := range []bool{false, true} {
			want := listedBy(t, r, Pass{Raw: raw})
			rng := rand.New(rand.NewPCG(seed, 1))
			var got []byte
			var all []PassRange
			for _, s := range r.r.Known.Load().Streams.All() {
				for from := int64(0); from < s.Size; {
					to := from + 1 + rng.Int64N(s.Size/5)
					if to >= s.Size {
						to = -1
					}
					g := PassRange{Thread: s.Thread, From: from, To: to}
					all = append(all, g)
					got = append(got, listedBy(t, r, walk.CutPass(Pass{Raw: raw, Ranges: []PassRange{g}}, passCuts[1]))...)
					if from = to; to < 0 {
						break
					}
				}
			}
			formattest.SameText(t, got, want)
			formattest.SameText(t, listedBy(t, r, walk.CutPass(Pass{Raw: raw, Ranges: all}, passCuts[0])), want)
		}
	}
}

// TestPassSkips: visitors see exactly the parts that are not skipped.
func TestPassSkips(t *testing.T) {
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 3000, Seed: 3}), Options{NoWrite: true})
	c := walk.PassCut{Bytes: 5000, Approach: 512, Width: 2}
	odd := func(g PassRange) bool { return g.From/c.Bytes%2 == 1 }
	var want []byte
	for _, s := range r.r.Known.Load().Streams.All() {
		for from := int64(0); from < s.Size; from += c.Bytes {
			g := PassRange{Thread: s.Thread, From: from, To: from + c.Bytes}
			if g.To >= s.Size {
				g.To = -1
			}
			if !odd(g) {
				want = append(want, listedBy(t, r, Pass{Ranges: []PassRange{g}})...)
			}
		}
	}
	formattest.SameText(t, listedBy(t, r, walk.CutPass(Pass{Skip: odd}, c)), want)
	if len(want) == 0 {
		t.Error("nothing visited")
	}
}

// TestPassGrows: while a trace grows, a pass visits what is known, and leaves the containers
// that are still open as pending.
func TestPassGrows(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Random, N: 1500, Seed: 7, Threads: 2}
	spec.BlockSize = 1 << 10
	data, _ := formattest.Bytes(t, spec)
	path := filepath.Join(t.TempDir(), "trace.bin")
	w := write(t, path, data)
	w.to(len(data) / 10)
	r := followed(t, path, Options{NoWrite: true})
	for part := 1; part < 10; part++ {
		w.to(len(data) * part / 10)
		if err := r.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, raw := range []bool{false, true} {
			got := listedBy(t, r, walk.CutPass(Pass{Raw: raw}, passCuts[2]))
			formattest.SameText(t, withoutExits(got), descended(t, r, !raw))
			if bytes.Count(got, []byte("left ")) == 0 {
				t.Error("no container was left")
			}
		}
	}
}

// stoppingCollector fails, or stops its user, after some parts.
type stoppingCollector struct {
	counter
	left int
	stop func() error
}

func (c *stoppingCollector) Reset() {}

func (c *stoppingCollector) Merge(Visitor) error {
	if c.left--; c.left == 0 {
		return c.stop()
	}
	return nil
}

// TestPassStops: an error of a collector, and a canceled context, end all goroutines.
func TestPassStops(t *testing.T) {
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 20_000, Seed: 3}), Options{NoWrite: true})
	before := runtime.NumGoroutine()
	c := walk.PassCut{Bytes: 10_000, Approach: 512, Width: 3}
	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(context.Background())
	for _, stop := range []struct {
		ctx  context.Context
		do   func() error
		want error
	}{
		{context.Background(), func() error { return broken }, broken},
		{context.Background(), func() error { return ErrEnough }, nil},
		{ctx, func() error { cancel(); return nil }, context.Canceled},
		{ctx, func() error { return nil }, context.Canceled},
	} {
		s := &stoppingCollector{left: 5, stop: stop.do}
		if err := r.Pass(stop.ctx, walk.CutPass(Pass{Collect: []Collector{s}}, c)); !errors.Is(err, stop.want) {
			t.Errorf("%v, want %v", err, stop.want)
		}
		if s.left < -10 {
			t.Errorf("merged %d parts after the end", -s.left)
		}
	}
	noMoreGoroutines(t, before)
}
