package query

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/eager"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// ownTree is a tree in memory, from which the lines of calls are computed plainly.
type ownTree struct {
	point  *format.Point
	foot   *format.Footer // nil for a leaf, and while it is not known
	kids   []*ownTree
	parent *ownTree
	time   lazy.Time
	timed  bool
}

// own returns what a call itself did, in order.
func (x *ownTree) own() (list []*ownTree) {
	for _, k := range x.kids {
		list = append(list, k)
		if k.point.Class != format.ClassCall {
			list = append(list, k.own()...)
		}
	}
	return list
}

// plainLines computes the lines of a call: a line of text for each act and for each line, in no order.
func plainLines(c *format.Context, x *ownTree, most int) (out []string, left int) {
	list := x.own()
	if x.point.Class != format.ClassCall {
		list = append([]*ownTree{x}, list...)
	}
	if left = max(0, len(list)-most); left > 0 {
		list = list[:most]
	}
	type line struct{ events, iterations, most int }
	type act struct {
		count, threw, iterations int
		time                     int64
		last                     string
		timed                    bool
	}
	lines, acts, nowhere := make(map[string]*line), make(map[string]*act), 0
	for _, n := range list {
		p := n.point
		file, number, ok := c.FileLine(p.Location)
		if !ok || number <= 0 {
			nowhere++
			continue
		}
		where := fmt.Sprintf("%s:%d", file, number)
		if lines[where] == nil {
			lines[where] = new(line)
		}
		lines[where].events++
		if p.Class == format.ClassIteration {
			lines[where].iterations++
			continue
		}
		what := int64(p.Ref)
		switch p.Class {
		case format.ClassThrow, format.ClassCatch:
			what = int64(p.Value.ClassID)
		case format.ClassArrayRead, format.ClassArrayWrite, format.ClassSnapshot:
			what = 0
		}
		key := fmt.Sprint(where, " ", p.Class, p.Diff, p.Location, what)
		a := acts[key]
		if a == nil {
			a = &act{timed: p.Class == format.ClassCall}
			acts[key] = a
		}
		a.count++
		lines[where].most = max(lines[where].most, a.count)
		parent := format.Parent{}
		if n.parent != nil {
			parent = format.ParentOf(n.parent.point)
		}
		text := c.AppendText(nil, p, n.foot, parent, false)
		var value string
		switch {
		case !p.Class.Container():
			if p.Class != format.ClassSnapshot {
				value = string(c.AppendValueText(nil, &p.Value))
			}
		case n.foot == nil:
		case p.Class == format.ClassLoop:
			a.iterations += int(n.foot.Iterations)
		case n.foot.Threw || n.foot.Exception != "":
			a.threw++
			value = string(format.AppendPlain(nil, n.foot.Exception))
		case n.foot.Result.Kind != format.ValueVoid:
			value = string(c.AppendValueText(nil, &n.foot.Result))
		}
		if a.timed = a.timed && n.timed; a.timed {
			a.time += n.time.Duration
		}
		a.last = fmt.Sprintf("%s = %s #%d", cutText(text, longestHeld), cutText([]byte(value), longestHeld), p.Event)
	}
	for where, x := range lines {
		out = append(out, fmt.Sprintf("%s %d events, ran %d times", where, x.events, max(x.most, x.iterations)))
	}
	for key, a := range acts {
		where, _, _ := strings.Cut(key, " ")
		if !a.timed {
			a.time = 0
		}
		out = append(out, fmt.Sprintf("%s %s count %d threw %d iterations %d time %d %v", where, a.last, a.count, a.threw, a.iterations, a.time, a.timed))
	}
	out = append(out, fmt.Sprintf("%d nowhere", nowhere))
	slices.Sort(out)
	return out, left
}

// linesText writes what was found as plainLines does.
func linesText(f *LinesFound) (out []string) {
	for _, x := range f.Lines {
		where := fmt.Sprintf("%s:%d", x.File, x.Line)
		out = append(out, fmt.Sprintf("%s %d events, ran %d times", where, x.Events, x.Runs))
		for _, a := range x.Acts {
			if !a.Timed {
				a.Time = 0
			}
			out = append(out, fmt.Sprintf("%s %s = %s #%d count %d threw %d iterations %d time %d %v", where, a.Text, a.Value, a.Last.Event, a.Count, a.Threw, a.Iterations, a.Time, a.Timed))
		}
	}
	out = append(out, fmt.Sprintf("%d nowhere", f.Nowhere))
	slices.Sort(out)
	return out
}

// compareLines compares the lines of a call, and those of its first points, with the plain computation.
func compareLines(t *testing.T, r *lazy.LazyTraceReader, raw bool, c *format.Context, x *ownTree, at lazy.Position) {
	t.Helper()
	for _, most := range []int{MostOwn, 7} {
		if most == 7 && len(x.kids) < 3 {
			continue
		}
		l := NewLines(r, LinesOptions{Raw: raw, At: HistoryPoint{at, x.point.Event}, Most: int64(most)})
		if err := l.Run(t.Context()); errors.Is(err, ErrNoLines) && !hasLines(c) {
			return
		} else if err != nil {
			t.Fatalf("#%d, raw %v: %v", x.point.Event, raw, err)
		}
		f := l.Found()
		want, left := plainLines(c, x, most)
		if got := linesText(&f); !slices.Equal(got, want) || f.Left != int64(left) || f.Counting || f.Partial {
			t.Fatalf("#%d, raw %v, the first %d points: %d left, %v, %v\n%s\nwant %d left\n%s", x.point.Event, raw, most, f.Left, f.Counting, f.Partial,
				strings.Join(got, "\n"), left, strings.Join(want, "\n"))
		}
	}
}

// TestLinesEager: the raw lines of every call, in larger traces of every fifth, are those of the trace in memory.
func TestLinesEager(t *testing.T) {
	acts, calls, every, least := 0, 0, 5, 1000
	if formattest.Race {
		every, least = 80, 100
	}
	for _, name := range []string{"gson.dump.bin", "kotlin.stream.bin", "kotlin.v27.stream.bin", "allkinds.v27.dump.bin", "crash.stream.bin", "blocks.stream.bin", "shop.bin"} {
		path := ""
		if name == "shop.bin" {
			path = shop(t)
			os.Remove(path + format.TimesSuffix) // it is not known there
		} else {
			path = formattest.Unpack(t, name, name+format.IndexSuffix)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		forest, err := eager.Load(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		r := opened(t, path)
		var walk func(n eager.Node, parent *ownTree) *ownTree
		walk = func(n eager.Node, parent *ownTree) *ownTree {
			x := &ownTree{point: new(format.Point), parent: parent}
			if err := n.Point(x.point); err != nil {
				t.Fatal(err)
			}
			if x.point.Class.Container() {
				x.foot = new(format.Footer)
				if err := n.Footer(x.foot); err != nil {
					t.Fatal(err)
				}
			}
			for k := range n.Children() {
				x.kids = append(x.kids, walk(k, x))
			}
			if x.point.Class.Container() {
				calls++
			}
			if x.point.Class.Container() && (calls%every == 0 || len(data) < 500<<10 && !formattest.Race) {
				at, err := r.FindEvent(t.Context(), x.point.Event)
				if err != nil {
					t.Fatal(err)
				}
				compareLines(t, r, true, forest.Context, x, at)
				acts += len(x.kids)
			}
			return x
		}
		for _, th := range forest.Threads {
			for n := range th.Roots() {
				walk(n, nil)
			}
		}
	}
	if acts < least {
		t.Errorf("%d points were compared", acts)
	}
}

// ownTreeOf is a point of a tree with what is below it.
func ownTreeOf(x *plainPoint, all map[*plainPoint]*ownTree) *ownTree {
	n := all[x]
	if n != nil {
		return n
	}
	n = &ownTree{point: x.Point()}
	if n.point.Class.Container() && x.State() != lazy.StatePending {
		n.foot = x.Footer()
	}
	n.time, n.timed = x.Time()
	all[x] = n
	if x.parent != nil {
		n.parent = ownTreeOf(x.parent, all)
	}
	for _, k := range x.kids {
		n.kids = append(n.kids, ownTreeOf(k, all))
	}
	return n
}

// lines compares the lines of some calls with those of the tree.
func (w *whole) lines(t *testing.T) {
	_, all := plainPoints(t, w.r, w.raw)
	var c *format.Context
	w.r.WithContext(func(x *format.Context) { c = x })
	trees := make(map[*plainPoint]*ownTree)
	for range min(30, len(all)) {
		if x := all[w.rng.IntN(len(all))]; x.Point().Class.Container() {
			compareLines(t, w.r, w.raw, c, ownTreeOf(x, trees), x.Position())
		}
	}
}

// TestLines: the lines of calls are those of the tree, of traces of all kinds.
func TestLines(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		for _, raw := range []bool{false, true} {
			(&whole{r, raw, rand.New(rand.NewPCG(1, 2))}).lines(t)
		}
	})
}

// TestLinesHere: the line of a point in a call is that of the call's own point that it is, or is in.
func TestLinesHere(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "gson.dump.bin"))
	var c *format.Context
	r.WithContext(func(x *format.Context) { c = x })
	_, all := plainPoints(t, r, false)
	random := rand.New(rand.NewPCG(1, 2))
	deep, tries := 0, 200
	if formattest.Race {
		tries = 40
	}
	for range tries {
		x := all[random.IntN(len(all))]
		child := HistoryPoint{x.Position(), x.Point().Event}
		mine := x
		for up := x.parent; up != nil; up = up.parent {
			l := NewLines(r, LinesOptions{At: HistoryPoint{up.Position(), up.Point().Event}, Child: &child.Position})
			if err := l.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if mine != x {
				deep++
			}
			if file, line, _ := c.FileLine(mine.Point().Location); l.Found().Here != (SourceLineID{file, line}) {
				t.Errorf("#%d in #%d: %+v, want %s:%d", child.Event, up.Point().Event, l.Found().Here, file, line)
			}
			if up.Point().Class == format.ClassCall {
				mine = up
			}
		}
		if p := x.Point(); !p.Class.Container() && x.call() != nil {
			l := NewLines(r, LinesOptions{At: child})
			if err := l.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if f := l.Found(); f.Event != x.call().Point().Event || f.Here.Line == 0 {
				t.Errorf("#%d stands for #%d, %+v", child.Event, f.Event, f.Here)
			}
		}
	}
	if deep < tries/2 {
		t.Errorf("%d deep ones", deep)
	}
}

// fading is a context that ends when it has been asked a number of times.
type fading struct {
	context.Context
	left int
}

func (f *fading) Err() error {
	if f.left--; f.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestLinesStops: a run ends soon after its context, and what was found until then stays.
func TestLinesStops(t *testing.T) {
	r := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.WideCalls, N: 100_000}))
	_, first, _ := rootOf(t, r)
	for _, most := range []int64{MostOwn, 100} {
		was := int64(-1)
		for asked := 4; asked < 14; asked++ {
			l := NewLines(r, LinesOptions{Raw: true, At: first, Most: most})
			if err := l.Run(&fading{t.Context(), asked}); !errors.Is(err, context.Canceled) {
				t.Fatalf("asked %d times: %v", asked, err)
			}
			f := l.Found()
			if seen := f.Looked + f.Left; !f.Partial || f.Looked > most || seen < was || f.Left > 0 && !f.Counting {
				t.Errorf("asked %d times: %d seen after %d, %d looked at, %v", asked, seen, was, f.Looked, f.Partial)
			} else {
				was = seen
			}
		}
		if was <= 0 || was >= 100_000 {
			t.Errorf("%d seen", was)
		}
	}
	l := NewLines(r, LinesOptions{Raw: true, At: first})
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f := l.Found(); f.Looked != MostOwn || f.Left != 100_000-MostOwn {
		t.Errorf("%d looked at, %d left", f.Looked, f.Left)
	} else if notes := strings.Join(f.Table(LinesView{G: &display.Unicode}).Notes, "\n"); !strings.Contains(notes, "only the first 10,000 events of it are in the table; 90,000 more") {
		t.Errorf("the notes are %q", notes)
	}
}

// rootOf returns the first point of the first thread.
func rootOf(t testing.TB, r *lazy.LazyTraceReader) (n *lazy.Node, at HistoryPoint, tree *lazy.Tree) {
	t.Helper()
	tree = r.Tree(false)
	list, err := tree.Range(t.Context(), tree.Threads()[0], 0, 1)
	if err != nil || len(list) == 0 {
		t.Fatalf("no root: %v", err)
	}
	return list[0], HistoryPoint{list[0].Position(), list[0].Point().Event}, tree
}

// TestLinesRefuse: what has no lines is an error that says why.
func TestLinesRefuse(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "kotlin.stream.bin"))
	shown := make(map[int32]bool)
	_, all := plainPoints(t, r, false)
	for _, x := range all {
		shown[x.Point().Event] = true
	}
	hidden, loose := 0, 0
	_, all = plainPoints(t, r, true)
	for i, x := range all {
		if formattest.Race && i%16 != 0 {
			continue
		}
		at := HistoryPoint{x.Position(), x.Point().Event}
		switch err := NewLines(r, LinesOptions{At: at}).Run(t.Context()); {
		case err == nil && !shown[at.Event]:
			t.Errorf("#%d is hidden, but has lines", at.Event)
		case errors.Is(err, ErrHidden):
			hidden++
		case errors.Is(err, lazy.ErrNoCall) && x.call() == nil:
			loose++
		case err != nil:
			t.Errorf("#%d: %v", at.Event, err)
		}
	}
	if hidden == 0 {
		t.Error("nothing is hidden")
	}
	bare := opened(t, formattest.File(t, formattest.Spec{Shape: formattest.Deep, N: 3}))
	_, at, _ := rootOf(t, bare)
	if err := NewLines(bare, LinesOptions{At: at}).Run(t.Context()); (err != nil) != !errors.Is(err, ErrNoLines) && err != nil {
		t.Errorf("%v", err)
	}
}

// TestLinesTable: the table has the lines of the function, with their text if it is known, and then those of other files.
func TestLinesTable(t *testing.T) {
	point := func(line int, acts ...LineAct) SourceLine {
		return SourceLine{SourceLineID: SourceLineID{"A.kt", line}, Events: 1, Runs: 1, Acts: acts}
	}
	f := &LinesFound{Name: "A.pay", Text: "pay(3)", File: "A.kt", First: 4, Last: 30, Here: SourceLineID{"A.kt", 4}, Looked: 3, Lines: []SourceLine{
		point(4, LineAct{Class: format.ClassCall, Text: "f(): 1", Count: 2, Threw: 1}, LineAct{Class: format.ClassVariableWrite, Text: "x = 1", Count: 1}),
		point(30, LineAct{Class: format.ClassLoop, Text: "loop(3 iterations)", Count: 1, Iterations: 3}),
		{SourceLineID: SourceLineID{"B.kt", 9}, Events: 1, Runs: 1, Acts: []LineAct{{Text: "y = 2", Count: 1}}},
	}}
	written := func(v LinesView) string {
		var b strings.Builder
		v.G = &display.Unicode
		if err := table.WriteText(&b, f.Table(v), table.Options{Glyphs: v.G}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := make([]string, 40)
	for i := range text {
		text[i] = fmt.Sprint("text ", i+1)
	}
	text[1] = "fun pay(n) {"
	got := written(LinesView{})
	for _, want := range []string{"   A.kt    ≤4", "▌  A.kt     4      1  f(): 1 ×2 (1 threw) · x = 1\n", "   A.kt    30      1  loop(3 iterations)\n", "   B.kt     9      1  y = 2\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("without text there is no %q in\n%s", want, got)
		}
	}
	got = written(LinesView{Texts: map[string][]string{"A.kt": text}})
	var numbers []string
	for line := range strings.Lines(got) {
		if _, after, ok := strings.Cut(line, "  A.kt "); ok {
			numbers = append(numbers, strings.Fields(after)[0])
		}
	}
	if want := "2 3 4 5 6 7 8 9 25 26 27 28 29 30"; strings.Join(numbers, " ") != want {
		t.Errorf("lines %v, want %s\n%s", numbers, want, got)
	}
	if !strings.Contains(got, "fun pay(n) {") || !strings.Contains(got, "pay(3)") {
		t.Errorf("the function is missing in\n%s", got)
	}
}

// BenchmarkLines is a call with few children, and one with very many.
func BenchmarkLines(b *testing.B) {
	for _, n := range []int{10, 10_000, 1_000_000} {
		for _, shape := range []formattest.Shape{formattest.WideCalls, formattest.Wide} {
			path := formattest.File(b, formattest.Spec{Shape: shape, N: n, Timed: true})
			b.Run(fmt.Sprintf("%s/children=%d", shape, n), func(b *testing.B) {
				r := opened(b, path)
				_, at, _ := rootOf(b, r)
				var f LinesFound
				for b.Loop() {
					l := NewLines(r, LinesOptions{At: at})
					if err := l.Run(b.Context()); err != nil {
						b.Fatal(err)
					}
					f = l.Found()
				}
				b.ReportMetric(float64(f.Looked), "looked")
			})
		}
	}
}

// TestLinesEnd: a function ends with the bracket of its head, or before what is indented as its head is.
func TestLinesEnd(t *testing.T) {
	goText := []string{"func (a *A) run() {", "\tstep()", "\tif late {", "\t\treturn", "\t}", "\tlast()", "}", "", "func other() {", "}"}
	python := []string{"class A:", "    def run(self):", "        step()", "", "        return 1", "", "    def other(self):", "        pass"}
	one := []string{"func run() { step() }", "func other() {}"}
	for i, c := range []struct {
		text              []string
		first, last, want int
	}{
		{goText, 2, 2, 7}, {goText, 2, 6, 7}, {goText, 1, 7, 7}, {goText, 9, 9, 10}, {goText, 2, 12, 0}, {nil, 2, 2, 0},
		{python, 3, 3, 5}, {python, 3, 5, 5}, {python, 8, 8, 8},
		{one, 1, 1, 1},
	} {
		f := &LinesFound{Name: "A.run", First: c.first, Last: c.last}
		if c.first > 8 || c.first == 8 && &c.text[0] == &python[0] {
			f.Name = "other"
		}
		if got := f.Ends(c.text); got != c.want {
			t.Errorf("%d: %d, want %d", i, got, c.want)
		}
	}
}
