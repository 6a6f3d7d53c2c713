package query

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/decode"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// summarized writes a summary of a trace with units of so many bytes; ok is false if it gets none.
func summarized(t *testing.T, r *lazy.LazyTraceReader, unit int64) (ok bool) {
	t.Helper()
	o, err := summaryOptions(t.Context(), r, unit)
	if err != nil {
		t.Fatal(err)
	}
	if err := lazy.SummaryOf(r).Write(t.Context(), o); err != nil {
		if r.Status().Problem == nil && r.Status().Unfinished == 0 {
			t.Error(err)
		}
		return false
	}
	if size, why := lazy.SummaryOf(r).State(); size == 0 || why != nil {
		t.Errorf("%d bytes: %v", size, why)
	}
	if o, err = summaryOptions(t.Context(), r, unit); err == nil {
		err = lazy.SummaryOf(r).Verify(t.Context(), o)
	}
	if err != nil {
		t.Error(err)
	}
	return true
}

// jsonOf returns everything that programs get of a Top.
func jsonOf(t *testing.T, top *Top, sort string) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := table.WriteJSON(&out, top.Table(View{Sort: sort, Done: 1, G: &display.Unicode}), 0); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestRecall: what a summary has equals what a pass counts.
func TestRecall(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		if size > 1<<20 && !formattest.Exhaustive() {
			return
		}
		whole := counted(t, r, Scope{}, ByMethod, 0)
		if (&Top{r: r, by: ByMethod}).Recall() {
			t.Fatal("recalled without a summary")
		}
		unit := max(300, size/20)
		if !summarized(t, r, unit) {
			return
		}
		check := func(scope Scope, want *Top) {
			got := NewTop(r, scope, ByMethod)
			if !got.Recall() {
				t.Errorf("%+v is not in the summary", scope)
				return
			}
			for _, sort := range TopSorts {
				if got.Sorts(sort) {
					formattest.SameText(t, []byte(jsonOf(t, got, sort)), []byte(jsonOf(t, want, sort)))
				}
			}
			if got.all != want.all {
				t.Errorf("%+v\nwant %+v", got.all, want.all)
			}
			for _, row := range []int{-1, 0} {
				_, a := got.snapshot(&display.Unicode).spread(row)
				_, b := want.snapshot(&display.Unicode).spread(row)
				if !bytes.Equal(a.Append(nil), b.Append(nil)) && row < 0 {
					t.Error("the histogram differs")
				}
			}
		}
		check(Scope{}, whole)
		for _, thread := range r.Threads() {
			scope := Scope{Ranges: []lazy.PassRange{{Thread: thread.ID, To: -1}}}
			if thread.Bytes > unit {
				check(scope, counted(t, r, scope, ByMethod, 0))
			}
		}
		for _, scope := range []Scope{{Raw: true}, {Timed: true, To: 1}, {Ranges: []lazy.PassRange{{To: 5}}}, {Ranges: []lazy.PassRange{{From: 1, To: -1}}}} {
			if NewTop(r, scope, ByMethod).Recall() {
				t.Errorf("%+v was recalled", scope)
			}
		}
		if NewTop(r, Scope{}, ByClass).Recall() {
			t.Error("classes were recalled")
		}
	})
}

// TestEverySummarized: with a summary, each answer is its plain calculation.
func TestEverySummarized(t *testing.T) {
	for seed, shape := range []formattest.Shape{formattest.Random, formattest.Threads, formattest.Calls, formattest.Random} {
		spec := formattest.Spec{Shape: shape, N: 250, Seed: uint64(seed), Threads: 2 * (seed % 2), Timed: seed%2 == 0, Options: formattest.Options{BlockSize: 2000}}
		if seed == 3 {
			spec.Version = format.V27
		}
		if formattest.Race && seed != 3 {
			continue
		}
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			r := opened(t, formattest.File(t, spec))
			size, _ := r.Size()
			if !summarized(t, r, max(300, size/20)) {
				t.Fatal("no summary")
			}
			for _, raw := range []bool{false, true} {
				compareEvery(t, r, raw, uint64(seed))
			}
		})
	}
}

// TestFindSummarized: a summary does not change what is found, though parts are skipped.
func TestFindSummarized(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		if size > 100_000 && !formattest.Exhaustive() {
			return
		}
		unit := max(300, size/20)
		var where []*filter.Expr
		add := func(text string, args ...any) {
			e, err := filter.Parse(fmt.Sprintf(text, args...))
			if err != nil {
				t.Fatal(err)
			}
			if Check(r, e) == nil {
				where = append(where, e)
			}
		}
		var names []string
		r.WithContext(func(c *format.Context) {
			for m := range c.Methods() {
				names = append(names, m.Name)
			}
			for f := range c.Fields() {
				add("field=%s kind=write", filter.Word(f.Name))
				break
			}
		})
		for i := 0; i < len(names); i += 1 + len(names)/3 {
			add("method=%s", filter.Word(names[i]))
			add("kind=call method=%s", filter.Word(names[i]))
			add("in(method=%s) kind=call", filter.Word(names[i]))
			add("has(method=%s) depth<3", filter.Word(names[i]))
		}
		add("thread=1 kind=throw")
		add("kind=loop")
		add("in(kind=loop) kind=call")
		add("dur>1us")
		add("self>300ns or kind=throw")
		found := func(e *filter.Expr, raw bool) string {
			f := NewFind(r, lazy.Pass{Raw: raw, Share: unit}, e, 0)
			if err := f.Run(t.Context(), nil); err != nil {
				t.Fatal(e, err)
			}
			n, _ := f.Set.Count()
			var out bytes.Buffer
			for i := range n {
				p, _ := f.Set.Place(i)
				fmt.Fprintln(&out, p)
			}
			return out.String()
		}
		want := make(map[string]string)
		for _, e := range where {
			for _, raw := range []bool{false, true} {
				want[fmt.Sprint(e, raw)] = found(e, raw)
			}
		}
		if n, ok := AtMost(t.Context(), r, false, where[0]); ok {
			t.Errorf("at most %d without a summary", n)
		}
		if !summarized(t, r, unit) {
			return
		}
		few := r.ThreadList().Len() <= askedThreads
		for _, e := range where {
			for _, raw := range []bool{false, true} {
				exact := strings.Count(want[fmt.Sprint(e, raw)], "\n")
				n, ok := AtMost(t.Context(), r, raw, e)
				if tight := few && !raw && strings.HasPrefix(e.String(), "kind=call method="); !ok || n < int64(exact) || tight && n != int64(exact) {
					t.Errorf("%s, raw %v: at most %d, %v; it is %d", e, raw, n, ok, exact)
				}
				if got := found(e, raw); got != want[fmt.Sprint(e, raw)] {
					t.Errorf("%s, raw %v:\n%s\nwant\n%s", e, raw, got, want[fmt.Sprint(e, raw)])
				}
			}
		}
	})
}

// TestSummaryDamaged: whatever byte of a summary changes, and wherever it is cut, the answers are the
// same or it is not used.
func TestSummaryDamaged(t *testing.T) {
	path := shop(t)
	r := opened(t, path)
	want := jsonOf(t, counted(t, r, Scope{}, ByMethod, 0), "calls")
	if !summarized(t, r, 400) {
		t.Fatal("no summary")
	}
	r.Close()
	name := path + format.SumSuffix
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	check := func(what string, b []byte) {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := lazy.Open(path, lazy.Options{NoWrite: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if top := NewTop(r, Scope{}, ByMethod); top.Recall() {
			used++
			if got := jsonOf(t, top, "calls"); got != want {
				t.Errorf("%s: %s", what, got)
			}
		}
	}
	check("whole", good)
	if used != 1 {
		t.Fatal("the whole summary is not used")
	}
	step := 7
	if formattest.Exhaustive() {
		step = 1
	}
	for i := 0; i < len(good); i += step {
		check(fmt.Sprintf("cut at %d", i), good[:i])
		b := bytes.Clone(good)
		b[i] ^= 1 << (i % 8)
		check(fmt.Sprintf("changed at %d", i), b)
	}
}

// TestKeepSummary: a trace that is large enough gets a summary, unless nothing may be written.
func TestKeepSummary(t *testing.T) {
	path := shop(t)
	keep := func(least int64, noWrite bool) bool {
		r, err := lazy.Open(path, lazy.Options{NoWrite: noWrite})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		KeepSummary(t.Context(), r, least, 0)
		_, err = os.Stat(path + format.SumSuffix)
		return err == nil
	}
	if keep(0, true) || keep(1<<40, false) {
		t.Error("it was written")
	}
	if !keep(0, false) {
		t.Error("it was not written")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	KeepSummary(ctx, opened(t, path), 0, time.Hour)
}

// FuzzTables: tables may be anything.
func FuzzTables(f *testing.F) {
	r := opened(f, formattest.File(f, formattest.Spec{Shape: formattest.Calls, N: 300, Seed: 1, Timed: true}))
	s := newStoredTops(r, 100)
	if err := r.Pass(f.Context(), lazy.Pass{Collect: []lazy.Collector{s}, Share: 100}); err != nil {
		f.Fatal(err)
	}
	b, err := s.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		top := NewTop(r, Scope{}, ByMethod)
		if x := (tablesReader{decode.Reader{B: b}}); x.top(top, wholeTrace) {
			top.Table(View{Done: 1, G: &display.Unicode})
		}
	})
}

// TestHistorySummarized: a summary changes no history.
func TestHistorySummarized(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		if size > 100_000 && !formattest.Exhaustive() {
			return
		}
		unit := max(500, size/20)
		_, all := plainPoints(t, r, false)
		var c *format.Context
		r.WithContext(func(x *format.Context) { c = x })
		random := rand.New(rand.NewPCG(1, uint64(size)))
		var texts []string
		for try := 0; try < 200 && len(texts) < 6 && len(all) > 0; try++ {
			for _, l := range plainAt(c, all[random.IntN(len(all))]) {
				texts = append(texts, l.text)
			}
		}
		found := func(text string, raw bool, share int64) string {
			return fmt.Sprintf("%+v", historyOf(t, r, Scope{Raw: raw}, HistoryOptions{}, text, share).List())
		}
		var want []string
		for _, text := range texts {
			want = append(want, found(text, false, 0), found(text, true, 0))
		}
		if !summarized(t, r, unit) {
			return
		}
		for i, text := range texts {
			for k, raw := range []bool{false, true} {
				for _, share := range []int64{unit, unit/2 + 7} {
					if got := found(text, raw, share); got != want[2*i+k] {
						t.Errorf("raw %v, share %d, %s:\n%s\nwant\n%s", raw, share, text, got, want[2*i+k])
					}
				}
			}
		}
	})
}

// TestCallsSummarized: a summary does not change a table of calls.
func TestCallsSummarized(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		size, _ := r.Size()
		if size > 60_000 && !formattest.Exhaustive() {
			return
		}
		unit := max(500, size/20)
		var what []string
		r.WithContext(func(c *format.Context) {
			var names []string
			for m := range c.Methods() {
				names = append(names, m.Name)
			}
			for i := 0; i < len(names); i += 1 + len(names)/2 {
				what = append(what, names[i], "in(method="+filter.Word(names[i])+")")
			}
		})
		found := func(what string, raw bool, share int64) string {
			c, err := NewCalls(r, Scope{Raw: raw}, CallsOptions{What: what})
			if err != nil {
				return err.Error()
			}
			c.limit.share = share
			if err := c.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if _, err := table.WriteJSON(&out, c.Table(View{Done: 1, Read: t.Context(), G: &display.Unicode}), 100); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		var want []string
		for _, what := range what {
			want = append(want, found(what, false, 0), found(what, true, 0))
		}
		if !summarized(t, r, unit) {
			return
		}
		for i, what := range what {
			for k, raw := range []bool{false, true} {
				share := []int64{unit, unit/2 + 7}[i%2]
				formattest.SameText(t, []byte(found(what, raw, share)), []byte(want[2*i+k]))
			}
		}
	})
}
