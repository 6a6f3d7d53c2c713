package diff

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/trace"
)

// Traces that are being written are looked at only when a test asks for it.
func init() {
	trace.EndPatience = 20 * time.Millisecond
	trace.PollEvery, trace.PollIdle = time.Hour, time.Hour
}

// growing is a trace that a test writes block by block, and a reader that follows it.
type growing struct {
	t    *testing.T
	path string
	data []byte
	ends []int64 // of blocks
	n    int     // blocks that are written
	r    *lazy.LazyTraceReader
}

// growingFrom begins a trace with some of its blocks.
func growingFrom(t *testing.T, data []byte, part float64) *growing {
	t.Helper()
	g := &growing{t: t, path: filepath.Join(t.TempDir(), "trace.bin"), data: data}
	for s := format.NewBytesScanner(data); s.Next(); {
		if s.Object().Kind == format.KindBlockEnd {
			g.ends = append(g.ends, s.Offset())
		}
	}
	g.ends = append(g.ends, int64(len(data)))
	g.n = int(part * float64(len(g.ends)))
	g.write(g.path)
	var err error
	if g.r, err = lazy.Open(g.path, lazy.Options{Follow: true, NoWrite: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.r.Close() })
	g.catchUp()
	return g
}

func (g *growing) write(path string) {
	g.t.Helper()
	if err := os.WriteFile(path, g.data[:g.ends[g.n-1]], 0o600); err != nil {
		g.t.Fatal(err)
	}
}

func (g *growing) catchUp() {
	g.t.Helper()
	if err := g.r.CatchUp(g.t.Context()); err != nil {
		g.t.Fatal(err)
	}
}

// more adds a block, or the end, if there is more, and shows it.
func (g *growing) more() {
	g.t.Helper()
	if g.n == len(g.ends) {
		return
	}
	f, err := os.OpenFile(g.path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.Write(g.data[g.ends[g.n-1]:g.ends[g.n]])
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		g.t.Fatal(err)
	}
	g.n++
	g.catchUp()
}

// copied opens a copy of what is written.
func (g *growing) copied() *lazy.LazyTraceReader {
	g.t.Helper()
	path := filepath.Join(g.t.TempDir(), "copy.bin")
	g.write(path)
	return opened(g.t, path)
}

// TestGrowing: a trace that grows while it is compared, and while the diff is written, is compared as it was at first.
func TestGrowing(t *testing.T) {
	for i, shape := range []formattest.Shape{formattest.Calls, formattest.Random, formattest.Deep, formattest.Goroutines} {
		for j, version := range []format.Version{format.V22, format.V27} {
			if formattest.Race && i%2 != j {
				continue
			}
			spec := formattest.Spec{Shape: shape, N: 1200, Seed: 3, Options: formattest.Options{Version: version, BlockSize: 2048}}
			if shape == formattest.Goroutines {
				spec.N = 300
			}
			t.Run(spec.Name(), func(t *testing.T) {
				data, _ := formattest.Bytes(t, spec)
				spec.Seed, spec.N = 4, spec.N*5/6
				other := opened(t, formattest.File(t, spec))
				for _, identity := range []bool{false, true} {
					first, second := growingFrom(t, data, 0.4), growingFrom(t, data, 0.4)
					whileGrowing(t, first, first.r, other, first.copied(), other, identity)
					whileGrowing(t, second, other, second.r, other, second.copied(), identity)
					itself := growingFrom(t, data, 0.3)
					copied := itself.copied()
					if c := whileGrowing(t, itself, itself.r, itself.r, copied, copied, identity); c.Differences() > 0 || c.EqualCalls != c.Calls[0] {
						t.Errorf("a trace differs from itself: %+v", c)
					}
				}
			})
		}
	}
}

// whileGrowing compares two traces while one of them grows. wantA and wantB are as these were before.
func whileGrowing(t *testing.T, g *growing, a, b, wantA, wantB *lazy.LazyTraceReader, identity bool) Counts {
	t.Helper()
	d := New(a, b, Options{Identity: identity})
	defer d.Close()
	before := g.n
	if err := d.Run(t.Context(), func(int64, int64) { g.more() }); err != nil {
		t.Fatal(err)
	}
	if g.n == before {
		t.Fatal("it has not grown")
	}
	g.more()
	r, pairs, err := d.Open(t.Context(), func(int64, int64) { g.more() })
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), pairs.Close()); err != nil {
		t.Error(err)
	}
	whole := New(wantA, wantB, Options{Identity: identity})
	defer whole.Close()
	if err := whole.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got, want := d.Counts(), whole.Counts(); got != want {
		t.Errorf("the counts are %+v; without growth %+v", got, want)
	}
	return hasBoth(t, d, wantA, wantB)
}
