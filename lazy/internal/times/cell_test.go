package times

import (
	"bytes"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/mapped"
)

// TestSettle: whether the cells of blocks come before those of their objects or after them is found out
// although blocks, reference objects and calls have the same numbers; then each time is that of its object.
func TestSettle(t *testing.T) {
	const thread = 5
	call := func(w *formattest.Thread, event int32) {
		w.Point(&format.Point{Class: format.ClassCall, Event: event, Thread: thread, Location: -1})
	}
	end := func(w *formattest.Thread) { w.Footer(&format.Footer{}) }
	class := func(w *formattest.Thread, id int32) {
		w.Reference(format.KindClassDescriptor, id, &format.ClassDescriptor{ID: id, Name: "C"})
	}
	for name, write := range map[string]func(w *formattest.Thread){
		"a call of another number": func(w *formattest.Thread) { call(w, 7); end(w) },
		"a call over two blocks": func(w *formattest.Thread) {
			class(w, thread)
			call(w, thread)
			w.Flush()
			end(w)
		},
		"a call in its block": func(w *formattest.Thread) {
			call(w, thread)
			end(w)
			class(w, thread)
		},
		"nothing but a call": func(w *formattest.Thread) {
			call(w, thread)
			end(w)
			w.Flush()
			call(w, 8)
			end(w)
		},
		"a block without a time": func(w *formattest.Thread) {
			class(w, thread)
			w.Flush()
			call(w, thread)
			w.Flush()
			w.Flush()
			call(w, 6)
			end(w)
			end(w)
		},
	} {
		for _, dump := range []bool{false, true} {
			var data, index, cells bytes.Buffer
			w := formattest.NewWriter(&data, &index, formattest.Options{Manual: true, Dump: dump, Times: &cells})
			write(w.Thread(thread))
			if _, err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for _, cells := range [][]byte{cells.Bytes(), formattest.FixedTimesOf(formattest.TimeCells(t, cells.Bytes())...)} {
				s, err := New(mapped.InMemory("memory.tim", cells))
				if err != nil {
					t.Fatal(err)
				}
				s.Settle(mapped.InMemory("memory", data.Bytes()))
				want := OrderStream
				if dump {
					want = OrderDump
				}
				if got := Order(s.order.Load()); got != want {
					t.Errorf("%s: order %d, want %d", name, got, want)
				}
				samePicked(t, name, s, index.Bytes(), formattest.TimeCells(t, cells), dump)
			}
		}
	}
}

// samePicked compares the time of each container with the cell beside its cell in the index.
func samePicked(t *testing.T, name string, s *File, index []byte, cells []format.TimeCell, dump bool) {
	t.Helper()
	for at := int64(format.HeaderSize); at < int64(len(index)-format.IndexTail); at += format.CellSize {
		c, want := format.DecodeCell(index[at:]), cells[ordinal(at)]
		if c.Kind != format.KindTracePoint {
			continue
		}
		near, far := at, at-format.CellSize
		if dump {
			near, far = at+format.CellSize, at
		}
		if got, ok, err := s.Pick(c.ID, near, far, Event); !ok || err != nil || got != want || !got.Known() {
			t.Errorf("%s, dump %v: event %d: %+v, %v, %v; want %+v", name, dump, c.ID, got, ok, err, want)
		}
	}
}

// TestSettleUndecided: what the first two cells tell of an order. Cells that fit both orders tell nothing.
func TestSettleUndecided(t *testing.T) {
	var data, index, cells bytes.Buffer
	w := formattest.NewWriter(&data, &index, formattest.Options{Times: &cells})
	w.Thread(0).Reference(format.KindClassDescriptor, 0, &format.ClassDescriptor{Name: "C"})
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	list := formattest.TimeCells(t, cells.Bytes())
	withTime := func(n int) []byte { // of cells of ID 0, of which one has a time
		list := slices.Clone(list)
		list[n] = format.TimeCell{Start: 3, Duration: 4}
		return formattest.TimesOf(list...)
	}
	for name, c := range map[string]struct {
		cells []byte
		order Order
	}{
		"no cell yet":          {cells.Bytes()[:format.TimesHeaderSize], OrderUnknown},
		"two equal cells":      {cells.Bytes(), OrderUnknown},
		"a time before none":   {withTime(0), OrderStream},
		"a time following one": {withTime(1), OrderDump},
	} {
		s, err := New(mapped.InMemory("memory.tim", c.cells))
		if err != nil {
			t.Fatal(err)
		}
		s.Settle(mapped.InMemory("memory", data.Bytes()))
		if got := Order(s.order.Load()); got != c.order {
			t.Errorf("%s: order %d, want %d", name, got, c.order)
		}
	}
}
