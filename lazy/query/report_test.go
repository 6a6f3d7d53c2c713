package query

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// reportOf makes a report of a trace.
func reportOf(t *testing.T, path string, o ReportOptions) *Report {
	t.Helper()
	o.Name = "t.bin"
	r, err := FindReport(context.Background(), opened(t, path), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mustHave checks that a text has parts, in this order.
func mustHave(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Fatalf("%q is not there, or not in its place, in\n%s", part, text)
		}
		rest = after
	}
}

// tests writes a trace of Go tests: TestSum asks price three times, then sum, each at a line of its own; a goroutine that it started adds.
type tests struct {
	*formattest.Builder
	test, price, sum, add int32
}

func newTests(t *testing.T) *tests {
	w := &tests{Builder: formattest.NewBuilder(t)}
	w.test = w.Method("pay", "TestSum", format.Type{Kind: format.TypeVoid})
	w.price = w.Method("pay", "price", formattest.IntType, formattest.IntType)
	w.sum = w.Method("pay", "sum", formattest.IntType)
	w.add = w.Method("pay", "add", formattest.IntType)
	return w
}

// call writes a call with an argument and a result.
func (w *tests) call(at, method int32, arg, result int64) {
	p := &format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: at, Ref: method, Target: format.Null()}
	if method == w.price {
		p.Args = []format.Value{formattest.IntValue(arg)}
	}
	w.Point(p)
	w.Footer(format.ClassCall, &format.Footer{Result: formattest.IntValue(result)})
}

// file writes the trace. The test goes on after line 13.
func (w *tests) file() string {
	in := func(line int32) int32 { return w.Place("pay_test.go", "pay", "TestSum", line) }
	loop, total, later := in(8), in(12), in(15)
	inAdd, go9 := w.Place("pay.go", "pay", "add", 30), in(9)
	w.Name("goroutine 6 pay.TestSum ← 1 testing.T.Run testing.go:2101")
	w.Call(w.Place("testing.go", "testing", "tRunner", 2036), w.test, func() {
		for i := range int64(3) {
			w.call(loop, w.price, i+1, 100*(i+1))
		}
		w.call(total, w.sum, 0, 369)
		w.call(later, w.sum, 0, 999)
	})
	w.Thread(1)
	w.Name("goroutine 7 pay.TestSum.func1 ← 6 pay.TestSum pay_test.go:9")
	w.Call(go9, w.add, func() {
		w.call(inAdd, w.sum, 0, 55)
	})
	return w.File()
}

// TestReportOfTest: a test's message leads to the last call before the line that it names. What follows it is not told; what
// its goroutines did is.
func TestReportOfTest(t *testing.T) {
	path := newTests(t).file()
	o := ReportOptions{Title: "FAIL TestSum", Test: true, At: lazy.Position{Thread: 0, At: -1}, Output: "pay_test.go:13: sum is 369, want 399\n", Facts: []string{"it said"},
		About: []string{"about it"}, Places: []SourceLineID{{"/usr/lib/other.go", 5}, {"/home/me/pay_test.go", 13}}}
	text := reportOf(t, path, o).Text(ReportFormat{})
	mustHave(t, text, "FAIL TestSum\n", "it said", "failed at pay_test.go:13; the call recorded last before that line of the function is at line 12", "about it",
		"the calls up to it · tracex print --subtree 't.bin#0'\n", "#0  pay.TestSum()", "#1    price(1): 100  at pay_test.go:8\n", "price(2): 200", "price(3): 300",
		"#4    sum(): 369  at pay_test.go:12\n→ ", "pay_test.go:13: sum is 369, want 399\n",
		"goroutines that it started", "g7", "pay.TestSum.func1: ended  at pay_test.go:9", "pay.add()", "sum(): 55  at pay.go:30")
	if strings.Contains(text, "999") {
		t.Errorf("it tells what was after the failure:\n%s", text)
	}
	// Which of several calls of a line it was, the values of the message tell.
	o.Output, o.Places = "pay_test.go:8: price of 2 is 200\n", []SourceLineID{{"pay_test.go", 8}}
	text = reportOf(t, path, o).Text(ReportFormat{})
	mustHave(t, text, "failed at pay_test.go:8; this line called several times", "the last one whose values the message names", "price(2): 200  at pay_test.go:8\n→ ")
	if strings.Contains(text, "price(3)") {
		t.Errorf("it tells what was after the call that the message names:\n%s", text)
	}
	// A line before all calls, or of another file, is nowhere.
	o.Places = []SourceLineID{{"pay_test.go", 7}, {"none.go", 100}}
	mustHave(t, reportOf(t, path, o).Text(ReportFormat{}), "no recorded call is at a line that the message names", "→ #5    sum(): 999")
	// A line of a goroutine's function leads to its thread.
	o.Places = []SourceLineID{{"pay.go", 31}}
	mustHave(t, reportOf(t, path, o).Text(ReportFormat{}), "the calls up to it, in g7", "#6  pay.add()", "#7    sum()", "→ ")
	ids, names, err := TestThreads(context.Background(), opened(t, path), "TestSum")
	if err != nil || len(ids) != 1 || names[0] != "pay.TestSum" {
		t.Errorf("%v %q %v", ids, names, err)
	}
}

// TestReportOfException: what was thrown, where, and which writes were before it, for a trace of the JVM.
func TestReportOfException(t *testing.T) {
	path := formattest.Unpack(t, "threads.v27.stream.bin")
	r := opened(t, path)
	throws := NewThrows(r, Scope{}, MostValues)
	if err := r.Pass(context.Background(), (&Scope{}).Over(throws)); err != nil {
		t.Fatal(err)
	}
	e, ok := throws.FirstLeft()
	if !ok || e.Outcome != Left {
		t.Fatalf("%+v", e)
	}
	text := reportOf(t, path, ReportOptions{Title: "threw", At: e.point().Position}).Text(ReportFormat{})
	handle := lazy.EventHandle(e.Event).String()
	mustHave(t, text, "Thread.run(): threw RuntimeException", "new RuntimeException(\"thread dies\")", "→ "+handle, "throw RuntimeException",
		"thrown · tracex throws", "→ "+handle, "RuntimeException in Threads.lambda$run$0(1), ended 2 calls, not caught", "last seen before it", "write: i = 3")
}

// TestReportFits: a report has never more bytes than it may have, is text, and with the room for it has everything. Whatever it is of.
func TestReportFits(t *testing.T) {
	paths := map[string]string{"demo": shop(t), "gson": formattest.Unpack(t, "gson.stream.bin"), "crash": formattest.Unpack(t, "crash.v27.stream.bin")}
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Random, N: 3000, Seed: 5}, {Shape: formattest.Goroutines, N: 5000, Seed: 6, Timed: true}, {Shape: formattest.Threads, N: 300, Seed: 7, Crash: formattest.CrashPartial},
	} {
		paths[spec.Name()] = formattest.File(t, spec)
	}
	for name, path := range paths {
		r := opened(t, path)
		for i, at := range placesIn(t, r, 5) {
			report := reportOf(t, path, ReportOptions{Title: fmt.Sprintf("%s ü %d", name, i), At: at, Facts: []string{strings.Repeat("é", 3000), "\x1b[31m\ttab"}})
			for _, markdown := range []bool{false, true} {
				whole := report.Text(ReportFormat{Markdown: markdown})
				if strings.ContainsAny(whole, "\x1b\t") || strings.Contains(whole, "a larger --size") {
					t.Errorf("%s: %.300q", name, whole)
				}
				for _, size := range []int{1, 2, 5, 20, 77, 200, 500, 1000, 2000, 4000, 8000, len(whole) - 1, len(whole)} {
					text := report.Text(ReportFormat{Size: size, Markdown: markdown})
					if len(text) > size || !utf8.ValidString(text) {
						t.Errorf("%s: %d bytes in %d", name, len(text), size)
					}
					if size == len(whole) && text != whole {
						t.Errorf("%s: there is room for all of it, but it is\n%s", name, text)
					}
					if size >= 1000 && size < len(whole) && len(text) < size/3 {
						t.Errorf("%s: only %d bytes in %d:\n%s", name, len(text), size, text)
					}
				}
			}
		}
	}
}

// placesIn returns some places of the trace: events of all threads, and the threads.
func placesIn(t *testing.T, r *lazy.LazyTraceReader, n int) (list []lazy.Position) {
	t.Helper()
	for _, info := range r.Threads()[:min(len(r.Threads()), n)] {
		list = append(list, lazy.Position{Thread: info.ID, At: -1})
		at, err := r.FindFraction(info.ID, 0.7)
		if err != nil {
			t.Fatal(err)
		}
		if node, err := lazy.RevealAlone(context.Background(), r.Tree(true), at); err == nil && !node.IsThread() {
			list = append(list, node.Position())
		}
	}
	return list
}

// TestReportNear: of what is used often only the part before the event is read, and its last values are the same as when all is read.
func TestReportNear(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin")
	r := opened(t, path)
	seen := func(at lazy.Position) (lines []ReportLine) {
		for _, p := range reportOf(t, path, ReportOptions{At: at}).Parts {
			if strings.HasPrefix(p.Title, "last seen") {
				lines = p.Lines
			}
		}
		return lines
	}
	near := 0
	for _, f := range []float64{0.3, 0.5, 0.6, 0.7, 0.8, 0.9} {
		at, err := r.FindFraction(r.Threads()[0].ID, f)
		if err != nil {
			t.Fatal(err)
		}
		n, err := lazy.RevealAlone(context.Background(), r.Tree(true), at)
		if err != nil || n.IsThread() {
			t.Fatal(err)
		}
		whole := seen(n.Position())
		was := reportNear
		reportNear = 1 << 12
		part := seen(n.Position())
		reportNear = was
		has := make(map[string]bool)
		for _, l := range whole {
			has[l.Handle+l.Text] = true
		}
		for _, l := range part {
			if l.Omits == 0 && !has[l.Handle+l.Text] {
				t.Errorf("at %v: %s %s is not among\n%+v", f, l.Handle, l.Text, whole)
			}
			near += b2i(l.Omits < 0)
		}
	}
	if near == 0 {
		t.Error("nothing was used often: the test tests nothing")
	}
}

// TestReportLeavesOut: what is left out is counted where it was, with what was not read; the important lines stay.
func TestReportLeavesOut(t *testing.T) {
	part := ReportPart{Title: "calls", More: "tracex print t.bin", Lines: []ReportLine{{Handle: "#1", Text: "root"}, {Depth: 1, Omits: 40}}}
	for i := range 30 {
		part.Lines = append(part.Lines, ReportLine{Depth: 1, Handle: fmt.Sprintf("#%d", i+50), Text: strings.Repeat("x", 50), Rank: 30 - i})
	}
	part.Lines = append(part.Lines, ReportLine{Depth: 1, Handle: "#99", Text: "failed here", Here: true})
	r := &Report{Title: "title", Facts: []string{"fact"}, Parts: []ReportPart{part, {Title: "other", Lines: []ReportLine{{Text: "unimportant", Rank: 99}}}}}
	text := r.Text(ReportFormat{Size: 600})
	mustHave(t, text, "title\n", "fact", "calls · tracex print t.bin\n", "#1   root\n", "       … 63 more\n", "#73    xxx", "#79    xxx", "→ #99    failed here\n", "left out: other (1 line)")
	if strings.Contains(text, "unimportant") {
		t.Error(text)
	}
	part.Lines[1].Omits = -1
	mustHave(t, r.Text(ReportFormat{Size: 600, Markdown: true}), "### title\n", "#### calls · `tracex print t.bin`\n```text\n", "… more\n", "```\n")
}

// failing writes a trace of a test that goes on after its failure: work returns an error, and throws and catches an exception, so many times before
// it and after it.
type failing struct {
	*formattest.Builder
	test, helper, price, add, work int32
	failed                         int32 // class
}

func newFailing(t *testing.T) *failing {
	w := &failing{Builder: formattest.NewBuilderOf(t, format.V27)}
	void := format.Type{Kind: format.TypeVoid}
	w.test, w.helper, w.work = w.Method("pay", "TestPay", void), w.Method("pay", "helper", void), w.Method("pay", "work", void)
	w.price, w.add = w.Method("pay", "price", formattest.IntType), w.Method("pay", "add", formattest.IntType)
	w.failed = w.Class("pay.Refused")
	w.Name("goroutine 6 pay.TestPay ← 1 testing.T.Run testing.go:2101")
	return w
}

// begin begins a call.
func (w *failing) begin(at, method int32) {
	w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: at, Ref: method, Target: format.Null()})
}

// returns writes a call that returned an error with a text.
func (w *failing) returns(at, method int32, text string) {
	w.begin(at, method)
	v := format.Value{Kind: format.ValueException, ClassID: w.failed, Captured: &format.Captured{Message: &text}}
	w.Footer(format.ClassCall, &format.Footer{Result: v})
}

// throws writes a throw of an exception of a class, and a catch if that is recorded.
func (w *failing) throws(class string, caught bool) {
	p := format.Point{Class: format.ClassThrow, Diff: format.DiffNone, Location: -1, Target: format.Null(), Value: format.Value{Kind: format.ValueException, ClassID: w.Class(class)}}
	w.Point(&p)
	if caught {
		p.Class = format.ClassCatch
		w.Point(&p)
	}
}

// sectionOf returns the texts of the lines of a section.
func sectionOf(r *Report, title string) (list []string) {
	for _, p := range r.Parts {
		if p.Title == title {
			for _, l := range p.Lines {
				list = append(list, l.Text)
			}
		}
	}
	return list
}

// TestReportBefore: what was thrown and returned after the failure is not told, however much of it there is, and what was before it is.
func TestReportBefore(t *testing.T) {
	was, errs := reportExceptions, mostReturned
	t.Cleanup(func() { reportExceptions, mostReturned = was, errs })
	w := newFailing(t)
	first, second := w.Place("pay_test.go", "pay", "TestPay", 21), w.Place("pay_test.go", "pay", "TestPay", 30)
	var event int32
	w.Call(-1, w.test, func() {
		for i := range 3 {
			w.throws(fmt.Sprintf("early%d", i), true)
			w.returns(-1, w.work, fmt.Sprintf("before%d", i))
		}
		event = w.Event
		w.returns(first, w.work, "failing")
		for i := range 40 {
			w.returns(second, w.work, fmt.Sprintf("after%d", i))
			w.throws(fmt.Sprintf("late%d", i), true)
		}
	})
	path := w.File()
	at, _, err := opened(t, path).Find(context.Background(), lazy.EventHandle(event))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []ReportOptions{
		{Title: "test", Test: true, At: lazy.Position{Thread: 0, At: -1}, Output: "pay_test.go:22: wrong", Places: []SourceLineID{{"pay_test.go", 22}}},
		{Title: "event", At: at},
	} {
		for _, most := range []int{1 << 10, 8} {
			reportExceptions, mostReturned = most, most
			r := reportOf(t, path, o)
			thrown, returned := strings.Join(sectionOf(r, "thrown"), "\n"), strings.Join(sectionOf(r, "errors returned"), "\n")
			mustHave(t, thrown, "early0", "early1", "early2")
			mustHave(t, returned, "before0", "before1", "before2", "failing")
			if strings.Contains(thrown+returned, "late") || strings.Contains(thrown+returned, "after") {
				t.Errorf("%s: it tells what was after the failure:\n%s\n%s", o.Title, thrown, returned)
			}
		}
	}
}

// TestThrowsEnds: the first exception that no call caught is known, however many were caught before.
func TestThrowsEnds(t *testing.T) {
	w := newFailing(t)
	w.begin(-1, w.test)
	for i := range 20 {
		w.throws(fmt.Sprintf("caught%d", i), true)
	}
	w.throws("fatal", false)
	w.Footer(format.ClassCall, &format.Footer{Threw: true})
	path := w.File()
	r := opened(t, path)
	throws := NewThrows(r, Scope{}, 5)
	if err := r.Pass(context.Background(), (&Scope{}).Over(throws)); err != nil {
		t.Fatal(err)
	}
	if e, ok := throws.FirstLeft(); !ok || e.Class != "fatal" || e.Outcome != Left {
		t.Errorf("%v %+v", ok, e)
	}
	was := reportExceptions
	t.Cleanup(func() { reportExceptions = was })
	reportExceptions = 8
	text := reportOf(t, path, ReportOptions{Title: "FAIL", Test: true, At: lazy.Position{Thread: 0, At: -1}}).Text(ReportFormat{})
	mustHave(t, text, "→ #41", "fatal", "thrown", "… ", " more\n", "caught19", "→ #41", "fatal in pay.TestPay(), ended 1 call, not caught")
}

// TestReportFunction: a line is of the function that is declared around it, though no call before it was recorded; without one nothing is said to be
// the last call before it.
func TestReportFunction(t *testing.T) {
	w := newFailing(t)
	w.Place("x_test.go", "pay", "TestPay", 20) // where it is declared: no event is there
	inTest, inHelper := w.Place("x_test.go", "pay", "TestPay", 23), w.Place("x_test.go", "pay", "helper", 7)
	w.Call(-1, w.test, func() {
		w.Call(inTest, w.helper, func() { w.call(inHelper, w.price, 150) })
	})
	path := w.File()
	o := ReportOptions{Title: "FAIL", Test: true, At: lazy.Position{Thread: 0, At: -1}, Output: "x_test.go:21: wrong", Places: []SourceLineID{{"x_test.go", 21}}}
	text := reportOf(t, path, o).Text(ReportFormat{})
	mustHave(t, text, "no recorded call is at a line that the message names, or before it in the function")
	o.Places[0].Line = 24
	mustHave(t, reportOf(t, path, o).Text(ReportFormat{}), "failed at x_test.go:24; the call recorded last before that line of the function is at line 23")
	o.Places[0].Line = 8
	mustHave(t, reportOf(t, path, o).Text(ReportFormat{}), "failed at x_test.go:8; the call recorded last before that line of the function is at line 7")
}

// call writes a call with a result.
func (w *failing) call(at, method int32, result int64) {
	w.begin(at, method)
	w.Footer(format.ClassCall, &format.Footer{Result: formattest.IntValue(result)})
}

// TestReportLine: calls of a line that ran once are one execution; of those that ran several times the last call of the line counts.
func TestReportLine(t *testing.T) {
	w := newFailing(t)
	inner, outer := w.Place("x_test.go", "pay", "TestPay", 21), w.Place("x_test.go", "pay", "TestPay", 21)
	second, third := w.Place("x_test.go", "pay", "TestPay", 25), w.Place("x_test.go", "pay", "TestPay", 25)
	w.Call(-1, w.test, func() {
		w.call(inner, w.price, 99)
		w.call(outer, w.add, 1)
		for i := range int64(3) {
			w.call(second, w.price, 500+i)
			w.call(third, w.add, 600+i)
		}
	})
	path := w.File()
	o := ReportOptions{Title: "FAIL", Test: true, At: lazy.Position{Thread: 0, At: -1}, Output: "x_test.go:21: price 99 refused", Places: []SourceLineID{{"x_test.go", 21}}}
	text := reportOf(t, path, o).Text(ReportFormat{})
	mustHave(t, text, "failed at x_test.go:21", "price(): 99", "add(): 1", "→ ")
	if strings.Contains(text, "several times") {
		t.Error(text)
	}
	o.Output, o.Places = "x_test.go:25: it is 601, from 502\n", []SourceLineID{{"x_test.go", 25}}
	text = reportOf(t, path, o).Text(ReportFormat{})
	mustHave(t, text, "this line called several times", "the last one whose values the message names", "price(): 501", "add(): 601", "→ ")
	if strings.Contains(text, "602") || strings.Contains(text, "502  at") {
		t.Error(text)
	}
}

// TestReportDeep: of many calls around the failure the outermost and the innermost are told, with how many are between them.
func TestReportDeep(t *testing.T) {
	w := newFailing(t)
	const deep = 1000
	var in func(n int)
	in = func(n int) {
		if n < deep {
			w.Call(-1, w.helper, func() { in(n + 1) })
		}
	}
	w.Call(-1, w.test, func() { in(1) })
	path := w.File()
	at, _, err := opened(t, path).Find(context.Background(), lazy.EventHandle(deep-1))
	if err != nil {
		t.Fatal(err)
	}
	r := reportOf(t, path, ReportOptions{Title: "deep", At: at})
	lines := r.Parts[0].Lines
	if len(lines) != reportOuter+reportInner+1 || lines[reportOuter].Omits != deep-reportOuter-reportInner || lines[reportOuter-1].Handle != "#19" ||
		lines[reportOuter+1].Handle != "#700" || !lines[len(lines)-1].Here || lines[len(lines)-1].Handle != "#999" {
		t.Errorf("%d lines: %+v", len(lines), lines[reportOuter-1:reportOuter+2])
	}
}

// TestReportTitles: titles are one line, and no marks of Markdown; words of commands are quoted.
func TestReportTitles(t *testing.T) {
	r := &Report{Title: "FAIL *Test_X*\x1b[2J", Parts: []ReportPart{{Title: "parts from a\nb`c`", Lines: []ReportLine{{Text: "line"}}}}}
	mustHave(t, r.Text(ReportFormat{Markdown: true}), "### FAIL \\*Test\\_X\\*\\\\x1b\\[2J\n", "#### parts from a\\\\nb\\`c\\`\n")
	mustHave(t, r.Text(ReportFormat{}), "FAIL *Test_X*\\x1b[2J\n", "\nparts from a\\nb`c`\n")
	if got := shellQuoted("it's"); got != `'it'\''s'` {
		t.Error(got)
	}
	if hint := Hint(&ColumnError{Name: "arg.x", Why: "no call has it"}); hint != "" {
		t.Error(hint)
	}
}

// TestReportProcesses: what another process did that the test started is not told as that of a goroutine.
func TestReportProcesses(t *testing.T) {
	w := formattest.NewBuilder(t)
	run := w.Method("app", "run", format.Type{Kind: format.TypeVoid})
	for i, name := range []string{"shop 1 › main", "shop 2 › main", "shop 2 › goroutine 3 app.child ← 1 app.main app.go:9", "shop 1 › goroutine 7 app.work ← 1 app.main app.go:3"} {
		w.Thread(int32(i))
		w.Name(name)
		if i < 2 {
			p := format.Process{Number: int64(i + 1), PID: int64(i + 1), Program: "shop", Parent: int64(i), Via: int64(i + 1), Shown: fmt.Sprint("shop ", i+1), Named: true}
			w.Text((&format.ProcessNote{Process: p}).String())
		}
		w.Call(-1, run, func() {})
	}
	r := reportOf(t, w.File(), ReportOptions{Title: "test", Test: true, At: lazy.Position{Thread: 0, At: -1}})
	if got := strings.Join(sectionOf(r, "goroutines that it started"), "\n"); !strings.Contains(got, "app.work: ended") || strings.Contains(got, "app.child") || strings.HasPrefix(got, ": ") {
		t.Errorf("%s", got)
	}
}
