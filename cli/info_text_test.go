package cli

import (
	"bytes"
	"cmp"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// writeCounter counts the calls of Write, and lines, and has the largest heap at a call.
type writeCounter struct {
	writes, lines int
	heap          int64
}

func (w *writeCounter) Write(b []byte) (int, error) {
	w.writes++
	w.lines += bytes.Count(b, []byte("\n"))
	w.heap = max(w.heap, heap())
	return len(b), nil
}

// heap returns the size of the heap in use, in bytes.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestInfoOfManyThreads: all threads of a million must not be in memory as text, nor be written
// cell by cell.
func TestInfoOfManyThreads(t *testing.T) {
	const threads = 10_000
	r, err := lazy.Open(formattest.File(t, formattest.Spec{Shape: formattest.Goroutines, N: threads, Seed: 1}), lazy.Options{NoWrite: true})
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
	all := threadRows{r: r}
	all.list(&sum.Threads, 0)
	for what, write := range map[string]func(w io.Writer) error{
		"text": func(w io.Writer) error { return gather(r, sum).write(w, all) },
		"JSON": func(w io.Writer) error { return gather(r, sum).writeJSON(w, all) },
	} {
		var w writeCounter
		before := heap()
		if err := write(&w); err != nil {
			t.Fatal(err)
		}
		if w.lines < threads || w.writes > w.lines/100 {
			t.Errorf("%s: %d lines were written in %d writes", what, w.lines, w.writes)
		}
		if took := w.heap - before; took > 50*threads {
			t.Errorf("%s: %d more bytes in use for %d threads", what, took, threads)
		}
	}
}

// TestInfoListsThreadsWithMostCalls: those that a sort of all puts first, and so many if there
// are more.
func TestInfoListsThreadsWithMostCalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var counts lazy.ThreadCounts
		for i := range rng.Int32N(100) {
			counts.Append(lazy.ThreadCount{ID: i, Calls: rng.Int64N(20), Points: rng.Int64N(3)})
		}
		limit := rng.IntN(60)
		want, more := slices.Collect(counts.All()), 0
		if limit > 0 && len(want) > limit {
			slices.SortStableFunc(want, func(a, b lazy.ThreadCount) int {
				return cmp.Or(int(b.Calls-a.Calls), int(b.Points-a.Points))
			})
			want, more = want[:limit], len(want)-limit
		}
		var got threadRows
		got.list(&counts, limit)
		if list := slices.Collect(got.counts.All()); !slices.Equal(list, want) || got.more != more {
			t.Fatalf("%d of %d threads: %v and %d more, want %v and %d", limit, counts.Len(), list, got.more, want, more)
		}
	}
}

// TestInfoUnfinished has the singular and the plural of what had not ended.
func TestInfoUnfinished(t *testing.T) {
	for n, want := range map[int]string{1: "1 call, loop or iteration had not ended", 2: "2 calls, loops and iterations had not ended"} {
		var w strings.Builder
		if err := (&facts{Unfinished: n}).write(&w, threadRows{}); err != nil || !strings.Contains(w.String(), want) {
			t.Errorf("%v, want %q in:\n%s", err, want, w.String())
		}
	}
}
