package index

import (
	"cmp"
	"math"
	"slices"

	"tracex/format"
)

// slabStreams is how many streams a slab has.
const slabStreams = 64

// mappedStreams are the streams that the pass has found, in slabs: there may be a million.
type mappedStreams struct {
	cells *indexCells // the cells of all streams
	slabs [][]mappedStream
	byID  map[int32]int32 // by thread: the number of the stream
}

// mappedStream is a stream with its cells.
type mappedStream struct {
	Stream
	cells mappedCells
}

func (l *mappedStreams) init(index []byte, dump bool) {
	l.cells, l.slabs, l.byID = &indexCells{index, dump}, nil, make(map[int32]int32)
}

// find returns the stream of a thread; nil if it has not been found.
func (l *mappedStreams) find(thread int32) *Stream {
	if n, ok := l.byID[thread]; ok {
		return &l.slabs[n/slabStreams][n%slabStreams].Stream
	}
	return nil
}

// add adds a stream.
func (l *mappedStreams) add() *Stream {
	if n := len(l.slabs); n == 0 || len(l.slabs[n-1]) == slabStreams {
		l.slabs = append(l.slabs, make([]mappedStream, 0, slabStreams))
	}
	slab := &l.slabs[len(l.slabs)-1]
	*slab = append(*slab, mappedStream{cells: mappedCells{indexCells: l.cells}})
	s := &(*slab)[len(*slab)-1]
	s.Cells = &s.cells
	if l.len() == 1 {
		// Most traces have one large thread, the first: allocate its samples at once,
		// since growing them would leave garbage of several times their size.
		s.cells.sampled().groups = make([]int64, 0, len(l.cells.index)/(groupCells*format.CellSize)+1)
	}
	return &s.Stream
}

// name gives the last stream added its thread.
func (l *mappedStreams) name(s *Stream, thread int32) {
	s.Thread = thread
	l.byID[thread] = int32(l.len() - 1)
}

func (l *mappedStreams) len() int {
	n := len(l.slabs)
	if n == 0 {
		return 0
	}
	return (n-1)*slabStreams + len(l.slabs[n-1])
}

// list returns the streams by thread id. They must not change from then on.
func (l *mappedStreams) list() []*Stream {
	list := make([]*Stream, 0, l.len())
	for _, slab := range l.slabs {
		for i := range slab {
			list = append(list, &slab[i].Stream)
		}
	}
	slices.SortFunc(list, func(a, b *Stream) int { return cmp.Compare(a.Thread, b.Thread) })
	return list
}

// building is a stream whose cells the pass takes.
type building struct {
	*Stream
	cells      *mappedCells
	lastEnd    int64 // of the previous container; -1 if there is none
	inRun      bool
	inGroup    int   // cells of the group that is not complete
	groupStart int64 // their smallest start
}

// resume returns the state of a stream after the cells that the pass has taken. It is found in the
// index again: with many threads it is not worth keeping.
func resume(s *Stream) building {
	c := s.Cells.(*mappedCells)
	b := building{Stream: s, cells: c, lastEnd: -1, inGroup: int(c.n % groupCells), groupStart: math.MaxInt64}
	if c.n > 0 {
		b.lastEnd = c.At(c.n - 1).End
		b.groupStart = c.smallestStart(c.n - int64(b.inGroup))
	}
	return b
}

// room returns how many cells the current group lacks, one or more.
func (b *building) room() int { return groupCells - b.inGroup }

// add adds n cells, at most room(), whose smallest start is smallest.
func (b *building) add(n int, smallest int64) {
	b.groupStart = min(b.groupStart, smallest)
	if b.inGroup += n; b.inGroup == groupCells {
		b.cells.sampled().add(b.groupStart)
		b.inGroup, b.groupStart = 0, math.MaxInt64
	}
}
