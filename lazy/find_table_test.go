package lazy

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/walk"
)

// countingCells counts how often cells are asked for anything.
type countingCells struct {
	index.Cells
	asked *int
}

func (c countingCells) Len() int64 { *c.asked++; return c.Cells.Len() }

func (c countingCells) At(ord int64) format.Cell { *c.asked++; return c.Cells.At(ord) }

// countCells makes a reader count how often its streams' cells are asked for anything.
func countCells(r *LazyTraceReader) (asked *int) {
	asked = new(int)
	v := *r.r.Known.Load()
	var list []*index.Stream
	for i := range v.Streams.Len() {
		s := *v.Streams.At(i)
		s.Cells = countingCells{s.Cells, asked}
		list = append(list, &s)
	}
	v.Streams = index.StreamsOf(list...)
	r.r.Known.Store(&v)
	return asked
}

// TestFindEventAmongManyThreads: after the first event, to find another takes the same work,
// however many threads there are.
func TestFindEventAmongManyThreads(t *testing.T) {
	work := func(threads int) (asked int, allocs float64) {
		r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Goroutines, N: threads, Seed: 1}), Options{NoWrite: true})
		count := countCells(r)
		find := func(event int32) {
			if _, err := r.FindEvent(t.Context(), event); err != nil {
				t.Fatal(err)
			}
		}
		find(0)
		*count = 0
		allocs = testing.AllocsPerRun(1, func() {
			for i := range int32(100) {
				find(i * int32(threads) / 100)
			}
		})
		return *count, allocs
	}
	few, fewAllocs := work(200)
	many, manyAllocs := work(10_000)
	if few == 0 || many > 2*few {
		t.Errorf("cells are asked %d times with 10,000 threads, %d times with 200", many, few)
	}
	if manyAllocs > 2*fewAllocs {
		t.Errorf("%v allocations with 10,000 threads, %v with 200", manyAllocs, fewAllocs)
	}
}

// allEvents finds each event of the tree. Events differ.
func allEvents(t *testing.T, r *LazyTraceReader, stride int) {
	t.Helper()
	list := listing(t, r.Tree(false))
	for i := 0; i < len(list); i += stride {
		if p, err := r.FindEvent(t.Context(), list[i].event); err != nil || p != list[i].Position && p != beforeContent(t, r, list[i].Position) {
			t.Fatalf("event %d is at %+v, want %+v: %v", list[i].event, p, list[i].Position, err)
		}
	}
}

// beforeContent returns the last offset in the header of the container at a Position.
func beforeContent(t *testing.T, r *LazyTraceReader, p Position) Position {
	n, err := r.Tree(false).Reveal(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return Position{Thread: p.Thread, At: n.e.Load().Start - 1}
}

// TestFindEventInterleaved finds events in threads whose numbers interleave: in short streams
// and in long ones, of several blocks and of one.
func TestFindEventInterleaved(t *testing.T) {
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Threads, N: 300, Seed: 3},
		{Shape: formattest.Threads, N: 300, Seed: 3, Options: formattest.Options{Dump: true}},
		{Shape: formattest.Calls, N: 6000, Threads: 4, Seed: 3, Options: formattest.Options{BlockSize: 4096}},
		{Shape: formattest.Calls, N: 6000, Threads: 4, Seed: 3, Crash: formattest.CrashLost, Options: formattest.Options{BlockSize: 4096}},
		{Shape: formattest.Random, N: 3000, Threads: 70, Seed: 3},
	} {
		t.Run(spec.Name(), func(t *testing.T) {
			t.Parallel()
			allEvents(t, ready(t, formattest.File(t, spec), Options{NoWrite: true}), 1+spec.N/300)
		})
	}
}

// TestFindEventGrowing finds events while a trace is written, and reads only the streams that
// have grown.
func TestFindEventGrowing(t *testing.T) {
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Threads, N: 60, Seed: 5})
	r := followed(t, filepath.Join(t.TempDir(), "trace.bin"), Options{NoWrite: true})
	w := write(t, r.r.Path, data)
	rng := rand.New(rand.NewPCG(5, 5))
	shared := 0
	for w.size < len(data) {
		before := r.r.Events.Load()
		w.to(w.size + 1 + rng.IntN(len(data)/10))
		catchUp(t, r)
		v := r.r.Known.Load()
		if before != nil && v.Data != nil {
			was := make(map[*index.Stream]bool)
			for _, s := range before.V.Streams.All() {
				was[s] = true
			}
			_, others := walk.SharedSpans(before, v)
			for _, i := range others {
				if was[v.Streams.At(int(i))] {
					t.Errorf("the stream of thread %d is read again", v.Streams.Thread(int(i)))
				}
			}
			for _, s := range v.Streams.All() {
				if was[s] {
					shared++
				}
			}
		}
		allEvents(t, r, 5)
	}
	if shared == 0 {
		t.Error("no stream stayed the same: the test shows nothing")
	}
}
