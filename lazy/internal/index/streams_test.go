package index

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"tracex/format"
)

// TestPackedStreams: streams that the pass has kept are those that it left, also after more was added, by index and by
// thread, whether or not ids rise.
func TestPackedStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, rising := range []bool{true, false} {
		var l mappedStreams
		l.init(make([]byte, 1<<20), false)
		want := make(map[int32]mappedStream)
		at, cellAt := int64(format.HeaderSize), int64(format.HeaderSize)
		block := func(s *mappedStream) {
			size, descriptors, containers := rng.Int64N(1000), rng.Int64N(3), rng.Int64N(5)
			if rng.IntN(50) == 0 {
				at += 1 << 40
			}
			s.begin(Block{Logical: s.Size, Physical: at, CellAt: cellAt})
			s.Size, at = s.Size+size, at+size+10
			if containers > 0 {
				s.cells.addRun(cellAt + (1+descriptors)*format.CellSize)
				s.cells.n += containers
			}
			cellAt += (descriptors + containers) * format.CellSize
			s.end(cellAt)
			cellAt += format.CellSize
			l.keep(s)
			want[s.Thread] = *s
		}
		for i := range int32(5000) {
			s := l.start()
			if s.Thread = 3 * i; !rising {
				s.Thread = rng.Int32() - 1<<30
			}
			if n, known := l.find(s.Thread); known {
				s = l.in(new(mappedStream), n)
			}
			block(s)
			if rng.IntN(10) == 0 {
				n, _ := l.find(want[s.Thread].Thread)
				block(l.in(new(mappedStream), n))
			}
		}
		if whole := len(l.whole); whole < 10 || whole > 1000 {
			t.Errorf("%d of %d streams are whole", whole, l.n)
		}
		v := &View{Streams: l.streams(l.byID == nil)}
		ids := slices.Sorted(maps.Keys(want))
		if v.Streams.Len() != len(ids) || (l.byID == nil) != rising {
			t.Fatalf("%d streams, want %d", v.Streams.Len(), len(ids))
		}
		for i, s := range v.Streams.All() {
			w := want[ids[i]]
			same := s.Thread == w.Thread && s.Size == w.Size && s.first == w.first && s.more == w.more
			if c := s.Cells.(*mappedCells); !same || *c != w.cells || s.Blocks() != w.Blocks() {
				t.Fatalf("stream %d is %+v with %+v, want %+v", i, s, *c, w)
			}
			at, found := v.Streams.Search(s.Thread)
			if at != i || !found || v.Streams.Thread(i) != w.Thread || v.Size(s.Thread) != w.Size || v.Stream(s.Thread).Size != w.Size {
				t.Fatalf("thread %d is found at %d, want %d", s.Thread, at, i)
			}
			if _, found := v.Streams.Search(s.Thread + 1); found != (i+1 < len(ids) && ids[i+1] == s.Thread+1) || v.Size(s.Thread+1) != 0 && !found {
				t.Fatalf("thread %d is found", s.Thread+1)
			}
		}
	}
}
