package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/mapped"
)

// noSink is a Sink that ignores the cells.
type noSink struct{}

func (noSink) BeginBlock(int32, int64) {}
func (noSink) EndBlock(int64)          {}
func (noSink) Cell(format.Cell)        {}

// inMemory returns a File of data in memory.
func inMemory(data []byte) *mapped.File {
	m := mapped.InMemory("memory", data)
	m.CheckHeader(format.CheckDataHeader)
	return m
}

// foundBy returns everything that a scan has found, as text.
func foundBy(s *Scan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "at %d, place %d, blocks %d, eof %t, error %v\n", s.scanner.Offset(), s.cellAt, s.blocks, s.eof, s.err)
	for _, t := range s.streams {
		fmt.Fprintf(&b, "thread %d: %d bytes, %d cells, %+v, min %d, %+v, blocks %d, %d ended\n",
			t.Thread, t.Size, t.n, t.counts, t.min, t.first, t.Blocks(), t.ended())
		if t.groups != nil {
			fmt.Fprintln(&b, "mins", t.groups.mins)
		}
		if t.more != nil {
			fmt.Fprintln(&b, "blocks", t.more.blocks, t.more.lasts)
		}
		for _, o := range t.stack {
			fmt.Fprintln(&b, "open", o.at, o.start, o.event, o.class)
		}
		for _, p := range t.points() {
			fmt.Fprint(&b, "point ", p.pos, p.cellAt)
			for f := p.open; f != nil; f = f.parent {
				fmt.Fprint(&b, " ", f.start, f.event, f.class)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// takes are the ways in which a scan may process containers.
var takes = map[string]func(*Scan){
	"one by one":      func(s *Scan) { s.leap = format.Leap{} },
	"in leaps":        func(*Scan) {},
	"in short leaps":  func(s *Scan) { s.leap = format.Leap{Borders: make([]format.Border, 0, 3)} },
	"telling a sink":  func(s *Scan) { s.out = noSink{} },
	"with half known": func(s *Scan) { s.partial = new(partial) },
}

func sameFound(t *testing.T, what string, data []byte, step int64) {
	t.Helper()
	texts := map[string]string{}
	for way, set := range takes {
		s := NewScan(inMemory(data), func([]byte, format.Cell) error { return nil })
		set(s)
		for more := true; more; {
			var err error
			if more, err = s.Advance(context.Background(), step); err != nil {
				t.Fatal(err)
			}
		}
		texts[way] = foundBy(s)
	}
	for way, text := range texts {
		if text != texts["one by one"] {
			t.Fatalf("%s: %s, in steps of %d bytes, a scan finds\n%.2000s\ninstead of\n%.2000s", what, way, step, text, texts["one by one"])
		}
	}
}

// TestScanTakesLeaps: a scan finds the same, whether it leaps or not, and however it
// processes the objects it leapt over.
func TestScanTakesLeaps(t *testing.T) {
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Calls, N: 2*ScanGroup + 9, Seed: 1},
		{Shape: formattest.Calls, N: 5000, Seed: 2, Threads: 3, Options: formattest.Options{BlockSize: 5000}},
		{Shape: formattest.Deep, N: ScanGroup + 9, Seed: 3},
		{Shape: formattest.Random, N: 3000, Seed: 4, Threads: 2, Options: formattest.Options{BlockSize: 2000}},
	} {
		for _, version := range []format.Version{format.V22, format.V27} {
			spec.Version = version
			data, _ := formattest.Bytes(t, spec)
			what := fmt.Sprintf("version %d, %s", version, spec.Name())
			sameFound(t, what, data, verifyBytes)
			sameFound(t, what, data, 1000)
			for n := len(data) - 1; n > format.HeaderSize; n -= len(data)/4 + 1 {
				sameFound(t, fmt.Sprintf("%s cut at %d", what, n), data[:n], verifyBytes)
				damaged := slices.Clone(data)
				damaged[n] ^= 0x55
				sameFound(t, fmt.Sprintf("%s changed at %d", what, n), damaged, verifyBytes)
			}
		}
	}
}

// TestScanKeepsLittleRoom: the memory that a scan keeps for a thread between two blocks
// grows with its open containers, not with the containers of a block.
func TestScanKeepsLittleRoom(t *testing.T) {
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Calls, N: 20_000, Seed: 1, Threads: 4})
	s := NewScan(inMemory(data), func([]byte, format.Cell) error { return nil })
	if _, err := s.Advance(context.Background(), int64(len(data))); err != nil || !s.eof {
		t.Fatal(err, s.err)
	}
	for _, st := range s.streams {
		if st.n < leapBorders {
			t.Errorf("thread %d has %d containers: the test shows nothing", st.Thread, st.n)
		}
		if room := cap(st.stack) - len(st.stack); room > 2*leastRoom {
			t.Errorf("thread %d, within %d containers, keeps room for %d more", st.Thread, len(st.stack), room)
		}
	}
}
