package eager

import (
	"bytes"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/fold"
)

// loadBuilt loads what a builder has written.
func loadBuilt(t *testing.T, w *formattest.Builder) *Forest {
	t.Helper()
	f, err := Load(bytes.NewReader(w.Data()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// builtTree returns the printed trace, without the line of the thread.
func builtTree(t *testing.T, w *formattest.Builder, o PrintOptions) string {
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

// TestFold has a case for each rule and for near misses.
func TestFold(t *testing.T) {
	tests := []struct {
		name  string
		build func(w *formattest.Builder)
		want  string // verbose
	}{
		{"default arguments", func(w *formattest.Builder) {
			x := w.Variable("x")
			w.Call(w.Location(1), w.Method("a.A", "f$default", formattest.IntType), func() {
				w.Call(w.Location(2), w.Method("a.A", "f", formattest.IntType), func() { w.Access(format.ClassVariableRead, -1, x) })
			})
		}, "A.f(): 7 at <unknown>:1\n  x ➜ 5 at :0\n"},
		{"default of another class", func(w *formattest.Builder) {
			w.Call(w.Location(1), w.Method("a.A", "f$default", formattest.IntType), func() {
				w.Call(w.Location(2), w.Method("a.B", "f", formattest.IntType), nil)
			})
		}, "A.f$default(): 7 at <unknown>:1\n  B.f(): 7 at <unknown>:2\n"},
		{"access to default", func(w *formattest.Builder) {
			w.Call(w.Location(1), w.Method("a.A", "access$f$default", formattest.IntType), func() {
				w.Call(w.Location(2), w.Method("a.A", "f$default", formattest.IntType), func() {
					w.Call(w.Location(3), w.Method("a.A", "f", formattest.IntType), nil)
				})
			})
		}, "A.access$f$default(): 7 at <unknown>:1\n  f(): 7 at <unknown>:2\n"}, // the child has become f already
		{"access", func(w *formattest.Builder) {
			w.Call(w.Location(1), w.Method("a.A", "access$f", formattest.IntType), func() {
				w.Call(w.Location(2), w.Method("a.A", "f", formattest.IntType), nil)
			})
		}, "A.f(): 7 at <unknown>:1\n"},
		{"synthetic get", func(w *formattest.Builder) {
			x, f := w.Variable("x"), w.Field("a.B", "f")
			w.CallAs(format.DiffEditedNew, w.Location(1), w.Method("a.A", "access$getF$p", formattest.IntType), func() {
				w.Access(format.ClassVariableRead, -1, x)
				w.Access(format.ClassFieldRead, w.Location(2), f)
			})
		}, "+ B.f ➜ 5 at <unknown>:1\n"},
		{"synthetic set needs three", func(w *formattest.Builder) {
			x, f := w.Variable("x"), w.Field("a.B", "f")
			set := w.Method("a.A", "access$setF$p", formattest.IntType)
			for n := 1; n <= 3; n++ {
				w.Call(w.Location(1), set, func() {
					for range n {
						w.Access(format.ClassVariableRead, -1, x)
					}
					w.Access(format.ClassFieldWrite, w.Location(2), f)
				})
			}
		}, "A.access$setF$p(): 7 at <unknown>:1\n  x ➜ 5 at :0\n  B.f = 5 at <unknown>:2\n" +
			"B.f = 5 at <unknown>:1\n" +
			"A.access$setF$p(): 7 at <unknown>:1\n  x ➜ 5 at :0\n  x ➜ 5 at :0\n  x ➜ 5 at :0\n  B.f = 5 at <unknown>:2\n"},
		{"getter", func(w *formattest.Builder) {
			f := w.Field("a.A", "name")
			w.CallAs(format.DiffEditedOld, w.Location(1), w.Method("a.A", "getName", formattest.IntType), func() { w.Access(format.ClassFieldRead, w.Location(2), f) })
		}, "- A.name ➜ 5 at <unknown>:1\n"},
		{"getter of another type", func(w *formattest.Builder) {
			f := w.Field("a.A", "name")
			w.Call(w.Location(1), w.Method("a.A", "getName", format.Type{Kind: format.TypeLong}), func() { w.Access(format.ClassFieldRead, w.Location(2), f) })
		}, "A.getName(): 7 at <unknown>:1\n  A.name ➜ 5 at <unknown>:2\n"},
		{"getter of another field", func(w *formattest.Builder) {
			f := w.Field("a.A", "title")
			w.Call(w.Location(1), w.Method("a.A", "getName", formattest.IntType), func() { w.Access(format.ClassFieldRead, w.Location(2), f) })
		}, "A.getName(): 7 at <unknown>:1\n  A.title ➜ 5 at <unknown>:2\n"},
		{"setter", func(w *formattest.Builder) {
			v, f := w.Variable("<set-?>"), w.Field("a.A", "name")
			w.Call(w.Location(1), w.Method("a.A", "setName", formattest.IntType), func() {
				w.Access(format.ClassVariableRead, -1, v)
				w.Access(format.ClassFieldWrite, w.Location(2), f)
			})
		}, "A.name = 5 at <unknown>:1\n"},
		{"coverage", func(w *formattest.Builder) {
			local, hits, x := w.Variable("__$coverage_local$__"), w.Field("a.A", "__$hits$__"), w.Variable("x")
			w.Access(format.ClassVariableWrite, -1, local)
			w.Access(format.ClassFieldRead, -1, hits)
			w.Access(format.ClassArrayWrite, w.Location(1, local), 0)
			w.Access(format.ClassArrayWrite, w.Location(2, x), 0)
		}, "x[0] = 5 at <unknown>:2\n"},
		{"loops", func(w *formattest.Builder) {
			x := w.Variable("x")
			w.Loop(0, x)
			w.Loop(1, x, 0)
			w.Loop(2, x, 1, 0)
			w.Loop(2, x, 1, 1)
		}, "loop(1 iterations) at :0\n  <iteration 1> at :0\n    x ➜ 5 at :0\n" +
			"loop(2 iterations) at :0\n  <iteration 1> at :0\n    x ➜ 5 at :0\n  <iteration 2> at :0\n    x ➜ 5 at :0\n"},
		{"iteration whose children fold away", func(w *formattest.Builder) {
			w.Loop(1, w.Variable("__$hits$__"), 1)
		}, "loop(1 iterations) at :0\n  <iteration 1> at :0\n"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			w := formattest.NewBuilder(t)
			tc.build(w)
			if got := builtTree(t, w, PrintOptions{Folded: true, Verbose: true}); got != tc.want {
				t.Errorf("got\n%swant\n%s", got, tc.want)
			}
		})
	}
}

// TestFoldChain folds nested getters, up to the maximum depth.
func TestFoldChain(t *testing.T) {
	for _, tc := range []struct{ depth, calls int }{{fold.MaxDepth, 0}, {fold.MaxDepth + 3, 3}} {
		w := formattest.NewBuilder(t)
		get, f := w.Method("a.A", "getName", formattest.IntType), w.Field("a.A", "name")
		for range tc.depth {
			w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: get, Target: format.Null()})
		}
		w.Access(format.ClassFieldRead, -1, f)
		for range tc.depth {
			w.Footer(format.ClassCall, &format.Footer{Result: formattest.IntValue(5)})
		}
		forest := loadBuilt(t, w)
		var out formattest.CountLines
		if err := forest.Print(&out, PrintOptions{Folded: true}); err != nil {
			t.Fatal(err)
		}
		if int(out) != 1+tc.calls+1 {
			t.Errorf("depth %d: %d lines", tc.depth, out)
		}
	}
}

// countingAccess counts the children that are looked at.
type countingAccess struct {
	forestAccess
	looks int
}

func (s *countingAccess) Begins(n Node) (*format.Point, error) {
	s.looks++
	return s.forestAccess.Begins(n)
}

func (s *countingAccess) First(dst []Node, n Node, count int) ([]Node, error) {
	all, err := s.forestAccess.First(dst, n, count)
	s.looks += len(all) - len(dst)
	return all, err
}

// TestFoldLooks checks that names are looked at before children, that the first child
// decides whether the others are read, and that folding of an ordinary point allocates nothing.
func TestFoldLooks(t *testing.T) {
	w := formattest.NewBuilder(t)
	plain, get := w.Method("a.A", "run", formattest.IntType), w.Method("a.A", "getOther", formattest.IntType)
	w.Call(-1, plain, func() { w.Call(-1, plain, nil) })
	w.Call(-1, get, func() { w.Call(-1, plain, nil) })
	w.Call(-1, get, func() {
		for range 5 {
			w.Call(-1, plain, nil)
		}
	})
	f := loadBuilt(t, w)
	var source countingAccess
	folding := fold.Folder[Node]{Context: f.Context, Access: &source}
	want := []int{0, 1, 1}
	for n := range f.Threads[0].Roots() {
		source.looks = 0
		if _, keep, err := folding.Fold(n); !keep || err != nil {
			t.Fatal(keep, err)
		}
		if source.looks != want[0] {
			t.Errorf("%d looks at children, want %d", source.looks, want[0])
		}
		want = want[1:]
		if allocs := testing.AllocsPerRun(10, func() { folding.Fold(n) }); allocs > 0 {
			t.Errorf("%v allocations", allocs)
		}
	}
}
