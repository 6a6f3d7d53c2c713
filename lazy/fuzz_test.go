package lazy

import (
	"context"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// fuzzMost is the maximum size of the data tried, in bytes: an operation that takes long
// with it would never end with a real trace.
const fuzzMost = 1 << 16

// seeds adds small traces of many kinds to a fuzz target.
func seeds(f *testing.F, add func(data, index []byte)) {
	for _, name := range small {
		add(formattest.Recorded(f, name), formattest.Recorded(f, name+".idx"))
	}
	for _, s := range []formattest.Shape{formattest.Random, formattest.Deep, formattest.Wide, formattest.WideLeaves} {
		for crash := range formattest.Crash(3) {
			spec := formattest.Spec{Shape: s, N: 60, Seed: 1, Wild: crash == 1, Crash: crash}
			spec.BlockSize = 512
			add(formattest.Bytes(f, spec))
			spec.Version = format.V27
			add(formattest.Bytes(f, spec))
		}
	}
}

// FuzzLazy: whatever data and index contain, every operation on them ends, with an
// error or a result.
func FuzzLazy(f *testing.F) {
	seeds(f, func(data, index []byte) { f.Add(data, index) })
	f.Fuzz(func(t *testing.T, data, index []byte) {
		if len(data) <= fuzzMost && len(index) <= fuzzMost {
			try(t, data, index)
		}
	})
}

// FuzzIndexPass: the pass over an index accepts it or returns why not; an accepted
// index can be searched without a panic, whatever its cells contain.
func FuzzIndexPass(f *testing.F) {
	seeds(f, func(data, cells []byte) { f.Add(data, cells) })
	f.Fuzz(func(t *testing.T, data, cells []byte) {
		if len(data) > fuzzMost || len(cells) > fuzzMost {
			return
		}
		var got *index.View
		l := &index.Loader{
			Index: mapped.InMemory("memory.idx", cells), Data: dataInMemory(data),
			Reference: func([]byte, format.Cell) error { return nil }, Progress: func(int64) {},
			Accept: func(v *index.View) error {
				got = v
				return nil
			},
		}
		if err := l.Load(context.Background()); err != nil {
			if got != nil {
				t.Fatal("published, and failed")
			}
			return
		}
		for _, s := range got.Streams.All() {
			last := int64(-1)
			for ord := range s.Cells.Len() {
				c := s.Cells.At(ord)
				if c.End <= last || c.Start > c.End || c.End >= s.Size {
					t.Fatalf("cell %+v behind %d in %d bytes", c, last, s.Size)
				}
				last = c.End
				if got := s.Cells.FirstEnding(c.End); got != ord {
					t.Fatalf("the first that ends at %d is %d, want %d", c.End, got, ord)
				}
				if got := s.Cells.FirstAround(ord, c.Start); got != ord {
					t.Fatalf("the first around %d is %d, want %d", c.Start, got, ord)
				}
			}
		}
	})
}
