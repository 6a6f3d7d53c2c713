package diff

import (
	"errors"
	"os"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/index"
)

// TestRunBeginsAgain: when an index turns out to be wrong, by what the diff reads itself or by what another goroutine reads meanwhile,
// the two are compared again.
func TestRunBeginsAgain(t *testing.T) {
	open := func(data string, cells []byte) *lazy.LazyTraceReader {
		r := openBytes(t, t.TempDir(), formattest.Recorded(t, data), cells)
		t.Cleanup(func() { r.Close() })
		return r
	}
	cells := formattest.Recorded(t, "threads.stream.bin.idx")
	lies := formattest.Recorded(t, "threads.stream.bin.idx")
	for at := format.HeaderSize; at < len(lies)-format.IndexTail; at += format.CellSize {
		if c := format.DecodeCell(lies[at:]); c.Kind == format.KindTracePoint && c.Start%11 == 0 && c.Start > 2 {
			c.Start--
			c.Put(lies[at:])
		}
	}
	good, other := open("threads.stream.bin", cells), open("threads.dump.bin", nil)
	want := [2]Counts{ran(t, good, other, Options{}).Counts(), ran(t, other, good, Options{}).Counts()}
	for _, c := range []struct {
		name  string
		cells []byte
		side  int
		doubt int // at which call of progress another goroutine finds the index wrong; 0 for never
	}{
		{"A", lies, 0, 0}, {"B", lies, 1, 0}, {"A, at first", cells, 0, 1}, {"B, at first", cells, 1, 1},
		{"A, later", cells, 0, 2}, {"B, later", cells, 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			sides := [2]*lazy.LazyTraceReader{other, other}
			r := open("threads.stream.bin", c.cells)
			sides[c.side] = r
			d := New(sides[0], sides[1], Options{})
			defer d.Close()
			calls := 0
			if err := d.Run(t.Context(), func(int64, int64) {
				if calls++; calls == c.doubt {
					distrusted(t, r)
				}
			}); err != nil {
				t.Fatal(err)
			}
			if r.Status().Epoch != 1 {
				t.Errorf("epoch %d", r.Status().Epoch)
			}
			if got := d.Counts(); got != want[c.side] {
				t.Errorf("the counts are %+v, want %+v", got, want[c.side])
			}
			hasBoth(t, d, sides[0], sides[1])
		})
	}
	t.Run("between", func(t *testing.T) {
		r := open("threads.stream.bin", cells)
		d := ran(t, r, other, Options{})
		distrusted(t, r)
		compact, pairs, err := d.Open(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer pairs.Close()
		defer compact.Close()
		if got := d.Counts(); got != want[0] {
			t.Errorf("the counts are %+v, want %+v", got, want[0])
		}
		hasBoth(t, d, r, other)
	})
}

// TestOpenBeginsAgain: what is in calls that are equal is read by the index when it is written. Then that may turn out to be wrong.
func TestOpenBeginsAgain(t *testing.T) {
	program := func(more bool) string {
		b := newProgram(t)
		b.Call(-1, b.main, func() {
			for range 3 {
				b.Call(-1, b.work, func() { b.Call(-1, b.step, nil); b.Call(-1, b.step, func() { b.Call(-1, b.main, nil) }) })
			}
			if more {
				b.Call(-1, b.run, nil)
			}
		})
		return b.File()
	}
	path := program(false)
	r, err := lazy.Open(path, lazy.Options{}) // stores an index
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Wait(t.Context()), r.Close()); err != nil {
		t.Fatal(err)
	}
	cells, err := os.ReadFile(path + format.IndexSuffix)
	if err != nil {
		t.Fatal(err)
	}
	for at := format.HeaderSize; at < len(cells)-format.IndexTail; at += format.CellSize {
		if c := format.DecodeCell(cells[at:]); c.Kind == format.KindTracePoint && c.ID == 7 {
			c.Start--
			c.Put(cells[at:])
		}
	}
	if err := os.WriteFile(path+format.IndexSuffix, cells, 0o600); err != nil {
		t.Fatal(err)
	}
	a, b := opened(t, program(true)), opened(t, path)
	d := ran(t, a, b, Options{})
	before := b.Status().Epoch
	compact, pairs, err := d.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pairs.Close()
	defer compact.Close()
	if now := b.Status().Epoch; before != 0 || now != 1 {
		t.Errorf("%d after Run, %d after Open", before, now)
	}
	hasBoth(t, d, a, b)
}

// distrusted makes the index of a trace one that turned out to be wrong.
func distrusted(t *testing.T, lr *lazy.LazyTraceReader) {
	t.Helper()
	r := lazy.ReaderOf(lr)
	on := r.KnownNow()
	r.Doubt(index.ErrContradiction, on.View, on.Epoch)
	if err := lr.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}
