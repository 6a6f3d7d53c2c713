package query

import (
	"fmt"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// TestEvents: the events on an object, each once, in the order in which the object is in them: a call that only returns it
// when that ends. Its fields are those seen last before a point, and at the end of the thread.
func TestEvents(t *testing.T) {
	w := formattest.NewBuilder(t)
	method, field := w.Method("Shop", "order", formattest.IntType), w.Field("Order", "count")
	order := format.Value{Kind: format.ValueObject, ClassID: w.Class("Order"), Bits: 7}
	set := func(n int64) {
		w.Point(&format.Point{Class: format.ClassFieldWrite, Diff: format.DiffNone, Location: -1, Ref: field, Target: order, Value: formattest.IntValue(n)})
	}
	call := func(of, result format.Value, within func()) {
		w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: method, Target: of})
		within()
		w.Footer(format.ClassCall, &format.Footer{Result: result})
	}
	call(format.Null(), order, func() { // event 0
		set(1)
		call(order, order, func() { set(2) }) // event 2
	})
	set(3)
	r := opened(t, w.File())
	l, err := ParseLocation(t.Context(), r, "Order@7", "")
	if err != nil {
		t.Fatal(err)
	}
	history := func(here *HistoryPoint) ([]HistoryPoint, int) {
		h := NewHistory(r, Scope{}, HistoryOptions{Location: l, Here: here, Keep: MostValues})
		if err := h.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		return h.Events()
	}
	list, before := history(nil)
	var events []int32
	for _, p := range list {
		events = append(events, p.Event)
	}
	if fmt.Sprint(events) != "[1 2 3 0 4]" || before != 0 {
		t.Fatal(events, before)
	}
	if _, before = history(&list[2]); before != 3 {
		t.Errorf("%d are not after the third", before)
	}
	end := HistoryPoint{Position: lazy.Position{Thread: 0, At: -1}}
	for at, want := range map[HistoryPoint]string{list[0]: "", list[2]: "count = 1", list[4]: "count = 2", end: "count = 3"} {
		seen, err := LastSeen(t.Context(), r, false, at, "Order@7")
		got := ""
		for _, v := range seen {
			got += v.Name + " = " + v.Value.Text
		}
		if err != nil || got != want {
			t.Errorf("before %d: %q, want %q; %v", at.Event, got, want, err)
		}
	}
	if _, err := LastSeen(t.Context(), r, false, end, "Other@7"); err == nil {
		t.Error("an object of no class has fields")
	}
}
