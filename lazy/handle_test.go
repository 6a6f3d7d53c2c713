package lazy

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestHandles: a handle's text names the same place again.
func TestHandles(t *testing.T) {
	for text, want := range map[string]Handle{
		"#0":          EventHandle(0),
		"#2147483647": EventHandle(2147483647),
		"#1,204_332":  EventHandle(1204332),
		"@3+88120":    PositionHandle(Position{Thread: 2, At: 88120}),
		"@2147483648": PositionHandle(Position{Thread: 2147483647, At: -1}),
		"@1":          PositionHandle(Position{Thread: 0, At: -1}),
		"@1+0":        PositionHandle(Position{Thread: 0, At: 0}),
	} {
		h, ok := ParseHandle(text)
		if again, _ := ParseHandle(h.String()); !ok || h != want || again != h {
			t.Errorf("%s: %+v, again %+v", text, h, again)
		}
	}
	for _, text := range []string{
		"", "#", "@", "#-1", "# 1", "#2147483648", "#1x", "@0", "@-1+1", "@1+", "@1+-1", "@1+9223372036854775808", "@2147483649", "@a+1", "1",
	} {
		if h, ok := ParseHandle(text); ok {
			t.Errorf("%q is %+v", text, h)
		}
	}
}

// TestFindHandles: each node of recorded traces is found by both of its handles.
func TestFindHandles(t *testing.T) {
	for _, name := range []string{"threads.stream", "kotlin.dump"} {
		r := ready(t, formattest.Unpack(t, name+".bin", name+".bin.idx"), Options{NoWrite: true})
		tree := r.Tree(false)
		for _, n := range tree.Threads() {
			if _, _, err := tree.ExpandAll(t.Context(), n, 0, 2000, func(int) {}); err != nil {
				t.Fatal(err)
			}
		}
		seen, rows := 0, 0
		for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
			n := row.Node
			if rows++; n == nil || formattest.Race && rows%8 != 0 {
				continue
			}
			for _, h := range []Handle{n.Handle(), PositionHandle(n.Position())} {
				want, event := n.Position(), int32(-1)
				if n.IsThread() {
					if want.At = -1; h.Position.At >= 0 { // the offset of its first event
						continue
					}
				} else {
					event = n.Point().Event
				}
				if at, e, err := r.Find(t.Context(), h); err != nil || at != want || e != event {
					t.Fatalf("%s %s: event %d at %v, not %d at %v; error %v", name, h, e, at, event, want, err)
				}
				seen++
			}
		}
		if rows < 500 || seen < rows/8 {
			t.Errorf("%s: only %d handles of %d rows", name, seen, rows)
		}
		for _, p := range []Position{{Thread: 0, At: 1 << 40}, {Thread: 999, At: 0}, {Thread: 999, At: -1}} {
			var none *NoPositionError
			if _, _, err := r.Find(t.Context(), PositionHandle(p)); !errors.As(err, &none) {
				t.Errorf("%v: %v", p, err)
			}
		}
	}
}

// TestAlsoIn: where threads number their events on their own, a number is found in each.
func TestAlsoIn(t *testing.T) {
	w := formattest.NewBuilder(t)
	x := w.Variable("x")
	for id := range int32(3) {
		w.Event = 5 * id // 0 to 9, 5 to 14, 10 to 19
		w.Thread(id)
		for range 10 {
			w.Access(format.ClassVariableRead, -1, x)
		}
	}
	r := ready(t, w.File(), Options{NoWrite: true})
	for _, c := range []struct {
		event  int32
		thread int32
		also   []int32
	}{{2, 0, nil}, {7, 0, []int32{1}}, {12, 1, []int32{2}}, {17, 2, nil}} {
		at, err := r.FindEvent(t.Context(), c.event)
		if err != nil || at.Thread != c.thread {
			t.Fatalf("event %d is at %v: %v", c.event, at, err)
		}
		if also, err := r.AlsoIn(t.Context(), c.event, at, 9); err != nil || !slices.Equal(also, c.also) {
			t.Errorf("event %d is also in %v, not %v; error %v", c.event, also, c.also, err)
		}
	}
	other := Position{Thread: 1}
	if also, err := r.AlsoIn(t.Context(), 7, other, 9); err != nil || !slices.Equal(also, []int32{0}) {
		t.Errorf("from the other thread: %v, %v", also, err)
	}
}

// TestPrintAt: an event is printed by its position as by its number; within a folded
// view the error tells what became of it.
func TestPrintAt(t *testing.T) {
	r := ready(t, formattest.Unpack(t, "kotlin.dump.bin", "kotlin.dump.bin.idx"), Options{NoWrite: true})
	for event := range int32(40) {
		at, err := r.FindEvent(t.Context(), event)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []PrintOptions{{}, {Folded: true}} {
			var byNumber, byPosition bytes.Buffer
			werr := r.PrintEvent(t.Context(), &byNumber, o, event, true, PrintRange{Count: 20})
			err := r.PrintAt(t.Context(), &byPosition, o, at, true, PrintRange{Count: 20})
			if byNumber.String() != byPosition.String() || (err == nil) != (werr == nil) || err != nil && err.Error() != werr.Error() {
				t.Errorf("event %d: %q and %v by number, %q and %v by position", event, byNumber.String(), werr, byPosition.String(), err)
			}
		}
	}
	if err := r.PrintAt(t.Context(), new(strings.Builder), PrintOptions{}, Position{At: 1 << 40}, false, PrintRange{}); err == nil {
		t.Error("something is printed where nothing is")
	}
}
