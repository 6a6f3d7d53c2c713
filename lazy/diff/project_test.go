package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// realPairs are recorded traces to compare: two runs of a program, two versions of the format, two programs.
var realPairs = [][2]string{
	{"gson.stream", "gson.dump"}, {"threads.stream", "threads.dump"}, {"kotlin.stream", "kotlin.dump"}, {"shapes.stream", "shapes.dump"},
	{"shapes.stream", "shapes.v27.stream"}, {"threads.v27.stream", "threads.dump"}, {"kotlin.v27.stream", "kotlin.dump"},
	{"allkinds.dump", "allkinds.v27.dump"}, {"allkinds.v27.dump", "allkinds.v27.dump"}, {"roots.dump", "roots.v27.stream"}, {"jackson.v27.stream", "gson.stream"},
	{"crash.stream", "crash.v27.stream"}, {"deep.stream", "deep.stream"}, {"shapes.dump", "roots.dump"}, {"net.v27", "allkinds.v27.dump"},
	{"packed.stream.bin.packedtrace", "packed.dump.bin.packedtrace"}, {"diff-jackson.v27.packedtrace", "jackson.v27.stream"},
}

// TestProjectRecorded: diffs of recorded traces have both of them; of a quarter of the pairs under the race detector.
func TestProjectRecorded(t *testing.T) {
	for i, pair := range realPairs {
		if formattest.Race && i%4 != 0 || testing.Short() && (pair[0] == "crash.stream" || pair[0] == "kotlin.stream") {
			continue
		}
		t.Run(pair[0]+" "+pair[1], func(t *testing.T) {
			var r [2]*lazy.LazyTraceReader
			for i, name := range pair {
				switch {
				case strings.HasSuffix(name, format.PackedSuffix):
					r[i] = opened(t, formattest.Unpack(t, name))
				case name == "net.v27":
					r[i] = opened(t, formattest.Unpack(t, name+".bin"))
				default:
					r[i] = opened(t, formattest.Unpack(t, name+".bin", name+".bin.idx"))
				}
			}
			projected(t, r[0], r[1])
			projected(t, r[1], r[0])
			projected(t, r[0], r[0])
		})
	}
}

// TestProjectTimes: a trace with times and one without them.
func TestProjectTimes(t *testing.T) {
	path := formattest.Demo(t)
	timed := opened(t, path)
	without := filepath.Join(t.TempDir(), "shop.bin")
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(without, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	other := opened(t, without)
	if !lazy.ReaderOf(timed).Timed() || lazy.ReaderOf(other).Timed() {
		t.Fatal("one has times, the other has not")
	}
	for _, pair := range [][2]*lazy.LazyTraceReader{{timed, other}, {other, timed}, {timed, timed}} {
		if c := projected(t, pair[0], pair[1]); c.Differences() > 0 {
			t.Errorf("%+v", c)
		}
	}
}

// TestProjectSeeded: diffs of generated pairs have both traces.
func TestProjectSeeded(t *testing.T) {
	pairs := uint64(60)
	if testing.Short() || formattest.Race {
		pairs = 15
	}
	for seed := range pairs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p, dir := newSeededPair(t, 1000+seed), t.TempDir()
			a, b := p.open(t, dir, false), p.open(t, dir, true)
			defer a.r.Close()
			defer b.r.Close()
			projected(t, a.r, b.r)
			if c := projected(t, b.r, b.r); c.Differences() > 0 {
				t.Errorf("a trace differs from itself: %+v", c)
			}
		})
	}
}

// projected compares two traces, checks that both are in the diff, event by event, and returns the counts.
func projected(t *testing.T, a, b *lazy.LazyTraceReader) Counts {
	t.Helper()
	d := New(a, b, Options{})
	defer d.Close()
	if err := d.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if c := d.Counts(); a == b && (c.Differences() > 0 || c.Calls[0] != c.Calls[1] || c.EqualCalls != c.Calls[0]) {
		t.Errorf("a trace differs from itself: %+v", c)
	}
	return hasBoth(t, d, a, b)
}

// hasBoth checks that both forms of a diff have all of two traces, and returns its counts.
func hasBoth(t *testing.T, d *Diff, a, b *lazy.LazyTraceReader) Counts {
	t.Helper()
	c := d.Counts()
	full, matches, done := writtenFull(t, d.input())
	rows := textRows(t, full)
	for _, list := range rows {
		eachRow(list, func(x *textRow) { x.in = [2]bool{matches[x.event].Left != -1, matches[x.event].Right != -1} })
	}
	sides := [2]map[int32][]*textRow{textRows(t, a), textRows(t, b)}
	for i := range sides {
		checkProjection(t, i, sides[i], rows, done.threads)
	}
	checkMatches(t, rows, matches, sides, c.Elsewhere > 0)
	checkMarks(t, rows)
	checkTally(t, "the full form", rows, &c)
	compact, pairs, err := d.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pairs.Close()
	defer compact.Close()
	rows = textRows(t, compact)
	checkPairs(t, rows, pairs, sides, c.Elsewhere > 0)
	checkMarks(t, rows)
	checkTally(t, "the compact form", rows, &c)
	return c
}
