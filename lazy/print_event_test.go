package lazy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// printing is a printed trace: a line per point, and its event.
type printing struct {
	lines  []string
	events []int32
	depths []int
}

// printBoth prints a trace, as text and as JSON, whose lines have the events.
func printBoth(t *testing.T, r *LazyTraceReader, o PrintOptions, within PrintRange) (p printing) {
	t.Helper()
	ctx := context.Background()
	o.Escape = true // one line per point
	var text, lines bytes.Buffer
	if err := r.Print(ctx, &text, o, within); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		if !strings.HasPrefix(line, "# Thread ") {
			p.lines = append(p.lines, line)
		}
	}
	o.JSON = true
	if err := r.Print(ctx, &lines, o, within); err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(&lines); dec.More(); {
		var l struct {
			Event *int32
			Depth int
		}
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if l.Event != nil {
			p.events, p.depths = append(p.events, *l.Event), append(p.depths, l.Depth)
		}
	}
	if len(p.lines) != len(p.events) {
		t.Fatalf("%d lines of text, %d of JSON", len(p.lines), len(p.events))
	}
	return p
}

// subtree returns the text of point i and everything below it, with its indentation removed.
func (p *printing) subtree(i int) string {
	var out strings.Builder
	for k := i; k < len(p.lines) && (k == i || p.depths[k] > p.depths[i]); k++ {
		out.WriteString(p.lines[k][2*p.depths[i]:])
	}
	return out.String()
}

// stride is the distance between the points that a test checks.
func stride(n int) int {
	if formattest.Race {
		return n/12 + 1
	}
	return n/150 + 1
}

// TestPrintEvent: an event is the same in the explorer, in print and in
// print --event, in traces of one and of several threads, folded and raw.
func TestPrintEvent(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"threads.stream", "kotlin.dump", "roots.dump", "allkinds.dump", "gson.stream"} {
		for _, folded := range []bool{true, false} {
			r := ready(t, formattest.Unpack(t, name+".bin", name+".bin.idx"), Options{NoWrite: true})
			o := PrintOptions{Folded: folded}
			all := printBoth(t, r, o, PrintRange{})
			tree := r.Tree(folded)
			for i := 0; i < len(all.events); i += stride(len(all.events)) {
				event, line := all.events[i], all.lines[i][2*all.depths[i]:]
				position, err := r.FindEvent(ctx, event)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				n, err := tree.Reveal(ctx, position)
				if err != nil {
					t.Fatal(err)
				}
				if got := string(format.AppendEscaped(nil, tree.AppendText(nil, n, false))) + "\n"; n.Point().Event != event || got != line {
					t.Fatalf("%s: event %d is %q in the explorer, event %d, but printed as %q", name, event, got, n.Point().Event, line)
				}
				if got := printEvent(t, r, o, event, false); got != line {
					t.Fatalf("%s: event %d alone is %q, want %q", name, event, got, line)
				}
				if got, want := printEvent(t, r, o, event, true), all.subtree(i); got != want {
					t.Fatalf("%s: below event %d\n%s\nwant\n%s", name, event, got, want)
				}
			}
		}
	}
}

func printEvent(t *testing.T, r *LazyTraceReader, o PrintOptions, event int32, subtree bool) string {
	t.Helper()
	o.Escape = true
	var out bytes.Buffer
	if err := r.PrintEvent(context.Background(), &out, o, event, subtree, PrintRange{}); err != nil {
		t.Fatalf("event %d: %v", event, err)
	}
	return out.String()
}

// TestPrintEventFolded: each event that the folded view does not show is reported as
// folded, with the event that is shown instead.
func TestPrintEventFolded(t *testing.T) {
	for _, name := range []string{"kotlin.dump", "gson.stream"} {
		r := ready(t, formattest.Unpack(t, name+".bin", name+".bin.idx"), Options{NoWrite: true})
		shown := printBoth(t, r, PrintOptions{Folded: true}, PrintRange{}).events
		slices.Sort(shown)
		raw := printBoth(t, r, PrintOptions{}, PrintRange{}).events
		hidden := 0
		for _, event := range raw {
			if _, ok := slices.BinarySearch(shown, event); ok {
				continue
			}
			if hidden++; formattest.Race && hidden%32 != 0 {
				continue
			}
			var out bytes.Buffer
			err := r.PrintEvent(context.Background(), &out, PrintOptions{Folded: true}, event, true, PrintRange{})
			var folded *FoldedError
			if !errors.As(err, &folded) || folded.Event != event || out.Len() > 0 {
				t.Fatalf("%s: event %d: %v, printed %q", name, event, err, out.String())
			}
			if _, ok := slices.BinarySearch(shown, int32(folded.Near)); !ok {
				t.Fatalf("%s: event %d: %v, which is not shown", name, event, err)
			}
		}
		if hidden == 0 || hidden != len(raw)-len(shown) {
			t.Errorf("%s: %d events folded, of %d raw and %d shown", name, hidden, len(raw), len(shown))
		}
	}
}

// TestPrintEventPosition: for a single event JSON has its position in the trace, and the
// text of a call is that in its context.
func TestPrintEventPosition(t *testing.T) {
	r := ready(t, formattest.Unpack(t, "threads.stream.bin", "threads.stream.bin.idx"), Options{NoWrite: true})
	var all, one bytes.Buffer
	ctx := context.Background()
	o := PrintOptions{Folded: true, JSON: true}
	if err := r.Print(ctx, &all, o, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	if err := r.PrintEvent(ctx, &one, o, 30, true, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(one.String()), "\n")
	if len(lines) < 4 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		if !strings.Contains(all.String(), line+"\n") {
			t.Errorf("not a line of the whole trace: %s", line)
		}
	}
}

// TestPrintEventNot: errors for events that do not exist.
func TestPrintEventNot(t *testing.T) {
	r := ready(t, formattest.Unpack(t, "threads.stream.bin", "threads.stream.bin.idx"), Options{NoWrite: true})
	other := int32(0)
	for _, tc := range []struct {
		event  int32
		thread *int32
		want   string
	}{{1 << 30, nil, "no event 1073741824 in the trace"}, {30, &other, "no event 30 in thread 1"}} {
		var out bytes.Buffer
		err := r.PrintEvent(context.Background(), &out, PrintOptions{Folded: true}, tc.event, false, PrintRange{Thread: tc.thread})
		var none *NoEventError
		if !errors.As(err, &none) || err.Error() != tc.want || out.Len() > 0 {
			t.Errorf("event %d: %v, want %s", tc.event, err, tc.want)
		}
	}
}

// TestPrintFrom: a print from an event is the whole print without earlier events, in
// each thread.
func TestPrintFrom(t *testing.T) {
	for name, path := range map[string]string{
		"threads.stream": formattest.Unpack(t, "threads.stream.bin", "threads.stream.bin.idx"),
		"kotlin.dump":    formattest.Unpack(t, "kotlin.dump.bin", "kotlin.dump.bin.idx"),
		"short threads":  formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: 100, Seed: 2}),
	} {
		if formattest.Race && name == "kotlin.dump" {
			continue // the largest
		}
		for _, folded := range []bool{true, false} {
			r := ready(t, path, Options{NoWrite: true})
			o := PrintOptions{Folded: folded}
			all := printBoth(t, r, o, PrintRange{})
			for _, from := range []int32{0, 1, 30, 1000} {
				if formattest.Race && name == "threads.stream" && from != 30 {
					continue
				}
				var want []int32
				for _, event := range all.events {
					if event >= from {
						want = append(want, event)
					}
				}
				if got := printBoth(t, r, o, PrintRange{From: from}); !slices.Equal(got.events, want) {
					t.Errorf("%s from %d: %d events, want %d", name, from, len(got.events), len(want))
				}
				want = want[:min(3, len(want))]
				if got := printBoth(t, r, o, PrintRange{From: from, Count: 3}); !slices.Equal(got.events, want) {
					t.Errorf("%s, 3 from %d: %v, want %v", name, from, got.events, want)
				}
			}
		}
	}
}

// TestPrintFromNone: if nothing is left, the error tells whether there are hidden
// events, and nothing is written.
func TestPrintFromNone(t *testing.T) {
	r := ready(t, formattest.Unpack(t, "threads.stream.bin", "threads.stream.bin.idx"), Options{NoWrite: true})
	second := int32(1)
	for _, tc := range []struct {
		within PrintRange
		depth  int
		want   NoEventError
	}{
		{PrintRange{From: 1 << 30}, 0, NoEventError{Event: 1 << 30, From: true}},
		{PrintRange{From: 1 << 30, Thread: &second, Count: 1}, 0, NoEventError{Event: 1 << 30, Thread: &second, From: true}},
		{PrintRange{From: 27, Thread: &second}, 1, NoEventError{Event: 27, Thread: &second, From: true, Hidden: true}},
	} {
		for _, asJSON := range []bool{false, true} {
			var out bytes.Buffer
			var none *NoEventError
			err := r.Print(context.Background(), &out, PrintOptions{Folded: true, MaxDepth: tc.depth, JSON: asJSON}, tc.within)
			if !errors.As(err, &none) || *none != tc.want || out.Len() > 0 {
				t.Errorf("%+v: %v, %q", tc.within, err, out.String())
			}
		}
	}
}

// TestFindEventAnyOrder: an event is found even if numbers do not rise.
func TestFindEventAnyOrder(t *testing.T) {
	w := formattest.NewBuilder(t)
	m, x := w.Method("A", "f", formattest.IntType), w.Variable("x")
	w.Event = 50
	w.Call(-1, m, func() {
		w.Event = 7
		w.Access(format.ClassVariableRead, -1, x)
		w.Event = 90
		w.Call(-1, m, func() { w.Event = 3; w.Access(format.ClassVariableRead, -1, x) })
		w.Event = 8
		w.Access(format.ClassVariableRead, -1, x)
	})
	r := ready(t, w.File(), Options{NoWrite: true})
	for _, event := range []int32{50, 7, 90, 3, 8} {
		if got := printEvent(t, r, PrintOptions{JSON: true}, event, false); !strings.Contains(got, `,"event":`+strconv.Itoa(int(event))+",") {
			t.Errorf("event %d: %s", event, got)
		}
	}
}

// TestPrintValues: captured values are below their point, and differ from points;
// without Values they are omitted.
func TestPrintValues(t *testing.T) {
	w := formattest.NewBuilder(t)
	m, node, x := w.Method("A", "f", formattest.IntType), w.Class("Node"), w.Variable("x")
	inner := format.Value{ClassID: node, Bits: 2, Captured: &format.Captured{Fields: []format.CapturedField{{Name: "key", Value: formattest.IntValue(4)}}}}
	outer := format.Value{ClassID: node, Bits: 1, Captured: &format.Captured{Fields: []format.CapturedField{
		{Name: "next", Value: inner}, {Name: "s", Value: format.Value{Kind: format.ValueString, Text: "a\nb"}},
	}}}
	list := format.Value{Kind: format.ValueArray, ClassID: w.Class("List"), Bits: format.ArrayBits(3, 9), Captured: &format.Captured{Elements: []format.Value{formattest.IntValue(5), inner}}}
	w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: m, Target: inner, Args: []format.Value{formattest.IntValue(1), outer}})
	w.Point(&format.Point{Class: format.ClassVariableWrite, Diff: format.DiffNone, Location: -1, Ref: x, Value: list})
	w.Footer(format.ClassCall, &format.Footer{Result: list})
	r := ready(t, w.File(), Options{NoWrite: true})
	want := `Node@2.f(1, Node@1): List@3
  | receiver = Node@2
  |   .key = 4
  | argument 2 = Node@1
  |   .next = Node@2
  |     .key = 4
  |   .s = "a\nb"
  | result = List@3
  |   [0] = 5
  |   [1] = Node@2
  |     .key = 4
  |   ... <7 more>
  x = List@3
    | value = List@3
    |   [0] = 5
    |   [1] = Node@2
    |     .key = 4
    |   ... <7 more>
`
	if got := printEvent(t, r, PrintOptions{Values: true}, 0, true); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := printEvent(t, r, PrintOptions{}, 0, true), "Node@2.f(1, Node@1): List@3\n  x = List@3\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := printEvent(t, r, PrintOptions{JSON: true}, 0, false); !strings.Contains(got, `"fields":[{"name":"key","type":"int","value":4}]`) {
		t.Error(got)
	}
}
