package index

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// plainly does the same as containers, cell by cell: it returns how many cells it takes,
// and the samples since the first cell of the stream.
func plainly(cells []format.Cell, last int64) (taken int, samples []int64) {
	smallest := int64(math.MaxInt64)
	for _, c := range cells {
		if c.Kind != format.KindTracePoint || c.End <= last || c.Start > c.End || c.Start < 0 {
			break
		}
		last, smallest = c.End, min(smallest, c.Start)
		if taken++; taken%groupCells == 0 {
			samples = append(samples, smallest)
			smallest = math.MaxInt64
		}
	}
	return taken, samples
}

// passOver passes cells to containers, in runs that end at the stops and
// at the end.
func passOver(cells []format.Cell, stops ...int) (taken int, s *building) {
	index := make([]byte, format.HeaderSize)
	for _, c := range cells {
		index = c.Append(index)
	}
	p := &pass{index: mapped.InMemory("memory.idx", index)}
	p.streams.init(index, false)
	p.streams.keep(p.streams.start()) // the first has samples at once
	p.cur = resume(p.streams.start())
	at := int64(format.HeaderSize)
	for _, stop := range append(stops, len(cells)) {
		if to := format.HeaderSize + int64(stop)*format.CellSize; at < to {
			if at = p.containers(at, to); at < to {
				break
			}
		}
	}
	return int((at - format.HeaderSize) / format.CellSize), &p.cur
}

func sameCells(t *testing.T, what string, cells []format.Cell, stops ...int) {
	t.Helper()
	want, samples := plainly(cells, -1)
	got, s := passOver(cells, stops...)
	var sampled []int64
	if s.cells.more != nil {
		sampled = s.cells.more.samples.groups
	}
	if got != want || s.cells.n != int64(want) || !slices.Equal(sampled, samples) {
		t.Fatalf("%s: took %d cells, counted %d, sampled %d; want %d and %d", what, got, s.cells.n, sampled, want, samples)
	}
	if again := resume(s.mappedStream); again.lastEnd != s.lastEnd || again.inGroup != s.inGroup || again.groupStart != s.groupStart {
		t.Fatalf("%s: resumed at %d, %d cells from %d on, instead of %d, %d from %d on", what,
			again.lastEnd, again.inGroup, again.groupStart, s.lastEnd, s.inGroup, s.groupStart)
	}
	if last := int64(-1); want > 0 {
		if last = cells[want-1].End; s.lastEnd != last {
			t.Fatalf("%s: the last ends at %d, want %d", what, s.lastEnd, last)
		}
	}
	if runs := s.cells.runs(new([1]run)); want > 0 && !slices.Equal(runs, []run{{pos: format.HeaderSize}}) {
		t.Fatalf("%s: runs %v", what, runs)
	}
}

// goodCells returns n cells as a recorder writes them, of a large trace: the
// high bytes of offsets are not zero.
func goodCells(rng *rand.Rand, n int) []format.Cell {
	cells := make([]format.Cell, n)
	end := int64(-1)
	for i := range cells {
		end += 1 + rng.Int64N(1<<rng.IntN(50))
		cells[i] = format.Cell{Kind: format.KindTracePoint, ID: rng.Int32(), Start: rng.Int64N(end + 1), End: end}
	}
	return cells
}

// TestPassTakesCells: wherever the pass pauses.
func TestPassTakesCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cells := goodCells(rng, 3*groupCells+5)
	sameCells(t, "at once", cells)
	for stop := 1; stop < len(cells); stop += 3 {
		sameCells(t, "in two", cells, stop)
	}
	for range 50 {
		stops := []int{rng.IntN(len(cells)), rng.IntN(len(cells)), rng.IntN(len(cells))}
		slices.Sort(stops)
		sameCells(t, "in four", cells[:len(cells)-rng.IntN(20)], stops...)
	}
}

// TestPassStopsAtWrongCells: the pass stops at a single wrong cell, of each kind,
// anywhere.
func TestPassStopsAtWrongCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	cells := goodCells(rng, groupCells+40)
	wrong := map[string]func(i int, c *format.Cell){
		"a reference object":         func(_ int, c *format.Cell) { c.Kind = format.KindString },
		"the greatest kind":          func(_ int, c *format.Cell) { c.Kind = 255 },
		"kind 0":                     func(_ int, c *format.Cell) { c.Kind = 0 },
		"a start behind its end":     func(_ int, c *format.Cell) { c.Start = c.End + 1 },
		"a start before the stream":  func(_ int, c *format.Cell) { c.Start = -1 },
		"the least start":            func(_ int, c *format.Cell) { c.Start = math.MinInt64 },
		"the least end":              func(_ int, c *format.Cell) { c.End = math.MinInt64 },
		"an end before the stream":   func(_ int, c *format.Cell) { c.End = -1 },
		"both before the stream":     func(_ int, c *format.Cell) { c.Start, c.End = -5, -3 },
		"an end where the last was":  func(i int, c *format.Cell) { c.End = cells[max(0, i-1)].End; c.Start = 0 },
		"an end behind all that is":  func(_ int, c *format.Cell) { c.End = math.MaxInt64 }, // the next one is wrong
		"a start at the greatest":    func(_ int, c *format.Cell) { c.Start = math.MaxInt64 },
		"all that could be overflow": func(_ int, c *format.Cell) { c.Start, c.End = math.MaxInt64, math.MinInt64 },
	}
	for what, damage := range wrong {
		stopped := 0
		for i := range cells {
			damaged := slices.Clone(cells)
			damage(i, &damaged[i])
			if n, _ := plainly(damaged, -1); n < len(cells) {
				stopped++
			}
			sameCells(t, what, damaged)
		}
		if stopped < len(cells)-1 {
			t.Errorf("%s: wrong at %d places of %d alone: the test shows nothing", what, stopped, len(cells))
		}
	}
}
