package query

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// question is what a test asks of a trace.
type question struct {
	name string
	// ask returns everything that a script gets, from a pass with parts of so many bytes; 0 for the usual.
	ask func(t *testing.T, r *lazy.LazyTraceReader, share int64) string
}

// scripted returns what scripts get of a table.
func scripted(t *testing.T, x *table.Table) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := table.WriteJSON(&b, x, 0); err != nil {
		t.Fatal(err)
	}
	if err := RowsErr(x); err != nil {
		t.Fatal(err)
	}
	return x.Title + "\n" + strings.Join(x.Notes, "\n") + "\n" + b.String()
}

// runs runs an answer.
func runs(t *testing.T, x interface {
	Run(context.Context, lazy.Progress) error
}) {
	t.Helper()
	if err := x.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

// collects runs a collector.
func collects(t *testing.T, r *lazy.LazyTraceReader, scope Scope, share int64, c lazy.Collector) {
	t.Helper()
	pass := scope.Over(c)
	pass.Share = share
	if err := r.Pass(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
}

// questions returns questions of all kinds about a trace, which are asked of any reader of its data.
func questions(t *testing.T, r *lazy.LazyTraceReader, raw bool) (list []question) {
	t.Helper()
	all, roots := load(t, r, raw), calls(forest(t, r, raw))
	if len(all) == 0 || len(roots) == 0 {
		return nil
	}
	_, points := plainPoints(t, r, raw)
	plain(r, ByMethod).estimate(roots)
	m, methods := caseMakerOf(t, r, roots), methodsOf(r, roots)
	middle := points[len(points)/2]
	at := HistoryPoint{middle.Position(), middle.Point().Event}
	g := &display.Unicode
	view := func(f func(x *asking) *table.Table) func(*testing.T, *lazy.LazyTraceReader, int64) string {
		return func(t *testing.T, r *lazy.LazyTraceReader, share int64) string {
			return scripted(t, f(&asking{t, r, share, Scope{Raw: raw}}))
		}
	}
	add := func(name string, f func(x *asking) *table.Table) { list = append(list, question{name, view(f)}) }
	where := []string{""}
	var steps Steps
	if m != nil {
		in := "in(method=" + filter.Word(m.names[0]) + ")"
		where = append(where, in+" kind=call", "has(method="+filter.Word(m.names[1])+")", "kind=call -threw")
		steps = m.make("merge C, drop B in A").steps
	}
	edit := func(x *asking) {
		if err := x.scope.Edit(t.Context(), x.r, steps); err != nil {
			t.Fatal(err)
		}
	}
	for by := range By(len(Bys)) {
		add(fmt.Sprint("top by ", by), func(x *asking) *table.Table {
			top := NewTop(x.r, x.scope, by)
			collects(t, x.r, x.scope, x.share, top)
			return top.Table(View{Done: 1, G: g})
		})
	}
	throws := func(x *asking, one bool) *table.Table {
		c := NewThrows(x.r, x.scope, 1<<20)
		collects(t, x.r, x.scope, x.share, c)
		return c.Table(View{List: one, Done: 1, G: g})
	}
	callers := func(x *asking, o CallersOptions) *table.Table {
		c, err := NewCallers(x.r, x.scope, o)
		if err != nil {
			t.Fatal(err)
		}
		collects(t, x.r, x.scope, x.share, c)
		return c.Table(View{Done: 1, G: g})
	}
	listed := func(x *asking, o CallsOptions) *table.Table {
		c, err := NewCalls(x.r, x.scope, o)
		if err != nil {
			t.Fatal(err)
		}
		c.limit.share = x.share
		runs(t, c)
		return c.Table(View{Done: 1, Read: t.Context(), G: g})
	}
	add("throws, edited", func(x *asking) *table.Table { edit(x); return throws(x, true) })
	for _, text := range where {
		add("throws where "+text, func(x *asking) *table.Table { x.where(text); return throws(x, false) })
		add("each throw where "+text, func(x *asking) *table.Table { x.where(text); return throws(x, true) })
		add("top where "+text, func(x *asking) *table.Table {
			edit(x)
			x.where(text)
			top := NewTop(x.r, x.scope, ByMethod)
			collects(t, x.r, x.scope, x.share, top)
			return top.Table(View{Done: 1, G: g})
		})
		add("find "+text, func(x *asking) *table.Table {
			e, _ := filter.Parse(text)
			pass := x.scope.Pass()
			pass.Share = x.share
			f := NewFind(x.r, pass, e, 0)
			runs(t, f)
			return f.Table(View{Read: t.Context(), Done: 1, G: g})
		})
		add("calls "+text, func(x *asking) *table.Table { return listed(x, CallsOptions{What: "kind=call " + text}) })
	}
	for _, method := range slices.Compact([]string{methods[0], methods[len(methods)-1]}) {
		for _, o := range []CallersOptions{{Depth: 5}, {Depth: 9, Self: true}, {Depth: 4, Callees: true}} {
			o.Method = method
			add(fmt.Sprintf("callers %+v", o), func(x *asking) *table.Table {
				x.where(where[len(where)-1])
				return callers(x, o)
			})
		}
		add("callers, edited, of "+method, func(x *asking) *table.Table { edit(x); return callers(x, CallersOptions{Method: method, Depth: 7}) })
		for _, by := range []string{"arg.1", "ret", "caller", "thread", "recv", "iter", "caller.event"} {
			add("calls of "+method+" by "+by, func(x *asking) *table.Table { return listed(x, CallsOptions{What: method, By: by}) })
		}
	}
	for _, o := range []CallsOptions{{Sort: "arg.1"}, {Sort: "ret", Reverse: true}, {Sort: "self"}, {Sort: "events", Cols: []string{"iter", "line"}}, {Sort: "dur"}} {
		if _, timed := r.Times(); timed && o.Sort == "events" || !timed && (o.Sort == "self" || o.Sort == "dur") {
			continue
		}
		o.What = "kind=call"
		add(fmt.Sprintf("calls %+v", o), func(x *asking) *table.Table { return listed(x, o) })
	}
	calls, columns := plainColumns(t, r, raw)
	for col := range columns {
		if calls > 0 && col != "iter" {
			add("calls with "+col, func(x *asking) *table.Table { return listed(x, CallsOptions{What: "kind=call", Cols: []string{col}}) })
			break
		}
	}
	add("log", func(x *asking) *table.Table {
		l := logOf(t, x.r, x.scope, "kind=call", `kind=write: "{text}"`)
		l.share = x.share
		runs(t, l)
		return l.Table(View{Read: t.Context(), Done: 1, G: g})
	})
	add("state", func(x *asking) *table.Table {
		s := NewState(x.r, raw, at)
		s.share = x.share
		runs(t, s)
		return s.Table(View{Done: 1, G: g})
	})
	if call := middle.call(); call != nil {
		add("lines", func(x *asking) *table.Table {
			l := NewLines(x.r, LinesOptions{Raw: raw, At: HistoryPoint{call.Position(), call.Point().Event}, Child: &at.Position})
			if err := l.Run(t.Context()); err != nil && !errors.Is(err, ErrNoLines) {
				t.Fatal(err)
			}
			f := l.Found()
			return f.Table(LinesView{G: g})
		})
	}
	add("around", func(x *asking) *table.Table {
		a, err := FindAround(t.Context(), x.r, middle.Position(), AroundOptions{Raw: raw, N: 60})
		if err != nil {
			t.Fatal(err)
		}
		made, err := a.Table(t.Context(), AroundView{Width: 100, G: g})
		if err != nil {
			t.Fatal(err)
		}
		return made
	})
	if _, timed := r.Times(); timed {
		place := lazy.PositionHandle(middle.Position())
		for _, o := range []AtOptions{{Place: &place}, {Place: &place, Whole: true}} {
			o.Raw = raw
			add(fmt.Sprint("at, whole ", o.Whole), func(x *asking) *table.Table {
				a := NewAt(x.r, o)
				runs(t, a)
				return a.Table(View{Read: t.Context(), Done: 1, G: g})
			})
		}
	}
	if loops := loopsOf(forest(t, r, raw)); len(loops) > 0 {
		add("iterations", func(x *asking) *table.Table {
			loop, _, err := LoopAt(t.Context(), x.r, raw, loops[0].at)
			if err == nil {
				err = x.scope.In(t.Context(), x.r, lazy.PositionHandle(loop.Position))
			}
			if err != nil {
				t.Fatal(err)
			}
			c := NewIterations(x.r, x.scope, loop)
			collects(t, x.r, x.scope, x.share, c)
			return c.Table(View{Done: 1, G: g})
		})
	}
	list = append(list, question{"flame", func(t *testing.T, r *lazy.LazyTraceReader, _ int64) string {
		f, err := lazy.FlameOf(t.Context(), r, lazy.FlameOptions{Thread: middle.Thread(), Raw: raw, Columns: 90, Depth: 12})
		if err != nil {
			return err.Error()
		}
		var b bytes.Buffer
		if err := NewFlamePicture(r, f, g).WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}})
	var names []string
	r.WithContext(func(c *format.Context) {
		for i := 0; i < len(points) && len(names) < 6; i += 1 + len(points)/40 {
			for _, l := range plainAt(c, points[i]) {
				names = append(names, l.text)
			}
		}
	})
	for _, name := range names {
		add("history of "+name, func(x *asking) *table.Table {
			return historyOf(t, x.r, x.scope, HistoryOptions{}, name, x.share).Table(View{Done: 1, G: g})
		})
		list = append(list, question{"write beside " + name, func(t *testing.T, r *lazy.LazyTraceReader, share int64) (out string) {
			l, err := ParseLocation(t.Context(), r, name, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, before := range []bool{false, true} {
				p, err := nextWriteFrom(t.Context(), r, Scope{Raw: raw}, l, &at, before, nil, share)
				out += fmt.Sprintln(p, err)
			}
			return out
		}})
	}
	return list
}

// asking is what a question is asked of.
type asking struct {
	t     *testing.T
	r     *lazy.LazyTraceReader
	share int64
	scope Scope
}

// where limits the scope to what a filter matches.
func (x *asking) where(text string) {
	x.t.Helper()
	e, err := filter.Parse(text)
	if err == nil {
		err = x.scope.Where(x.t.Context(), x.r, e)
	}
	if err != nil {
		x.t.Fatal(err)
	}
}

// sameAnswers compares what scripts get of two readers of the same data.
func sameAnswers(t *testing.T, a, b *lazy.LazyTraceReader, raw bool) {
	t.Helper()
	for _, q := range questions(t, b, raw) {
		if got, want := q.ask(t, a, 0), q.ask(t, b, 0); got != want {
			t.Errorf("%s, raw %v:\n%s\nwant\n%s", q.name, raw, got, want)
		}
	}
}

// TestEverySplit: what scripts get is the same to the byte from one goroutine that reads each thread at once,
// from several that read small parts, and from those with a summary, which skip some.
func TestEverySplit(t *testing.T) {
	width := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(width)
	asked := make(map[string]bool)
	for i, spec := range []formattest.Spec{
		{Shape: formattest.Random, Threads: 2, Seed: 61, Timed: true},
		{Shape: formattest.Random, Seed: 62, Wild: true, Options: formattest.Options{Version: format.V27}},
		{Shape: formattest.Calls, Threads: 2, Seed: 63, Timed: true},
		{Shape: formattest.Threads, Seed: 64, Options: formattest.Options{Version: format.V27}},
		{Shape: formattest.Random, Seed: 65, Crash: formattest.CrashPartial},
	} {
		if formattest.Race && i > 0 {
			continue
		}
		if spec.BlockSize, spec.N = 700, 160; spec.Shape == formattest.Threads {
			spec.N = 40
		}
		if formattest.Race {
			spec.N = 80
		}
		t.Run(spec.Name(), func(t *testing.T) {
			r := opened(t, formattest.File(t, spec))
			size, _ := r.Size()
			var lists [2][]question
			var want [2][]string
			runtime.GOMAXPROCS(1)
			for i, raw := range []bool{false, true} {
				lists[i] = questions(t, r, raw)
				for _, q := range lists[i] {
					want[i] = append(want[i], q.ask(t, r, 1<<40))
					asked[strings.Fields(q.name)[0]] = true
				}
			}
			runtime.GOMAXPROCS(5)
			compare := func(how string, share int64) {
				t.Helper()
				for i, raw := range []bool{false, true} {
					for k, q := range lists[i] {
						if got := q.ask(t, r, share); got != want[i][k] {
							t.Errorf("%s, raw %v, %s, parts of %d bytes:", q.name, raw, how, share)
							formattest.SameText(t, []byte(got), []byte(want[i][k]))
						}
					}
				}
			}
			compare("without a summary", size/25)
			compare("without a summary", size/7)
			if unit := max(300, size/20); summarized(t, r, unit) {
				compare("with a summary", unit)
				compare("with a summary", unit/2)
			}
		})
	}
	if len(asked) < 12 {
		t.Errorf("asked only %v", asked)
	}
}
