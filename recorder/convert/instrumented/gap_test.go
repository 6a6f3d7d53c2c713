package instrumented_test

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"testing"

	"tracex/format/tracefile"
	"tracex/lazy/eager"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// TestGap: calls are missing between the first part of a recording and the newest. A call of the same function
// that began in between is another one.
func TestGap(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter, Shift: 12})
	a, b := &raw.Function{ID: 1, Package: "p", Name: "a"}, &raw.Function{ID: 2, Package: "p", Name: "b"}
	f.Function(b)
	g := f.Goroutine(1 << 7)
	g.Begin(5, 0, 0, 0)
	begun := f.Now
	g.Enter(a, 0)
	f.Now += 10
	g.Enter(b, 0)
	f.Now += 2_000_000_000
	open := []rawtest.Open{{Function: a, Counter: begun}, {Function: b, Counter: f.Now - 5}}
	g.AgainAfter(100, 5, 0, 0, 0, open...)
	g.Exit(b)
	g.Enter(b, 0)
	// In the next chunk the same calls are open, and none is missing.
	g.AgainAfter(101, 5, 0, 0, 0, rawtest.Open{Function: a, Counter: begun}, rawtest.Open{Function: b, Counter: f.Now})
	g.Exit(b)
	g.Exit(a)
	h := f.Goroutine(2 << 7)
	h.AgainAfter(7, 6, 0, 0, 0) // 7 calls of it, and no open one
	h.Enter(a, 0)
	h.Exit(a)
	binary.LittleEndian.PutUint64(f.Image[raw.AtRing:], 1)
	binary.LittleEndian.PutUint64(f.Image[raw.AtMissing:], 98+7+50) // 50 of goroutines that are not in the trace
	s, _, got := convert(t, instrumented.Options{}, f)
	want := `# Thread 1 (goroutine 5)
p.a()
  b(): <untracked result>
  <dropped: 154 calls in 1s> = 97
  b(…)
  b()
# Thread 2 (goroutine 6)
<dropped: 154 calls in 1s> = 7
p.a()
`
	if got != want || s.Processes[0].Damaged > 0 || s.Processes[0].Missing != 154 {
		t.Errorf("%s\nwant\n%s%+v", got, want, s.Processes[0])
	}
}

// TestGapNoClock: without a clock a call that began in the gap is another one, too.
func TestGapNoClock(t *testing.T) {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockNone})
	a, b := &raw.Function{ID: 1, Package: "p", Name: "a"}, &raw.Function{ID: 2, Package: "p", Name: "b"}
	g := f.Goroutine(1 << 7)
	g.Begin(5, 0, 0, 0)
	g.Enter(a, 0)
	g.Enter(b, 0)
	g.Exit(b)
	g.Enter(b, 0)
	g.AgainAfter(3, 5, 0, 0, 0, rawtest.Open{Function: a, Counter: 1}, rawtest.Open{Function: b, Counter: 3}) // nothing is missing
	g.AgainAfter(100, 5, 0, 0, 0, rawtest.Open{Function: a, Counter: 1}, rawtest.Open{Function: b, Counter: 99})
	g.Exit(b)
	g.Exit(a)
	binary.LittleEndian.PutUint64(f.Image[raw.AtRing:], 1)
	binary.LittleEndian.PutUint64(f.Image[raw.AtMissing:], 97)
	path := filepath.Join(t.TempDir(), "a"+raw.Suffix)
	f.Save(t, path)
	var data bytes.Buffer
	c, err := instrumented.New(tracefile.Files{Data: &data}, instrumented.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Add(path)
	if _, err := c.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	forest, err := eager.Load(&data)
	if err != nil {
		t.Fatal(err)
	}
	got := text(t, forest)
	want := `# Thread 1
p.a()
  b()
  b(): <untracked result>
  <dropped: 96 calls> = 96
  b(…)
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// gapOfOthers writes a file with a gap. The first goroutine has room in its first chunk to the end, and the fourth waits all
// the time. Of the others, what is known after the gap is that one continues, and that another one runs in place of one.
func gapOfOthers(missing uint64) *rawtest.File {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter, ChunkMost: raw.ChunkUnit})
	a, b := &raw.Function{ID: 1, Package: "p", Name: "a"}, &raw.Function{ID: 2, Package: "p", Name: "b"}
	for _, fn := range []*raw.Function{a, b} {
		f.Function(fn)
	}
	var g [6]*rawtest.Goroutine
	begun := f.Now
	for i := range g {
		g[i] = f.Goroutine(uint64(i+1) << 7)
		g[i].Begin(uint64(i+5), 0, 0, 0)
		g[i].Enter(a, 0)
	}
	first, resumed, lost, _, replaced, idle := g[0], g[1], g[2], g[3], g[4], g[5]
	resumed.Enter(b, 0)
	lost.Enter(b, 0)
	idle.Exit(a)
	f.Full()
	gap := f.Segments()
	for _, r := range []*rawtest.Goroutine{resumed, lost, replaced, idle} {
		r.Full()
		r.Exit(b)
	}
	f.Full()
	f.Now += rawtest.Rate * 1_000_000_000
	resumed.Full()
	resumed.AgainAfter(100, 6, 0, 0, 0, rawtest.Open{Function: a, Counter: begun})
	f.Now += rawtest.Rate * 1_000_000_000
	resumed.Exit(a)
	replaced.Full()
	replaced.Begin(11, 0, 0, 0)
	replaced.Enter(b, 0)
	replaced.Exit(b)
	first.Exit(a)
	// They have no room for what follows.
	for i := range uint64(2) {
		full := f.Goroutine((20 + i) << 7)
		full.Begin(20+i, 0, 0, 0)
		full.Enter(a, 0)
		full.Full()
		if i == 1 {
			full.Begin(30, 0, 0, 0)
			full.Enter(b, 0)
			full.Exit(b)
		}
	}
	f.DropAfter(gap, missing)
	return f
}

// TestGapOfOthers: goroutines that may have gone on in the gap say so.
func TestGapOfOthers(t *testing.T) {
	for _, c := range []struct {
		missing uint64
		want    string
	}{
		{200, `# Thread 1 (goroutine 5)
p.a()
# Thread 2 (goroutine 6)
p.a()
  b(): <untracked result>
  <dropped: 200 calls in 1s> = 98
# Thread 3 (goroutine 7)
p.a(): <untracked result>
  b(): <untracked result>
    <dropped: 200 calls in 1s> = at most 102
# Thread 4 (goroutine 8)
p.a(): <unfinished method>
# Thread 5 (goroutine 9)
p.a(): <untracked result>
  <dropped: 200 calls in 1s> = at most 102
# Thread 6 (goroutine 10)
p.a()
<dropped: 200 calls in 1s> = at most 102
# Thread 7 (goroutine 11)
p.b()
# Thread 8 (goroutine 20)
p.a(): <untracked result>
  <dropped: 200 calls in 1s> = at most 102
# Thread 9 (goroutine 21)
p.a(): <untracked result>
  <dropped: 200 calls in 1s> = at most 102
# Thread 10 (goroutine 30)
p.b()
`},
		{98, `# Thread 1 (goroutine 5)
p.a()
# Thread 2 (goroutine 6)
p.a()
  b(): <untracked result>
  <dropped: 98 calls in 1s> = 98
# Thread 3 (goroutine 7)
p.a(): <untracked result>
  b(): <untracked result>
    <dropped: 98 calls in 1s> = 0
# Thread 4 (goroutine 8)
p.a(): <unfinished method>
# Thread 5 (goroutine 9)
p.a(): <untracked result>
  <dropped: 98 calls in 1s> = 0
# Thread 6 (goroutine 10)
p.a()
# Thread 7 (goroutine 11)
p.b()
# Thread 8 (goroutine 20)
p.a(): <untracked result>
  <dropped: 98 calls in 1s> = 0
# Thread 9 (goroutine 21)
p.a(): <untracked result>
  <dropped: 98 calls in 1s> = 0
# Thread 10 (goroutine 30)
p.b()
`},
	} {
		s, _, got := convert(t, instrumented.Options{}, gapOfOthers(c.missing))
		if got != c.want || s.Processes[0].Damaged > 0 {
			t.Errorf("%s\nwant\n%s%+v", got, c.want, s.Processes[0])
		}
	}
}
