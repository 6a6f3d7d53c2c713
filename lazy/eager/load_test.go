package eager

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/lines"
	"tracex/lazy/internal/times"
)

// TestEagerCrash compares with the output of the reference's eager loader for a
// recording that was cut off. Its rules for open containers are not ours:
// the result of an open call is null, an open loop has no iterations, and
// threads are in the order of their first block, without a name. The test prints open
// points by these rules; all other lines must be the same.
// Since version 27 an open call has the same result as ours.
func TestEagerCrash(t *testing.T) {
	for _, name := range []string{"crash", "crash.v27"} {
		t.Run(name, func(t *testing.T) { eagerCrash(t, name+".stream") })
	}
}

func eagerCrash(t *testing.T, name string) {
	data := formattest.RecordedData(t, name+".bin")
	f := loadRecorded(t, name+".bin")
	if !errors.Is(f.Problem, format.ErrTruncated) {
		t.Fatalf("problem %v", f.Problem)
	}
	var order []int32
	for s := format.NewBytesScanner(data); s.Next(); {
		if o := s.Object(); o.Kind == format.KindBlockStart && !slices.Contains(order, o.Thread) {
			order = append(order, o.Thread)
		}
	}
	var out bytes.Buffer
	text := lines.New(&out, f.Context, f.Context.Version(), PrintOptions{})
	open := 0
	for _, id := range order {
		i := slices.IndexFunc(f.Threads, func(t *Thread) bool { return t.ID == id })
		text.Thread(id, f.Threads[i].Name, true, times.None)
		for root := range f.Threads[i].Roots() {
			open += printTheirs(t, text, root, format.Parent{}, 0)
		}
	}
	if err := text.Flush(); err != nil {
		t.Fatal(err)
	}
	if open < len(order) {
		t.Errorf("%d open points in %d threads", open, len(order))
	}
	formattest.SameText(t, out.Bytes(), formattest.Recorded(t, name+".eager.txt"))

	out.Reset()
	if err := f.Print(&out, PrintOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), ": <unfinished method>\n"); n == 0 || strings.Contains(out.String(), "loop(0 iterations)") {
		t.Errorf("%d unfinished calls, open loops counted: %v", n, !strings.Contains(out.String(), "loop(0 iterations)"))
	}
}

// printTheirs prints a tree with the footers of open points as the reference
// shows them. It returns the number of open points.
func printTheirs(t *testing.T, l *lines.Writer, n Node, parent format.Parent, depth int) (open int) {
	var p format.Point
	var f format.Footer
	if err := errors.Join(n.Point(&p), n.Footer(&f)); err != nil {
		t.Fatal(err)
	}
	if !n.Finished() {
		open++
		f = format.Footer{Result: format.Null()}
		if n.thread.version >= format.V27 {
			f = format.Unfinished(p.Class)
		}
	}
	l.Point(&p, &f, parent, -1, depth, times.None)
	for c := range n.Children() {
		open += printTheirs(t, l, c, format.ParentOf(&p), depth+1)
	}
	return open
}

func TestEagerNotATrace(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want error
	}{
		{"", format.ErrNotTrace},
		{"hello, world: this is some text", format.ErrNotTrace},
		{string(format.AppendIndexHeader(nil, format.V22)), format.ErrNotTrace},
		{string(format.AppendDataHeader(nil, format.V22)[:12]), format.ErrTruncated},
		{string(format.AppendDataHeader(nil, format.V22)[:15]) + "\x15", format.ErrVersion},
	} {
		f, err := Load(strings.NewReader(tc.in))
		if f != nil || !errors.Is(err, tc.want) {
			t.Errorf("%q: forest %v, error %v, want %v", tc.in, f, err, tc.want)
		}
	}
}

// TestEagerTruncated cuts a trace at every byte: everything before the cut is loaded.
func TestEagerTruncated(t *testing.T) {
	data := formattest.RecordedData(t, "roots.dump.bin")
	before := 0
	for n := format.HeaderSize; n <= len(data); n++ {
		f, err := Load(bytes.NewReader(data[:n]))
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if (f.Problem == nil) != (n == len(data)) {
			t.Errorf("%d bytes: problem %v", n, f.Problem)
		}
		points := 0
		for _, t := range f.Threads {
			points += t.Points()
		}
		if points < before {
			t.Errorf("%d bytes: %d points, with a byte less %d", n, points, before)
		}
		before = points
		printAll(t, f)
	}
	if before != 13 {
		t.Errorf("%d points in all", before)
	}
}

// TestEagerDamaged changes each byte of a trace: a result or an error.
func TestEagerDamaged(t *testing.T) {
	data := formattest.RecordedData(t, "roots.dump.bin")
	for i := range data {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			b := bytes.Clone(data)
			b[i] ^= flip
			f, err := Load(bytes.NewReader(b))
			if (f == nil) == (err == nil) {
				t.Fatalf("byte %d: forest %v and error %v", i, f, err)
			}
			if f != nil {
				printAll(t, f)
			}
		}
	}
}

func printAll(t *testing.T, f *Forest) {
	t.Helper()
	for _, o := range []PrintOptions{{}, {Folded: true, Verbose: true, Escape: true}} {
		var out bytes.Buffer
		if err := f.Print(&out, o); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEagerDeep nests 100,000 calls, all of which folding must look at.
func TestEagerDeep(t *testing.T) {
	const depth = 100_000
	w := formattest.NewBuilder(t)
	method := w.Method("a.Tree", "getNode", format.Type{Kind: format.TypeInt})
	for range depth {
		w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: method, Target: format.Null()})
	}
	for range depth {
		w.Footer(format.ClassCall, &format.Footer{Result: format.Null()})
	}
	f := loadBuilt(t, w)
	if f.Problem != nil || f.Threads[0].Points() != depth {
		t.Fatalf("%d points, problem %v", f.Threads[0].Points(), f.Problem)
	}
	var out formattest.CountLines
	if err := f.Print(&out, PrintOptions{Folded: true, MaxDepth: 20_000}); err != nil {
		t.Fatal(err)
	}
	if out != 20_003 { // with one for the calls left out
		t.Errorf("%d lines", out)
	}
}

// TestEagerParents: going up from each child leads to where it was found, and counts agree with what is found.
func TestEagerParents(t *testing.T) {
	f := loadRecorded(t, "shapes.stream.bin")
	points, deepest := 0, 0
	var walk func(n Node, depth int)
	walk = func(n Node, depth int) {
		points++
		deepest = max(deepest, depth)
		children := 0
		for c := range n.Children() {
			children++
			if up, ok := c.Parent(); !ok || up != n || c.Thread() != n.Thread() {
				t.Fatalf("point %d: parent %v, %v", c.index, up.index, ok)
			}
			walk(c, depth+1)
		}
		if n.Count() != children {
			t.Fatalf("point %d: %d children, found %d", n.index, n.Count(), children)
		}
	}
	all := 0
	for _, th := range f.Threads {
		all += th.Points()
		for root := range th.Roots() {
			if up, ok := root.Parent(); ok {
				t.Fatalf("a root has the parent %d", up.index)
			}
			walk(root, 0)
		}
	}
	if points != all || deepest < 3 {
		t.Errorf("%d points of %d, %d levels", points, all, deepest)
	}
}

// TestPrintNowhere: without a writer it goes to standard output.
func TestPrintNowhere(t *testing.T) {
	f := loadRecorded(t, "roots.dump.bin")
	var want bytes.Buffer
	if err := f.Print(&want, PrintOptions{}); err != nil {
		t.Fatal(err)
	}
	got := formattest.Stdout(t, func() {
		if err := f.Print(nil, PrintOptions{}); err != nil {
			t.Error(err)
		}
	})
	formattest.SameText(t, got, want.Bytes())
}
