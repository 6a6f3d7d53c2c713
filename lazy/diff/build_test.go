package diff

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// written makes a trace of a text: a line for each call with its arguments and result, indented below the one that it is in; x=5
// writes a variable; loop and iteration are what they say; "thread NAME" begins a thread; "open" after a call leaves it without an end.
//
//	main
//	  load 17 > 3
//	    x=5
func written(t *testing.T, text string) *lazy.LazyTraceReader {
	t.Helper()
	w := formattest.NewBuilder(t)
	w.Text("of this trace alone: " + text[:min(len(text), 1000)]) // ids differ from trace to trace
	methods := map[string]int32{}
	type open struct {
		depth int
		end   func()
	}
	var stack []open
	threads := int32(0)
	leave := func(depth int) {
		for len(stack) > 0 && stack[len(stack)-1].depth >= depth {
			stack[len(stack)-1].end()
			stack = stack[:len(stack)-1]
		}
	}
	for line := range strings.Lines(text) {
		body := strings.TrimSpace(line)
		if body == "" {
			continue
		}
		depth := len(line) - len(strings.TrimLeft(line, "\t "))
		leave(depth)
		if name, ok := strings.CutPrefix(body, "thread "); ok {
			if threads > 0 {
				w.Thread(threads)
			}
			threads++
			w.Name(name)
			continue
		}
		writeLine(w, body, methods, func(end func()) { stack = append(stack, open{depth, end}) })
	}
	leave(0)
	r, err := lazy.Open(w.File(), lazy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r
}

// writeLine writes a line of written. begun is called for what has children.
func writeLine(w *formattest.Builder, body string, methods map[string]int32, begun func(end func())) {
	id := func(name string, make func() int32) int32 {
		if _, ok := methods[name]; !ok {
			methods[name] = make()
		}
		return methods[name]
	}
	value := func(word string) format.Value {
		if n, err := strconv.Atoi(word); err == nil {
			return formattest.IntValue(int64(n))
		}
		if class, hash, ok := strings.Cut(word, "@"); ok {
			n, _ := strconv.Atoi(hash)
			return format.Value{Kind: format.ValueObject, ClassID: w.Class(class), Bits: int64(n)}
		}
		return format.Value{Kind: format.ValueString, Text: word}
	}
	location := w.Location(w.Event * 7 % 31)
	p := format.Point{Diff: format.DiffNone, Location: location, Target: format.Null()}
	f := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
	switch name, set, ok := strings.Cut(body, "="); {
	case ok:
		p.Class, p.Ref, p.Value = format.ClassVariableWrite, id("="+name, func() int32 { return w.Variable(name) }), value(set)
		w.Point(&p)
		return
	case body == "loop":
		p.Class = format.ClassLoop
	case body == "iteration":
		p.Class, p.Number = format.ClassIteration, w.Event
	default:
		call, result, has := strings.Cut(body, " > ")
		if has {
			f.Result = value(result)
		}
		words := strings.Fields(call)
		p.Class, p.Ref = format.ClassCall, id(words[0], func() int32 { return w.Method("app.Main", words[0], formattest.IntType) })
		for _, a := range words[1:] {
			p.Args = append(p.Args, value(a))
		}
	}
	w.Point(&p)
	begun(func() { w.Footer(p.Class, &f) })
}

// told returns the steps of a diff as text: what is removed, added and edited, with what is around it, and how many equal siblings.
func told(t *testing.T, d *Diff) string {
	t.Helper()
	var b strings.Builder
	depth := 0
	line := func(format string, args ...any) {
		b.WriteString(strings.Repeat("\t", depth))
		fmt.Fprintf(&b, format+"\n", args...)
	}
	var threads [2]int32
	name := func(on int, at int64) string { return rowAt(t, d.readers[on], threads[on], at) }
	for s, err := range d.script.all() {
		if err != nil {
			t.Fatal(err)
		}
		more := ""
		for i, on := range [...]bool{s.quiet, s.moved, s.named} {
			if on {
				more += [...]string{" quiet", " moved", " renamed"}[i]
			}
		}
		switch s.kind {
		case stepThread:
			threads = [2]int32{int32(s.a), int32(s.b)}
			line("threads %d %d", s.a, s.b)
			depth++
		case stepExit:
			depth--
		case stepEqual:
			line("%d equal%s", s.n, more)
		case stepRemoved:
			line("- %s%s", name(0, s.a), more)
		case stepAdded:
			line("+ %s%s", name(1, s.b), more)
		case stepPair:
			line("! %s | %s%s", name(0, s.a), name(1, s.b), more)
		case stepEnter:
			if s.own {
				line("! %s | %s%s", name(0, s.a), name(1, s.b), more)
			} else {
				line("%s%s", name(1, s.b), more)
			}
			depth++
		}
	}
	return b.String()
}

// rowAt returns the text of a point.
func rowAt(t *testing.T, r *lazy.LazyTraceReader, thread int32, at int64) (row string) {
	tree := r.Tree(false)
	n, err := tree.Reveal(context.Background(), lazy.Position{Thread: thread, At: at})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(tree.AppendText(nil, n, false)), "Main.")
}

// compared returns the steps of a diff, and checks that the diff of the two in the other order mirrors it.
func compared(t *testing.T, a, b *lazy.LazyTraceReader, o Options) (text string, c Counts) {
	t.Helper()
	run := func(a, b *lazy.LazyTraceReader) (string, Counts) {
		d := New(a, b, o)
		defer d.Close()
		if err := d.Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		return told(t, d), d.Counts()
	}
	text, c = run(a, b)
	if _, back := run(b, a); back.Removed != c.Added || back.Added != c.Removed || back.Edited != c.Edited || back.Moved != c.Moved || back.Renamed != c.Renamed {
		t.Errorf("from A to B %+v, from B to A %+v", c, back)
	}
	return text, c
}

// TestSteps has pairs of traces, and what is different between them.
func TestSteps(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"nothing", "thread main\nmain\n\tload 1", "thread main\nmain\n\tload 1", "threads 0 0\n\t1 equal\n"},
		{"an argument", "thread main\nmain\n\tload 1\n\tx=1\n\tsave 2", "thread main\nmain\n\tload 1\n\tx=1\n\tsave 3",
			"threads 0 0\n\tmain()\n\t\t2 equal\n\t\t! save(2) | save(3)\n"},
		{"a result", "thread main\nmain\n\tload 1 > 5\n\t\tx=1", "thread main\nmain\n\tload 1 > 6\n\t\tx=1",
			"threads 0 0\n\tmain()\n\t\t! load(1): 5 | load(1): 6\n\t\t\t1 equal\n"},
		{"a value", "thread main\nmain\n\tx=1\n\ty=2", "thread main\nmain\n\tx=1\n\ty=3", "threads 0 0\n\tmain()\n\t\t1 equal\n\t\t! y = 2 | y = 3\n"},
		{"a call removed", "thread main\nmain\n\ta 1\n\tb 1\n\tc 1", "thread main\nmain\n\ta 1\n\tc 1", "threads 0 0\n\tmain()\n\t\t1 equal\n\t\t- b(1)\n\t\t1 equal\n"},
		{"an iteration at the start", "thread main\nmain\n\tloop\n\t\titeration\n\t\t\tx=1\n\t\titeration\n\t\t\tx=2",
			"thread main\nmain\n\tloop\n\t\titeration\n\t\t\tx=0\n\t\titeration\n\t\t\tx=1\n\t\titeration\n\t\t\tx=2",
			"threads 0 0\n\tmain()\n\t\tloop(0 iterations)\n\t\t\t+ <iteration 3>\n\t\t\t2 equal\n"},
		{"objects of a class", "thread main\nmain\n\tload Item@1", "thread main\nmain\n\tload Item@2", "threads 0 0\n\t1 equal\n"},
		{"moved", "thread main\nmain\n\ta 1\n\t\taudit 7\n\t\t\tx=1\n\t\t\ty=2\n\tb 1\n\t\tx=9", "thread main\nmain\n\ta 1\n\tb 1\n\t\tx=9\n\t\taudit 7\n\t\t\tx=1\n\t\t\ty=2",
			"threads 0 0\n\tmain()\n\t\ta(1)\n\t\t\t- audit(7) moved\n\t\tb(1)\n\t\t\t1 equal\n\t\t\t+ audit(7) moved\n"},
		{"renamed", "thread main\nmain\n\ta 1\n\told 7\n\t\tx=1\n\t\ty=2", "thread main\nmain\n\ta 1\n\tnew 7\n\t\tx=1\n\t\ty=2",
			"threads 0 0\n\tmain()\n\t\t1 equal\n\t\t- old(7) renamed\n\t\t+ new(7) renamed\n"},
		{"another worker", "thread w-1\nrun\n\ttask 1\n\t\tx=1\n\t\ty=1\n\ttask 2\n\t\tx=2\n\t\ty=2\nthread w-2\nrun\n\ttask 3\n\t\tx=3\n\t\ty=3",
			"thread w-1\nrun\n\ttask 1\n\t\tx=1\n\t\ty=1\nthread w-2\nrun\n\ttask 3\n\t\tx=3\n\t\ty=3\n\ttask 2\n\t\tx=2\n\t\ty=2",
			"threads 0 0\n\trun()\n\t\t1 equal\n\t\t- task(2) quiet moved\nthreads 1 1\n\trun()\n\t\t1 equal\n\t\t+ task(2) quiet moved\n"},
		{"a thread", "thread main\nmain\n\ta 1", "thread main\nmain\n\ta 1\nthread net\nsend 1", "threads 0 0\n\t1 equal\nthreads -1 1\n\t+ send(1)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := written(t, c.a), written(t, c.b)
			got, counts := compared(t, a, b, Options{})
			if got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if same := !strings.ContainsAny(c.want, "-+!") || counts.Elsewhere > 0; same != (counts.Differences() == 0) {
				t.Errorf("%+v", counts)
			}
		})
	}
}

// TestQuiet: what differs between two runs of one program does not count.
func TestQuiet(t *testing.T) {
	old := written(t, "thread main\nmain\n\tnow > 1\n\tload 1\n\tid 5\n\tload 2")
	old2 := written(t, "thread main\nmain\n\tnow > 2\n\tload 1\n\tid 6\n\tload 2")
	other := written(t, "thread main\nmain\n\tnow > 3\n\tload 1\n\tid 7\n\tload 3")
	noise := New(old, old2, Options{})
	defer noise.Close()
	if err := noise.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	quiet := map[uint64]bool{}
	noise.Groups(quiet)
	got, c := compared(t, old, other, Options{Quiet: quiet})
	want := "threads 0 0\n\tmain()\n\t\t1 equal quiet\n\t\t1 equal\n\t\t1 equal quiet\n\t\t! load(2) | load(3)\n"
	if got != want || c.Differences() != 1 || c.Quiet != 2 {
		t.Errorf("%+v, got\n%swant\n%s", c, got, want)
	}
	if got, c = compared(t, old, old2, Options{Quiet: quiet}); got != "threads 0 0\n\t1 equal quiet\n" || c.Differences() != 0 {
		t.Errorf("two runs of one program: %+v\n%s", c, got)
	}
}

// TestChosen: two calls that a user compares are partners, also if they are of different methods.
func TestChosen(t *testing.T) {
	r := written(t, "thread main\nmain\n\tload 1\n\t\tx=1\n\t\ty=2\n\tsave 1\n\t\tx=1\n\t\ty=3")
	a, b := lazy.EventHandle(1), lazy.EventHandle(4)
	got, c := compared(t, r, r, Options{A: &a, B: &b})
	if want := "threads 0 0\n\t! load(1) | save(1)\n\t\t1 equal\n\t\t! y = 2 | y = 3\n"; got != want || c.Edited != 2 {
		t.Errorf("%+v, got\n%swant\n%s", c, got, want)
	}
}

// TestGoroutines: the number of the goroutine that a go statement made makes no difference.
func TestGoroutines(t *testing.T) {
	trace := func(made string) *lazy.LazyTraceReader {
		w := formattest.NewBuilder(t)
		w.Name("main")
		w.Go(w.Location(7), w.Method("main", "go worker", formattest.IntType), made)
		r, err := lazy.Open(w.File(), lazy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range []struct {
		a, b string
		want int64
	}{{"goroutine 19", "goroutine 7", 0}, {"goroutine 19", "≈ goroutine 7", 0}, {"goroutine 19", "goroutines 7", 1}, {"goroutine 19", "", 1}} {
		if got, n := compared(t, trace(c.a), trace(c.b), Options{}); n.Differences() != c.want {
			t.Errorf("%s and %s: %+v\n%s", c.a, c.b, n, got)
		}
	}
}
