package query

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// waitCall is a call that a test writes, in ns. One with a kind is a wait.
type waitCall struct {
	method   string
	from, to int64
	kind     string // of the wait
	in, by   string // the function that waits, and the result: "" is void, "unfinished" is that
	within   []waitCall
}

// waitTrace writes traces with times and waits.
type waitTrace struct {
	t       *testing.T
	path    string
	w       *tracefile.Writer
	methods map[string]int32
	classes map[string]int32
	thread  int32
	event   int32
}

func newWaitTrace(t *testing.T) *waitTrace {
	x := &waitTrace{t: t, path: filepath.Join(t.TempDir(), "trace.bin"), methods: make(map[string]int32), classes: make(map[string]int32)}
	var files [3]*os.File
	for i, end := range []string{"", format.IndexSuffix, format.TimesSuffix} {
		f, err := os.Create(x.path + end)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files[i] = f
	}
	x.w = tracefile.NewWriter(format.V27, tracefile.Files{Data: files[0], Index: files[1], Times: files[2]}, time.Unix(0, 0))
	return x
}

func (x *waitTrace) add(data []byte, err error) []byte {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
	return data
}

// write writes a thread.
func (x *waitTrace) write(name string, calls ...waitCall) {
	b := &tracefile.Block{Thread: x.thread, Name: name, Named: true}
	x.thread++
	x.calls(b, calls)
	x.w.EndThread(b)
}

// method returns the method of a call, and writes its descriptor once.
func (x *waitTrace) method(b *tracefile.Block, c *waitCall) int32 {
	class, name, result := "main", c.method, format.Type{Kind: format.TypeVoid}
	if c.kind != "" {
		class, name, result = "wait", c.kind, format.Wait
	}
	id, known := x.classes[class]
	if !known {
		id = int32(len(x.classes))
		x.classes[class] = id
		b.Reference(x.add((&format.ClassDescriptor{ID: id, Name: class}).Append(nil, x.w.Version())), x.w.Version())
	}
	m, known := x.methods[class+"."+name]
	if !known {
		m = int32(len(x.methods))
		x.methods[class+"."+name] = m
		b.Reference(x.add((&format.MethodDescriptor{ID: m, ClassID: id, Name: name, Result: result}).Append(nil, x.w.Version())), x.w.Version())
	}
	return m
}

func (x *waitTrace) calls(b *tracefile.Block, calls []waitCall) {
	for _, c := range calls {
		p := format.Point{Class: format.ClassCall, Diff: format.DiffNone, Thread: b.Thread, Event: x.event, Location: -1, Ref: x.method(b, &c), Target: format.Null()}
		if c.in != "" {
			p.Args = []format.Value{{Kind: format.ValueString, Text: c.in}}
		}
		x.event++
		start := b.Header(x.add(p.Append(b.Bytes(), x.w.Version())))
		b.Touch(c.from)
		x.calls(b, c.within)
		f := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
		switch c.by {
		case "":
		case "unfinished":
			f = format.Unfinished(format.ClassCall)
		default:
			f.Result = format.Value{Kind: format.ValueString, Text: c.by}
		}
		data := x.add(f.Append(b.Bytes(), x.w.Version(), format.ClassCall))
		b.Footer(data, start, format.TimeCell{ID: p.Event, Start: c.from, Duration: c.to - c.from})
		b.Touch(c.to)
	}
}

func (x *waitTrace) open(end int64) *lazy.LazyTraceReader {
	x.t.Helper()
	if err := x.w.End(end); err != nil {
		x.t.Fatal(err)
	}
	r := opened(x.t, x.path)
	if err := r.Status().Problem; err != nil {
		x.t.Fatal(err)
	}
	return r
}

const ms = int64(time.Millisecond)

// waiting is a trace of goroutines that wait for each other: 7 holds a lock, 9 is not in the trace.
func waiting(t *testing.T) *lazy.LazyTraceReader {
	x := newWaitTrace(t)
	x.write("main", waitCall{method: "main", from: 0, to: 100 * ms, within: []waitCall{
		{kind: "waitgroup", in: "sync.(*WaitGroup).Wait", by: "goroutine 12", from: 10 * ms, to: 99 * ms}}})
	x.write("goroutine 7 main.holder ← 1 main.main main.go:9", waitCall{method: "holder", from: 5 * ms, to: 60 * ms, within: []waitCall{
		{method: "compute", from: 20 * ms, to: 50 * ms}}})
	lock := func(by string, from, to int64) waitCall {
		return waitCall{method: "worker", from: 6 * ms, to: 90 * ms, within: []waitCall{{kind: "lock", in: "sync.(*Mutex).Lock", by: by, from: from, to: to}}}
	}
	for i := range 3 {
		x.write(fmt.Sprintf("goroutine %d main.worker ← 1 main.main main.go:9", 20+i), lock("goroutine 7", int64(15+5*i)*ms, int64(50+i)*ms))
	}
	x.write("goroutine 12 main.idle ← 1 main.main main.go:9", waitCall{method: "idle", from: 5 * ms, to: 8 * ms}, waitCall{method: "idle", from: 98 * ms, to: 99 * ms})
	x.write("goroutine 30 main.worker ← 1 main.main main.go:9", lock("≈ goroutine 9", 30*ms, 40*ms))
	x.write("goroutine 31 main.sleeper ← 1 main.main main.go:9", waitCall{method: "sleeper", from: 7 * ms, to: 80 * ms, within: []waitCall{{kind: "sleep", from: 8 * ms, to: 79 * ms}}})
	x.write("goroutine 32 main.forever ← 1 main.main main.go:9", waitCall{method: "forever", by: "unfinished", from: 7 * ms, to: 100 * ms, within: []waitCall{
		{kind: "receive", in: "main.forever", by: "unfinished", from: 9 * ms, to: 100 * ms}}})
	x.write("goroutine 33 main.late ← 1 main.main main.go:9", waitCall{method: "late", from: 70 * ms, to: 80 * ms})
	x.write("other › goroutine 7 main.holder", waitCall{method: "holder", from: 1 * ms, to: 100 * ms})
	x.write("other › goroutine 8 main.worker", lock("goroutine 7", 20*ms, 90*ms))
	return x.open(100 * ms)
}

// TestAtWaits: threads that waited are told with what for, since when and for whom, and those waited for with what
// they were in, in their program.
func TestAtWaits(t *testing.T) {
	r := waiting(t)
	a := atOf(t, r, AtOptions{Time: 35 * ms})
	if want := (AtCounts{Working: 2, Waiting: 8, Idle: 1, Later: 1}); a.Counts != want {
		t.Errorf("%+v, want %+v", a.Counts, want)
	}
	rows, err := a.rows(t.Context(), a.entries[1])
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range rows {
		x := &rows[i]
		since, _ := x.elapsed()
		got = append(got, fmt.Sprintf("%d %s %s by %s for %d until %d %v %v in %v", x.Thread+1, x.Waits, x.In, x.By, since/ms, x.Until/ms, x.UntilKnown, x.Unended, x.Path))
	}
	want := `1 waitgroup sync.(*WaitGroup).Wait by goroutine 12 for 25 until 99 true false in [main.main]
3 lock sync.(*Mutex).Lock by goroutine 7 for 20 until 50 true false in [main.worker]
4 lock sync.(*Mutex).Lock by goroutine 7 for 15 until 51 true false in [main.worker]
5 lock sync.(*Mutex).Lock by goroutine 7 for 10 until 52 true false in [main.worker]
7 lock sync.(*Mutex).Lock by ≈ goroutine 9 for 5 until 40 true false in [main.worker]
8 sleep  by  for 27 until 79 true false in [main.sleeper]
9 receive main.forever by  for 26 until 0 false true in [main.forever]
12 lock sync.(*Mutex).Lock by goroutine 7 for 15 until 90 true false in [main.worker]`
	if strings.Join(got, "\n") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	notes := strings.Join(a.Table(View{Done: 1, G: &display.Unicode}).Notes, "\n")
	want = `g7 main.holder is waited for by 3 threads · it was in main.compute(), for 15.0 ms
g9 is waited for by 1 thread · no event of it is in the trace
g12 main.idle is waited for by 1 thread · it was in no call that was recorded
other › g7 main.holder is waited for by 1 thread · it was in main.holder(), for 34.0 ms`
	if notes != want {
		t.Errorf("%s\nwant\n%s", notes, want)
	}
	for i, h := range a.Holders() {
		if h.Waiters != []int64{3, 1, 1, 1}[i] || h.Thread != []int32{1, -1, 5, 10}[i] {
			t.Errorf("%+v", h)
		}
	}
	// From the row of one that waits to that for which it does, in its program; 9 and 12 have none.
	x, leads := a.Table(View{Done: 1, Read: t.Context(), G: &display.Unicode}), []int32{}
	for i := range x.Rows.Len() {
		to, ok := a.WaitsFor(x, i)
		if p, known := PointAt(x, to); !ok {
			leads = append(leads, -1)
		} else if !known {
			t.Errorf("row %d leads to row %d", i, to)
		} else {
			leads = append(leads, p.Thread)
		}
	}
	if want := []int32{-1, -1, -1, 1, 1, 1, -1, -1, -1, 10}; !slices.Equal(leads, want) {
		t.Errorf("rows lead to threads %v, want %v", leads, want)
	}
	working, err := a.rows(t.Context(), a.entries[0])
	if err != nil || len(working) != 2 || working[0].waitedFor != 3 || working[1].waitedFor != 1 {
		t.Errorf("%+v, %v", working, err)
	}
	// Before and after: the one that is waited for had not begun, or had ended.
	for at, want := range map[int64]string{
		6 * ms: "", 55 * ms: "g12 main.idle is waited for by 1 thread · it was in no call that was recorded",
		85 * ms: "other › g7 main.holder is waited for by 1 thread · it was in main.holder(), for 84.0 ms",
	} {
		if notes := strings.Join(atOf(t, r, AtOptions{Time: at}).Table(View{Done: 1, G: &display.Unicode}).Notes, "\n"); !strings.Contains(notes, want) || want == "" && notes != "" {
			t.Errorf("at %d: %q, want %q", at, notes, want)
		}
	}
	late := atOf(t, r, AtOptions{Time: 200 * ms})
	if x := late.Table(View{Done: 1, G: &display.Unicode}); late.Counts.Ended != 12 || x.Rows.Len() > 0 || x.Notes[0] != "the recording ended at 100ms" {
		t.Errorf("%+v, %q", late.Counts, x.Notes)
	}
}

// TestAtBounds: with few entries kept, the others are counted, in threads chosen too, and an ended context ends it.
func TestAtBounds(t *testing.T) {
	r := waiting(t)
	a := NewAt(r, AtOptions{Time: 35 * ms})
	a.most = 1
	runs(t, a)
	x := a.Table(View{Done: 1, Read: t.Context(), G: &display.Unicode})
	if x.Rows.Len() != 2 || !strings.Contains(strings.Join(x.Notes, "\n"), "8 more threads were in calls, and are not listed") {
		t.Errorf("%d rows, %q", x.Rows.Len(), x.Notes)
	}
	some := atOf(t, r, AtOptions{Time: 35 * ms, Threads: []int32{1, 8}})
	if some.Counts != (AtCounts{Working: 1, Waiting: 1}) {
		t.Errorf("%+v", some.Counts)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := NewAt(r, AtOptions{Time: 35 * ms}).Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	told := int64(0)
	if err := NewAt(r, AtOptions{}).Run(t.Context(), func(done, total int64) { told = done * 100 / total }); err != nil || told != 100 {
		t.Errorf("%d %%, %v", told, err)
	}
}

// TestAtManyThreads: threads of several batches are all found, and few of them are read for a page.
func TestAtManyThreads(t *testing.T) {
	x := newWaitTrace(t)
	const n = 3*atBatch + 7
	for i := range int64(n) {
		c := waitCall{method: "work", from: i, to: n + i}
		if i%3 == 0 {
			c.within = []waitCall{{kind: "lock", in: "sync.(*Mutex).Lock", by: fmt.Sprint("goroutine ", 2+i%50), from: i, to: n + i}}
		}
		x.write(fmt.Sprint("goroutine ", i+2, " main.work"), c)
	}
	r := x.open(2 * n)
	a := atOf(t, r, AtOptions{Time: n - 1})
	if a.Counts != (AtCounts{Working: n - (n+2)/3, Waiting: (n + 2) / 3}) || len(a.holders) != 50 || len(a.held) != toldHolders {
		t.Errorf("%+v, %d and %d waited for", a.Counts, len(a.holders), len(a.held))
	}
	if notes := a.Table(View{Done: 1, G: &display.Unicode}).Notes; notes[len(notes)-1] != "40 more goroutines are waited for" {
		t.Errorf("%q", notes)
	}
	half := atOf(t, r, AtOptions{Time: n / 2})
	if in := half.Counts.Working + half.Counts.Waiting; in != n/2+1 || half.Counts.Later != n-in {
		t.Errorf("%+v", half.Counts)
	}
	rows, err := a.rows(t.Context(), a.entries[0][2000:2010])
	if err != nil || len(rows) != 10 || rows[9].Thread != a.entries[0][2009].Thread {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// TestAtScreens draws what threads were in at several widths, and as stacks.
func TestAtScreens(t *testing.T) {
	var out bytes.Buffer
	demo := opened(t, shop(t))
	cut := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: 40, Seed: 7, Crash: formattest.CrashPartial, Timed: true, Options: formattest.Options{BlockSize: 700}}))
	_, length, _ := cut.Recording()
	draw := func(r *lazy.LazyTraceReader, o AtOptions, g *display.Glyphs) {
		a := atOf(t, r, o)
		for _, width := range []int{60, 100, 160} {
			if err := table.WriteText(&out, a.Table(View{Done: 1, Read: t.Context(), G: g}), table.Options{Width: width, Glyphs: g, Limit: 12}); err != nil {
				t.Fatal(err)
			}
			out.WriteByte('\n')
		}
		if more, err := a.WriteStacks(t.Context(), &out, 3, g); err != nil || more != max(0, len(a.entries[0])+len(a.entries[1])-3) {
			t.Errorf("%d more, %v", more, err)
		}
		out.WriteString("\n\n")
	}
	leaf := lazy.EventHandle(30)
	draw(waiting(t), AtOptions{Time: 35 * ms}, &display.Unicode)
	draw(waiting(t), AtOptions{Time: 35*ms + 1500}, &display.ASCII)
	draw(demo, AtOptions{Time: ms}, &display.Unicode)
	draw(demo, AtOptions{Place: &leaf, Whole: true}, &display.Unicode)
	draw(cut, AtOptions{Time: int64(length)}, &display.Unicode)
	draw(cut, AtOptions{Time: int64(length) / 2}, &display.Unicode)
	golden(t, "at.txt", out.Bytes())
}

// TestFlameWaits: the flame tells waiting from working, and says what the sign means.
func TestFlameWaits(t *testing.T) {
	x := newWaitTrace(t)
	x.write("main", waitCall{method: "serve", to: 1000, within: []waitCall{{method: "lock", kind: "lock", from: 100, to: 500}, {method: "work", from: 500, to: 900}}})
	r := x.open(1000)
	f, err := lazy.FlameOf(t.Context(), r, lazy.FlameOptions{Columns: 100, Depth: 4})
	if err != nil {
		t.Fatal(err)
	}
	var text, lines bytes.Buffer
	p := NewFlamePicture(r, f, &display.Unicode)
	if err := errors.Join(p.WriteText(&text), p.WriteJSON(&lines)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"wait.lock() ┄┄┄", "work() ───", "┄ the goroutine waits"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("without %q:\n%s", want, &text)
		}
	}
	if n := strings.Count(lines.String(), `"wait":true`); n != 1 {
		t.Errorf("%d waits in\n%s", n, &lines)
	}
}
