package lazy

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestPrintFromAmongManyThreads: threads without anything printed cost next to nothing. A
// goroutine, or a buffer, for each would take kilobytes.
func TestPrintFromAmongManyThreads(t *testing.T) {
	const threads = 10_000
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Goroutines, N: threads, Seed: 1}), Options{NoWrite: true})
	for _, c := range []struct {
		part  PrintRange
		depth int
		most  uint64 // bytes allocated for each thread
	}{
		{PrintRange{From: 3 * threads, Count: 5}, 0, 100},
		{PrintRange{Count: 5}, 0, 100},
		{PrintRange{}, 1, 1500}, // prints each thread
	} {
		var out bytes.Buffer
		out.Grow(10 << 20)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := r.Print(context.Background(), &out, PrintOptions{MaxDepth: c.depth}, c.part); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) / threads; took > c.most || out.Len() == 0 {
			t.Errorf("%+v: allocates %d bytes for each thread, prints %d bytes", c.part, took, out.Len())
		}
	}
}

// TestPrintCount: a print of some events is the beginning of the whole print: the headings of
// threads without events are there, but none after the last event.
func TestPrintCount(t *testing.T) {
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: 40, Seed: 3}), Options{NoWrite: true})
	print := func(part PrintRange) string {
		var out bytes.Buffer
		if err := r.Print(context.Background(), &out, PrintOptions{}, part); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	var want strings.Builder
	count := int64(0)
	for line := range strings.Lines(print(PrintRange{})) {
		want.WriteString(line)
		if !strings.HasPrefix(line, "#") {
			if count++; print(PrintRange{Count: count}) != want.String() {
				t.Fatalf("%d events: %s", count, print(PrintRange{Count: count}))
			}
		}
	}
	if got := print(PrintRange{Count: count + 1}); got != want.String() {
		t.Errorf("more than there are: %s", got)
	}
}

// TestPrintNowhere: without a writer all printing goes to standard output.
func TestPrintNowhere(t *testing.T) {
	r := ready(t, formattest.Unpack(t, "roots.dump.bin", "roots.dump.bin.idx"), Options{NoWrite: true})
	tree := r.Tree(false)
	listing(t, tree)
	event := childrenOf(t, tree, tree.Threads()[0])[0].Point().Event
	for name, print := range map[string]func(w io.Writer) error{
		"all": func(w io.Writer) error { return r.Print(t.Context(), w, PrintOptions{}, PrintRange{}) },
		"event": func(w io.Writer) error {
			return r.PrintEvent(t.Context(), w, PrintOptions{}, event, true, PrintRange{})
		},
		"loaded": func(w io.Writer) error { return tree.PrintLoaded(t.Context(), w, PrintOptions{}) },
	} {
		var want bytes.Buffer
		if err := print(&want); err != nil || want.Len() == 0 {
			t.Fatal(name, want.Len(), err)
		}
		got := formattest.Stdout(t, func() {
			if err := print(nil); err != nil {
				t.Error(name, err)
			}
		})
		formattest.SameText(t, got, want.Bytes())
	}
}
