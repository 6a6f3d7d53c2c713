package query

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// historyOf finds a history.
func historyOf(t *testing.T, r *lazy.LazyTraceReader, scope Scope, o HistoryOptions, text string, share int64) *History {
	t.Helper()
	l, err := ParseLocation(t.Context(), r, text, "")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	o.Location = l
	if o.Keep == 0 {
		o.Keep = 1 << 20
	}
	h := NewHistory(r, scope, o)
	h.share = share
	if err := h.Run(t.Context(), nil); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return h
}

// TestHistory: histories are those of a plain walk over the tree, however the trace is cut.
func TestHistory(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		data, _ := r.Size()
		if data > 300<<10 {
			return // TestHistoryOfText has those
		}
		random := rand.New(rand.NewPCG(1, 2))
		for _, raw := range []bool{false, true} {
			roots, all := plainPoints(t, r, raw)
			var c *format.Context
			r.WithContext(func(x *format.Context) { c = x })
			checked := 0
			for try := 0; try < 400 && checked < 3 && len(all) > 0; try++ {
				for _, l := range plainAt(c, all[random.IntN(len(all))]) {
					checked++
					compareHistory(t, r, raw, &l, l.history(c, roots))
				}
			}
		}
	})
}

// compareHistory compares the history of a location with a plain one, however the trace is cut.
func compareHistory(t *testing.T, r *lazy.LazyTraceReader, raw bool, l *plainLocation, want map[int32][]string) {
	t.Helper()
	serial := ""
	for _, share := range sharesOf(r, 300) {
		h := historyOf(t, r, Scope{Raw: raw}, HistoryOptions{}, l.text, share)
		got := lines(h.List())
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("raw %v, share %d: %s\n got %q\nwant %q", raw, share, l.text, got, want)
			return
		}
		if text := fmt.Sprintf("%+v", h.List()); share == 0 {
			serial = text
		} else if text != serial {
			t.Errorf("raw %v, share %d: %s differs from one part:\n%s\n%s", raw, share, l.text, text, serial)
		}
		inOrder(t, h)
	}
}

// inOrder checks that values are in the order that the history promises.
func inOrder(t *testing.T, h *History) {
	list := h.List()
	last := make(map[int32]int64)
	for i := range list {
		s := &list[i]
		if s.pos < last[s.Thread] {
			t.Errorf("%s: #%d is out of order in its thread", h.o.Location.Text, s.Event)
		}
		last[s.Thread] = s.pos
		if i > 0 && s.key < list[i-1].key {
			t.Errorf("%s: #%d is out of order", h.o.Location.Text, s.Event)
		}
	}
}

// position is a field of the trace that TestHistoryParts reads.
const position = "com.google.gson.stream.JsonReader.pos"

// TestHistoryParts: a filter, an event to stop at and a bound of what is kept leave out the others.
func TestHistoryParts(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "gson.stream.bin"))
	all := historyOf(t, r, Scope{}, HistoryOptions{}, position, 0)
	list := all.List()
	if len(list) < 4 {
		t.Fatalf("%d values", len(list))
	}
	middle := &list[len(list)/2]
	until := historyOf(t, r, Scope{}, HistoryOptions{Until: &middle.HistoryPoint}, position, 300).List()
	last := len(list)/2 + 1
	for last < len(list) && list[last].key == middle.key && list[last].Thread == middle.Thread && list[last].pos == middle.pos {
		last++
	}
	if got, want := fmt.Sprint(lines(until)), fmt.Sprint(lines(list[:last])); got != want {
		t.Errorf("until #%d: %s\nwant %s", middle.Event, got, want)
	}
	where, err := filter.Parse("value>20")
	if err != nil {
		t.Fatal(err)
	}
	var want []Sighting
	for _, s := range list {
		if s.Value.Int > 20 {
			want = append(want, s)
		}
	}
	for _, share := range sharesOf(r, math.MaxInt64) {
		got := historyOf(t, r, Scope{}, HistoryOptions{Where: where}, position, share).List()
		if fmt.Sprint(lines(got)) != fmt.Sprint(lines(want)) {
			t.Errorf("with a filter: %v\nwant %v", lines(got), lines(want))
		}
	}
	few := historyOf(t, r, Scope{}, HistoryOptions{Keep: 2}, position, 0)
	if all, kept := few.Count(); int(all) != len(list) || kept != 2 || len(few.Table(View{Done: 1, G: &display.Unicode}).Notes) == 0 {
		t.Errorf("%d kept of %d", kept, all)
	}
}

// TestHistoryTexts: tables of a real trace without times, and of one with times, as printed.
func TestHistoryTexts(t *testing.T) {
	gson := opened(t, formattest.Unpack(t, "gson.stream.bin"))
	shop := opened(t, shop(t))
	for name, x := range map[string]struct {
		r    *lazy.LazyTraceReader
		text string
	}{
		"field": {gson, "JsonReader.stackSize"}, "object": {gson, "JsonReader@428089645.stackSize"}, "all": {gson, "JsonReader@235532726"},
		"variable": {shop, ":item"},
	} {
		list := historyOf(t, x.r, Scope{}, HistoryOptions{}, x.text, 0).List()
		h := historyOf(t, x.r, Scope{}, HistoryOptions{Here: &list[min(3, len(list)-1)].HistoryPoint}, x.text, 0)
		for _, width := range []int{60, 100, 160} {
			var out bytes.Buffer
			if err := table.WriteText(&out, h.Table(View{Done: 1, G: &display.Unicode}), table.Options{Width: width, Limit: 9, Glyphs: &display.Unicode}); err != nil {
				t.Fatal(err)
			}
			golden(t, fmt.Sprintf("history-%s-%d.txt", name, width), out.Bytes())
		}
	}
}

// TestHeldOrder: whole numbers, fractions and texts are in one order, in which numbers are first.
func TestHeldOrder(t *testing.T) {
	whole := func(n int64) HeldValue {
		return HeldValue{Text: strconv.FormatInt(n, 10), Numeric: WholeNumber, Int: n, Float: float64(n)}
	}
	fraction := func(f float64) HeldValue { return HeldValue{Text: "f", Numeric: FloatNumber, Float: f} }
	list := []HeldValue{fraction(math.Inf(-1)), whole(-3), fraction(-2.5), whole(9), fraction(9.5), whole(10), whole(math.MaxInt64 - 1), whole(math.MaxInt64), {Text: "10"}, {Text: "null"}}
	for i := range list {
		for j := range list {
			if got := list[i].compare(&list[j]); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%v and %v: %d", list[i], list[j], got)
			}
		}
	}
}
