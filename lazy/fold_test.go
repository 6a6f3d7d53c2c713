package lazy

import (
	"bytes"
	"strings"
	"testing"

	"tracex/format"
)

var intType = format.Type{Kind: format.TypeInt}

// loadBuilt loads what a builder has written.
func loadBuilt(t *testing.T, w *traceBuilder) *Forest {
	t.Helper()
	f, err := LoadAll(bytes.NewReader(w.whole()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// builtTree returns what a trace prints, without the line of the thread.
func builtTree(t *testing.T, w *traceBuilder, o PrintOptions) string {
	t.Helper()
	f := loadBuilt(t, w)
	if f.Problem != nil {
		t.Fatal(f.Problem)
	}
	var out bytes.Buffer
	if err := f.Print(&out, o); err != nil {
		t.Fatal(err)
	}
	_, tree, _ := strings.Cut(out.String(), "\n")
	return tree
}

// TestFold has a case for each rule and for what comes close to it.
func TestFold(t *testing.T) {
	tests := []struct {
		name  string
		build func(w *traceBuilder)
		want  string // verbose
	}{
		{"default arguments", func(w *traceBuilder) {
			x := w.variable("x")
			w.call(w.location(1), w.method("a.A", "f$default", intType), func() {
				w.call(w.location(2), w.method("a.A", "f", intType), func() { w.access(format.ClassVariableRead, -1, x) })
			})
		}, "A.f(): 7 at <unknown>:1\n  x ➜ 5 at :0\n"},
		{"default of another class", func(w *traceBuilder) {
			w.call(w.location(1), w.method("a.A", "f$default", intType), func() {
				w.call(w.location(2), w.method("a.B", "f", intType), nil)
			})
		}, "A.f$default(): 7 at <unknown>:1\n  B.f(): 7 at <unknown>:2\n"},
		{"access to default", func(w *traceBuilder) {
			w.call(w.location(1), w.method("a.A", "access$f$default", intType), func() {
				w.call(w.location(2), w.method("a.A", "f$default", intType), func() {
					w.call(w.location(3), w.method("a.A", "f", intType), nil)
				})
			})
		}, "A.access$f$default(): 7 at <unknown>:1\n  f(): 7 at <unknown>:2\n"}, // the child is f by then
		{"access", func(w *traceBuilder) {
			w.call(w.location(1), w.method("a.A", "access$f", intType), func() {
				w.call(w.location(2), w.method("a.A", "f", intType), nil)
			})
		}, "A.f(): 7 at <unknown>:1\n"},
		{"synthetic get", func(w *traceBuilder) {
			x, f := w.variable("x"), w.field("a.B", "f")
			w.callAs(format.DiffEditedNew, w.location(1), w.method("a.A", "access$getF$p", intType), func() {
				w.access(format.ClassVariableRead, -1, x)
				w.access(format.ClassFieldRead, w.location(2), f)
			})
		}, "+ B.f ➜ 5 at <unknown>:1\n"},
		{"synthetic set needs three", func(w *traceBuilder) {
			x, f := w.variable("x"), w.field("a.B", "f")
			set := w.method("a.A", "access$setF$p", intType)
			for n := 1; n <= 3; n++ {
				w.call(w.location(1), set, func() {
					for range n {
						w.access(format.ClassVariableRead, -1, x)
					}
					w.access(format.ClassFieldWrite, w.location(2), f)
				})
			}
		}, "A.access$setF$p(): 7 at <unknown>:1\n  x ➜ 5 at :0\n  B.f = 5 at <unknown>:2\n" +
			"B.f = 5 at <unknown>:1\n" +
			"A.access$setF$p(): 7 at <unknown>:1\n  x ➜ 5 at :0\n  x ➜ 5 at :0\n  x ➜ 5 at :0\n  B.f = 5 at <unknown>:2\n"},
		{"getter", func(w *traceBuilder) {
			f := w.field("a.A", "name")
			w.callAs(format.DiffEditedOld, w.location(1), w.method("a.A", "getName", intType), func() { w.access(format.ClassFieldRead, w.location(2), f) })
		}, "- A.name ➜ 5 at <unknown>:1\n"},
		{"getter of another type", func(w *traceBuilder) {
			f := w.field("a.A", "name")
			w.call(w.location(1), w.method("a.A", "getName", format.Type{Kind: format.TypeLong}), func() { w.access(format.ClassFieldRead, w.location(2), f) })
		}, "A.getName(): 7 at <unknown>:1\n  A.name ➜ 5 at <unknown>:2\n"},
		{"getter of another field", func(w *traceBuilder) {
			f := w.field("a.A", "title")
			w.call(w.location(1), w.method("a.A", "getName", intType), func() { w.access(format.ClassFieldRead, w.location(2), f) })
		}, "A.getName(): 7 at <unknown>:1\n  A.title ➜ 5 at <unknown>:2\n"},
		{"setter", func(w *traceBuilder) {
			v, f := w.variable("<set-?>"), w.field("a.A", "name")
			w.call(w.location(1), w.method("a.A", "setName", intType), func() {
				w.access(format.ClassVariableRead, -1, v)
				w.access(format.ClassFieldWrite, w.location(2), f)
			})
		}, "A.name = 5 at <unknown>:1\n"},
		{"coverage", func(w *traceBuilder) {
			local, hits, x := w.variable("__$coverage_local$__"), w.field("a.A", "__$hits$__"), w.variable("x")
			w.access(format.ClassVariableWrite, -1, local)
			w.access(format.ClassFieldRead, -1, hits)
			w.access(format.ClassArrayWrite, w.location(1, local), 0)
			w.access(format.ClassArrayWrite, w.location(2, x), 0)
		}, "x[0] = 5 at <unknown>:2\n"},
		{"loops", func(w *traceBuilder) {
			x := w.variable("x")
			w.loop(0, x)
			w.loop(1, x, 0)
			w.loop(2, x, 1, 0)
			w.loop(2, x, 1, 1)
		}, "loop(1 iterations) at :0\n  <iteration 1> at :0\n    x ➜ 5 at :0\n" +
			"loop(2 iterations) at :0\n  <iteration 1> at :0\n    x ➜ 5 at :0\n  <iteration 2> at :0\n    x ➜ 5 at :0\n"},
		{"iteration whose children fold away", func(w *traceBuilder) {
			w.loop(1, w.variable("__$hits$__"), 1)
		}, "loop(1 iterations) at :0\n  <iteration 1> at :0\n"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			w := newTraceBuilder(t)
			tc.build(w)
			if got := builtTree(t, w, PrintOptions{Folded: true, Verbose: true}); got != tc.want {
				t.Errorf("got\n%swant\n%s", got, tc.want)
			}
		})
	}
}

// TestFoldChain folds getters within getters, as deep as it is bounded to.
func TestFoldChain(t *testing.T) {
	for _, tc := range []struct{ depth, calls int }{{maxFoldDepth, 0}, {maxFoldDepth + 3, 3}} {
		w := newTraceBuilder(t)
		get, f := w.method("a.A", "getName", intType), w.field("a.A", "name")
		for range tc.depth {
			w.point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: get, Target: format.Null()})
		}
		w.access(format.ClassFieldRead, -1, f)
		for range tc.depth {
			w.footer(format.ClassCall, &format.Footer{Result: intValue(5)})
		}
		forest := loadBuilt(t, w)
		var out countLines
		if err := forest.Print(&out, PrintOptions{Folded: true}); err != nil {
			t.Fatal(err)
		}
		if int(out) != 1+tc.calls+1 {
			t.Errorf("depth %d: %d lines", tc.depth, out)
		}
	}
}

// countingSource counts looks at children.
type countingSource struct {
	eagerSource
	looks int
}

func (s *countingSource) first(dst []EagerNode, n EagerNode, count int) ([]EagerNode, error) {
	s.looks++
	return s.eagerSource.first(dst, n, count)
}

// TestFoldLooks holds that names are looked at before children, and that
// folding of an ordinary point costs no memory.
func TestFoldLooks(t *testing.T) {
	w := newTraceBuilder(t)
	plain, get := w.method("a.A", "run", intType), w.method("a.A", "getOther", intType)
	w.call(-1, plain, func() { w.call(-1, plain, nil) })
	w.call(-1, get, func() { w.call(-1, plain, nil) })
	f := loadBuilt(t, w)
	var source countingSource
	folding := folder[EagerNode]{ctx: f.Context, source: &source}
	want := []int{0, 1}
	for n := range f.Threads[0].Roots() {
		source.looks = 0
		if _, keep, err := folding.fold(n); !keep || err != nil {
			t.Fatal(keep, err)
		}
		if source.looks != want[0] {
			t.Errorf("%d looks at children, want %d", source.looks, want[0])
		}
		want = want[1:]
		if allocs := testing.AllocsPerRun(10, func() { folding.fold(n) }); allocs > float64(source.looks) {
			t.Errorf("%v allocations", allocs)
		}
	}
}
