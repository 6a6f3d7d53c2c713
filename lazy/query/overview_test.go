package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// overviewOf returns the facts of an overview that has found out everything.
func overviewOf(t *testing.T, r *lazy.LazyTraceReader, share int64) OverviewFacts {
	t.Helper()
	o := NewOverview(r, 16)
	o.share = share
	o.Facts(&display.Unicode).Lines(&display.ASCII) // of what is known at once
	if err := o.Run(t.Context(), func(done, total int64) { o.Facts(&display.Unicode) }); err != nil {
		t.Fatal(err)
	}
	f := o.Facts(&display.Unicode)
	if !f.Topped || !f.Ranked || !f.Passed || !f.Known || f.Done != 1 || !f.Counted {
		t.Errorf("not all is known: %+v", f)
	}
	f.Lines(&display.Unicode)
	return f
}

// TestOverview: each number of an overview is the one that the other answers have, however the pass is cut, with a
// summary and without.
func TestOverview(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		for _, share := range []int64{0, max(300, size/40)} {
			sameAsAnswers(t, r, overviewOf(t, r, share))
		}
		if size < 1<<20 && summarized(t, r, max(300, size/20)) {
			sameAsAnswers(t, r, overviewOf(t, r, 0))
		}
	})
}

// TestOverviewDemo compares the lines of the trace of the demo.
func TestOverviewDemo(t *testing.T) {
	r := opened(t, shop(t))
	f := overviewOf(t, r, 0)
	sameAsAnswers(t, r, f)
	var text strings.Builder
	for _, l := range f.Lines(&display.Unicode) {
		fmt.Fprintf(&text, "%s", l.Text)
		switch {
		case l.Command != "":
			text.WriteString("  → :" + l.Command)
		case l.Leads:
			fmt.Fprintf(&text, "  → %d of @%d", l.At.Event, l.At.Thread+1)
		}
		text.WriteByte('\n')
	}
	golden(t, "overview.txt", []byte(text.String()))
}

// overview is for everyAnswer: the root calls are those of the tree.
func (w *whole) overview(t *testing.T) {
	f := overviewOf(t, w.r, w.share())
	sameAsAnswers(t, w.r, f)
	var points [2]int64
	var count func(list []*node)
	count = func(list []*node) {
		for _, n := range list {
			if points[1]++; n.class == format.ClassCall {
				points[0]++
			}
			count(n.kids)
		}
	}
	if count(forest(t, w.r, true)); points != [2]int64{f.Calls, f.Events} {
		t.Errorf("%d calls of %d events, want %d", f.Calls, f.Events, points)
	}
	roots := calls(forest(t, w.r, false))
	weight := func(n *node) int64 {
		switch {
		case !f.Timed:
			return n.points
		case n.timed && !n.unended:
			return n.time.Duration
		}
		return -1
	}
	slices.SortStableFunc(roots, func(a, b *node) int { return cmp.Compare(weight(b), weight(a)) })
	if f.Tests > 0 {
		return
	}
	if int64(len(roots)) != f.RootsOf || len(f.Slowest) != min(slowest, len(roots)) {
		t.Fatalf("%d of %d root calls, want %d", len(f.Slowest), f.RootsOf, len(roots))
	}
	for i, c := range f.Slowest {
		got, n := c.size(), roots[i]
		if got != weight(n) || c.Unended != n.unended || c.At.Event != n.event || c.At.Thread != n.thread || c.Threw != n.threw {
			t.Errorf("root call %d is %+v, want event %d of weight %d", i, c, n.event, weight(n))
		}
	}
}

// size is what a root call is compared by; -1 if it is not known.
func (c *OverviewCall) size() int64 {
	switch {
	case c.Duration != nil:
		return *c.Duration
	case c.Events != nil:
		return *c.Events
	}
	return -1
}

// at returns a value of a table.
func at(x *table.Table, row int, key string) table.Value { return x.Rows.Row(row)[x.Column(key)] }

// sameAsAnswers compares an overview with the answers of the same trace.
func sameAsAnswers(t *testing.T, r *lazy.LazyTraceReader, f OverviewFacts) {
	t.Helper()
	top := counted(t, r, Scope{}, ByMethod, 0)
	sort := "calls"
	if f.Timed {
		sort = "self"
	}
	x := top.Table(View{Sort: sort, Done: 1, G: &display.Unicode})
	if len(f.Methods) != min(leaders, x.Rows.Len()) {
		t.Errorf("%d methods of %d", len(f.Methods), x.Rows.Len())
	}
	for i, m := range f.Methods {
		if m.Name != at(x, i, "name").Text() || m.Calls != at(x, i, "calls").Int() {
			t.Errorf("method %d is %+v, not %s", i, m, at(x, i, "name").Text())
		}
		if !f.Timed {
			continue
		}
		self, share := at(x, i, "self"), at(x, i, "self_share")
		if *m.Self != self.Int() || (m.Bound == "about") != (self.Bound() == table.About) || share.Known() != (m.Share != nil) || share.Known() && share.Float() != *m.Share {
			t.Errorf("self time of %+v is %v, %v", m, self, share)
		}
	}
	sameThrown(t, r, &f)
	if f.Tests == 0 {
		sameRoots(t, r, &f)
	}
	sameCounts(t, r, &f)
}

func sameThrown(t *testing.T, r *lazy.LazyTraceReader, f *OverviewFacts) {
	t.Helper()
	x := threw(t, r, Scope{}, 0).Table(View{Done: 1, G: &display.Unicode})
	rows, all := 0, int64(0)
	for i := range x.Rows.Len() {
		if how := at(x, i, "outcome").Text(); how != "left" && how != "unknown" {
			continue
		}
		all += at(x, i, "count").Int()
		if rows++; rows > len(f.Uncaught) {
			continue
		}
		e := f.Uncaught[rows-1]
		if e.Class != at(x, i, "exception").Text() || e.In != at(x, i, "thrown_in").Text() || e.Ended != at(x, i, "caught_in").Text() || e.Count != at(x, i, "count").Int() ||
			int64(*e.Event) != at(x, i, "event").Int() || e.Thread != at(x, i, "thread").Int() {
			t.Errorf("row %d is %+v", rows, e)
		}
	}
	if rows != f.Rows || all != f.Escaped || len(f.Uncaught) != min(rows, uncaught) {
		t.Errorf("%d of %d rows of %d exceptions, want %d of %d", len(f.Uncaught), f.Rows, f.Escaped, rows, all)
	}
}

func sameRoots(t *testing.T, r *lazy.LazyTraceReader, f *OverviewFacts) {
	t.Helper()
	c, err := NewCalls(r, Scope{}, CallsOptions{What: "not in(kind=call)"})
	if err == nil && !f.Timed {
		c, err = NewCalls(r, Scope{}, CallsOptions{What: "not in(kind=call)", Sort: "events"})
	}
	if err == nil {
		err = c.Run(t.Context(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	x := c.Table(View{Done: 1, Read: t.Context(), G: &display.Unicode})
	if n := x.Rows.Len(); int64(n) != f.RootsOf || len(f.Slowest) != min(n, slowest) {
		t.Fatalf("%d of %d root calls, want %d", len(f.Slowest), f.RootsOf, n)
	}
	for i, s := range f.Slowest {
		if int64(s.At.Event) != at(x, i, "event").Int() || s.Name != at(x, i, "call").Text() {
			t.Errorf("root call %d is %+v, not %s", i, s, at(x, i, "call").Text())
		}
		size, key := s.size(), "duration"
		if !f.Timed {
			key = "events"
		}
		if v := at(x, i, key); v.Known() && (v.Int() != size || f.Timed && (s.Bound != "") != (v.Bound() == table.AtLeast)) || !v.Known() && size >= 0 {
			t.Errorf("root call %d has %d, not %v", i, size, v)
		}
	}
}

// sameCounts compares calls, events and threads with what info counts, and activity with a pass.
func sameCounts(t *testing.T, r *lazy.LazyTraceReader, f *OverviewFacts) {
	t.Helper()
	sum, err := r.Summarize(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Status.Growth.On { // it counts what is not shown yet, too
		return
	}
	if f.Calls != sum.Classes[format.ClassCall] || f.Events != sum.Points || f.Threads != sum.Threads.Len() {
		t.Errorf("%d calls of %d events of %d threads, want %d of %d of %d", f.Calls, f.Events, f.Threads, sum.Classes[format.ClassCall], sum.Points, sum.Threads.Len())
	}
	threads := slices.Collect(sum.Threads.All())
	slices.SortStableFunc(threads, func(a, b lazy.ThreadCount) int { return cmp.Compare(b.Calls, a.Calls) })
	for i, b := range f.Busiest {
		if want := threads[i]; b.Calls != want.Calls || b.At.Thread != want.ID {
			t.Errorf("thread %d is %+v, want %+v", i, b, want)
		}
		if b.Activity == nil {
			continue
		}
		a := &activity{of: b.At.Thread, length: *f.Length, n: len(b.Activity)}
		if err := r.Pass(t.Context(), lazy.Pass{Raw: true, Ranges: []lazy.PassRange{{Thread: b.At.Thread, To: -1}}, Collect: []lazy.Collector{a}}); err != nil {
			t.Fatal(err)
		}
		if a.falls { // a search cannot tell exactly then
			continue
		}
		if !slices.Equal(a.ended, b.Activity) {
			t.Errorf("activity of %d is %v, want %v", b.At.Thread, b.Activity, a.ended)
		}
	}
}

// activity counts what ended in each part of a recording. It is a Collector and its own visitor.
type activity struct {
	of     int32
	length int64
	n      int
	last   int64
	ended  []int64
	falls  bool // the ends of containers do not rise
}

func (a *activity) Reset()                        { a.ended = make([]int64, a.n) }
func (a *activity) Begin(int32, []lazy.PassFrame) {}
func (a *activity) Enter(*lazy.PassPoint)         {}
func (a *activity) Leaf(*lazy.PassPoint)          {}

func (a *activity) Visitor() lazy.Visitor {
	v := &activity{length: a.length, n: a.n, last: math.MinInt64}
	v.Reset()
	return v
}

func (a *activity) Merge(v lazy.Visitor) error {
	x := v.(*activity)
	for i, n := range x.ended {
		a.ended[i] += n
	}
	a.falls = a.falls || x.falls
	return nil
}

func (a *activity) Exit(p *lazy.PassPoint) {
	if p.State != lazy.StateWhole {
		return
	}
	t, ok := p.Time()
	if !ok {
		a.ended[a.n-1]++
		return
	}
	a.falls = a.falls || t.End() < a.last
	a.last = t.End()
	for i := range a.ended {
		if edge := int64(i+1) * a.length / int64(a.n); t.End() <= edge || i == a.n-1 {
			a.ended[i]++
			return
		}
	}
}

// TestOverviewOfTests: threads of Go tests are told apart from others, with how they ended.
func TestOverviewOfTests(t *testing.T) {
	w := formattest.NewBuilder(t)
	f := w.Method("shop", "TestSell", format.Type{Kind: format.TypeVoid})
	names := []string{
		"shop.test › goroutine 6 shop.TestSell ← 1 testing.T.Run testing.go:2101",
		"shop.test › goroutine 7 shop.TestSell/one ← 6 testing.T.Run testing.go:2101",
		"shop.test › goroutine 8 shop.pump ← 6 shop.Sell shop.go:7",
		"b.test › goroutine 3 b.FuzzSell/seed#0 ← 4 testing.F.Fuzz.func1 fuzz.go:1",
		"b.test › main",
		"shop.test › goroutine 9 testing.B.RunParallel.func1 ← 6 testing.B.RunParallel benchmark.go:1",
		"TestSell",
	}
	for i, name := range names {
		w.Thread(int32(i))
		w.Name(name)
		for range i + 1 {
			w.Call(-1, f, func() {})
		}
	}
	r := opened(t, w.File())
	facts := overviewOf(t, r, 0)
	sameAsAnswers(t, r, facts)
	got := fmt.Sprint(facts.Tests, facts.Programs, facts.Program)
	for _, s := range facts.Slowest {
		got += fmt.Sprint(" | ", s.Name, *s.Calls, s.Handle)
	}
	if want := "3 2shop.test | b.FuzzSell/seed#04@4 | shop.TestSell/one2@2 | shop.TestSell1@1"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestOverviewStops: what was found before ctx ends stays.
func TestOverviewStops(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 20_000, Seed: 1, Timed: true}))
	ctx, stop := context.WithCancel(t.Context())
	o := NewOverview(r, 3)
	o.share = 4000
	err := o.Run(ctx, func(done, total int64) {
		if done > total/2 {
			stop()
		}
	})
	f := o.Facts(&display.Unicode)
	if !errors.Is(err, context.Canceled) || f.Done <= 0.4 || f.Done >= 1 || f.Passed || f.Topped || len(f.Methods) == 0 || len(f.Busiest) != 1 || len(f.Busiest[0].Activity) != 8 {
		t.Errorf("%v: %+v", err, f)
	}
	if text := fmt.Sprint(f.Lines(&display.Unicode)); !strings.Contains(text, "so far") {
		t.Error(text)
	}
}

// TestOverviewEmpty: nothing is told of a trace that has nothing, whether it may get something or not.
func TestOverviewEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	for _, follow := range []bool{true, false} {
		if !follow {
			if err := os.WriteFile(path, append(format.AppendDataHeader(nil, format.V27), byte(format.KindEOF)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := lazy.Open(path, lazy.Options{Follow: follow, NoWrite: true})
		if err != nil {
			t.Fatal(err)
		}
		f := overviewOf(t, r, 0)
		if want := map[bool]OverviewEnd{true: EndGrowing, false: EndWhole}[follow]; f.End != want || f.Threads+len(f.Methods)+len(f.Slowest)+len(f.Uncaught)+len(f.Busiest) > 0 {
			t.Errorf("%+v", f)
		}
		r.Close()
	}
}

// BenchmarkOverview measures the overview of a trace without and with a summary: until what is known at once, and
// all. TRACEX_BENCH_CALLS=5000000 adds a size.
func BenchmarkOverview(b *testing.B) {
	sizes := []int{1_000_000}
	if n, err := strconv.Atoi(os.Getenv("TRACEX_BENCH_CALLS")); err == nil {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		for _, shape := range []formattest.Shape{formattest.Calls, formattest.Goroutines} {
			from := formattest.File(b, formattest.Spec{Shape: shape, N: n / map[formattest.Shape]int{formattest.Calls: 1, formattest.Goroutines: 4}[shape], Seed: 1, Timed: true})
			path := filepath.Join(b.TempDir(), "trace.bin")
			for _, suffix := range []string{"", format.IndexSuffix, format.TimesSuffix} {
				if err := os.Link(from+suffix, path+suffix); err != nil {
					if err = os.Symlink(from+suffix, path+suffix); err != nil {
						b.Fatal(err)
					}
				}
			}
			for _, summary := range []bool{false, true} {
				if summary {
					if err := WriteSummary(b.Context(), opened(b, path), false, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.Run(fmt.Sprintf("%s/calls=%d/summary=%v", shape, n, summary), func(b *testing.B) {
					var first, known time.Duration
					for b.Loop() {
						begun := time.Now()
						r, err := lazy.Open(path, lazy.Options{NoWrite: true})
						if err != nil {
							b.Fatal(err)
						}
						o := NewOverview(r, 0)
						f := o.Facts(&display.Unicode)
						f.Lines(&display.Unicode)
						first += time.Since(begun)
						looked := false
						if err := o.Run(b.Context(), func(int64, int64) {
							if !looked {
								known += time.Since(begun)
							}
							looked = true
						}); err != nil {
							b.Fatal(err)
						}
						r.Close()
					}
					b.ReportMetric(float64(first.Microseconds())/float64(b.N), "µs-first/op")
					b.ReportMetric(float64(known.Microseconds())/float64(b.N), "µs-threads/op")
				})
			}
		}
	}
}
