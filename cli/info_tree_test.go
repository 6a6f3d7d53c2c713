package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/goroutines"
)

// TestInfoTree: goroutines are below those that started them, and JSON tells who did.
func TestInfoTree(t *testing.T) {
	w := formattest.NewBuilder(t)
	x := w.Variable("x")
	names := []string{"main", "goroutine 26 a.f ← 1 a.main a.go:1", "goroutine 19 a.f ← 1 a.main a.go:1", "goroutine 6 a.g ← 26 a.f a.go:2", "goroutine 40 a.g ← 39 a.f a.go:2", "AWT"}
	for i, name := range names {
		w.Thread(int32(i))
		w.Name(name)
		w.Access(format.ClassVariableRead, -1, x)
		if i == 3 {
			w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: w.Method("a", "g", formattest.IntType), Target: format.Null()})
			w.Footer(format.ClassCall, &format.Footer{Result: format.Value{Kind: format.ValueVoid}, Exception: "panic: 7", Threw: true})
		}
	}
	r, err := lazy.Open(w.File(), lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	sum, err := r.Summarize(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	forest, err := goroutines.NewForest(t.Context(), r.ThreadList(), nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := threadRows{r: r, forest: forest}
	rows.listTree(&sum.Threads, 5)
	var text, js bytes.Buffer
	if err := gather(r, sum).write(&text, rows); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"threads as a tree", "  1 main", "    3 goroutine 19 a.f ← 1 a.main a.go:1", "    2 goroutine 26 a.f ← 1 a.main a.go:1",
		"      4 goroutine 6 a.g ← 26 a.f a.go:2 (threw panic: 7)", "  5 goroutine 40 a.g ← 39 a.f a.go:2", "  … 1 more (--limit 0)",
	}
	_, table, _ := strings.Cut(text.String(), "\n\n")
	for i, line := range strings.Split(table, "\n")[:len(want)] {
		if !strings.HasPrefix(line+" ", want[i]+" ") {
			t.Errorf("line %d: %q, want %q", i, line, want[i])
		}
	}
	rows = threadRows{r: r, forest: forest}
	rows.list(&sum.Threads, 0)
	if err := gather(r, sum).writeJSON(&js, rows); err != nil {
		t.Fatal(err)
	}
	var got struct{ Threads []threadFacts }
	if err := json.Unmarshal(js.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for i, want := range []threadFacts{
		{Goroutine: 1}, {Goroutine: 26, Parent: 1, ParentThread: 1, StartedAt: "a.go:1"}, {Goroutine: 19, Parent: 1, ParentThread: 1, StartedAt: "a.go:1"},
		{Goroutine: 6, Parent: 26, ParentThread: 2, StartedAt: "a.go:2", Threw: "panic: 7"}, {Goroutine: 40, Parent: 39, StartedAt: "a.go:2"}, {},
	} {
		have := got.Threads[i]
		if have := (threadFacts{Goroutine: have.Goroutine, Parent: have.Parent, ParentThread: have.ParentThread, StartedAt: have.StartedAt, Threw: have.Threw}); have != want {
			t.Errorf("%s: %+v, want %+v", names[i], have, want)
		}
	}
}
