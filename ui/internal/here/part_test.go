package here

import (
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
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
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	p := New(r, e)
	a, b := list[10], list[len(list)-1]
	first := p.Show(a, false)
	if first == nil || p.Show(a, false) != nil || p.Show(b, false) != nil || !p.Busy() {
		t.Fatal("not one row at a time")
	}
	p.Update(first().(Msg))
	if p.Found().Known || p.Busy() {
		t.Fatalf("work that was stopped found %+v", p.Found())
	}
	second := p.Show(b, false)
	if second == nil {
		t.Fatal("nothing looks for the row")
	}
	p.Update(second().(Msg))
	f := p.Found()
	if !f.At(b.Position()) || f.At(a.Position()) || f.Err != nil || p.Show(b, false) != nil {
		t.Fatalf("found %+v", f)
	}
	s := query.NewState(r, false, query.HistoryPoint{Position: b.Position(), Event: b.Point().Event})
	if err := s.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want := s.Values()
	if len(want) == 0 || len(f.Values) != len(want) || f.Call != s.Call() {
		t.Fatalf("%d values in %q, want %d in %q", len(f.Values), f.Call, len(want), s.Call())
	}
	for i, v := range f.Values {
		if v.Name != want[i].Name || v.Value.Text != want[i].Value.Text || v.Event != want[i].Event {
			t.Errorf("%+v, want %+v", v, want[i])
		}
	}
	if p.Forget(); p.Found().Known {
		t.Error("not forgotten")
	}
	if raw := p.Show(b, true); raw == nil {
		t.Error("nothing looks in the other view")
	} else if p.Update(raw().(Msg)); !p.Found().At(b.Position()) {
		t.Errorf("found %+v", p.Found())
	}
	if p.Show(nil, false) != nil || p.Show(r.Tree(true).Threads()[0], false) != nil || p.Busy() {
		t.Error("a thread has a state")
	}
}
