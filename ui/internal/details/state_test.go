package details

import (
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/env"
)

// calls returns nodes of a real trace that have arguments, variables or fields before them.
func calls(t *testing.T) (*lazy.LazyTraceReader, []*lazy.Node) {
	t.Helper()
	r, err := lazy.Open(formattest.Unpack(t, "gson.stream.bin"), lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	tree := r.Tree(true)
	root, err := tree.Child(t.Context(), tree.Threads()[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	list, err := tree.Children(t.Context(), root)
	if err != nil || len(list) < 20 {
		t.Fatalf("%d children: %v", len(list), err)
	}
	return r, list
}

// TestShow: the state of the row that was asked for last is found, and work for another row is stopped.
func TestShow(t *testing.T) {
	r, list := calls(t)
	p := &state{env: explorer(t, r)}
	a, b := list[10], list[len(list)-1]
	first := p.show(a, false)
	if first == nil || p.show(a, false) != nil || p.show(b, false) != nil || !p.task.Running() {
		t.Fatal("not one row at a time")
	}
	first().(env.Ran).Then()
	if p.found.known || p.task.Running() {
		t.Fatalf("work that was stopped found %+v", p.found)
	}
	second := p.show(b, false)
	if second == nil {
		t.Fatal("nothing looks for the row")
	}
	second().(env.Ran).Then()
	f := &p.found
	if f.at != b.Position() || f.err != nil || p.show(b, false) != nil {
		t.Fatalf("found %+v", f)
	}
	s := query.NewState(r, false, query.HistoryPoint{Position: b.Position(), Event: b.Point().Event})
	if err := s.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want := s.Values()
	if len(want) == 0 || len(f.values) != len(want) || f.call != s.Call() {
		t.Fatalf("%d values in %q, want %d in %q", len(f.values), f.call, len(want), s.Call())
	}
	for i, v := range f.values {
		if v.Name != want[i].Name || v.Value.Text != want[i].Value.Text || v.Event != want[i].Event {
			t.Errorf("%+v, want %+v", v, want[i])
		}
	}
	if p.forget(); p.found.known {
		t.Error("not forgotten")
	}
	if raw := p.show(b, true); raw == nil {
		t.Error("nothing looks in the other view")
	} else if raw().(env.Ran).Then(); !p.found.known || p.found.at != b.Position() {
		t.Errorf("found %+v", p.found)
	}
	if p.show(nil, false) != nil || p.show(r.Tree(true).Threads()[0], false) != nil || p.task.Running() {
		t.Error("a thread has a state")
	}
}
