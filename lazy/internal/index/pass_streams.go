package index

import (
	"math"

	"tracex/format"
)

// mappedStreams are the streams that the pass has found.
type mappedStreams struct {
	*packedStreams
	byID map[int32]int32 // by thread: the number of the stream; nil while the ids have risen
}

func (l *mappedStreams) init(index []byte, dump bool) {
	l.packedStreams, l.byID = &packedStreams{cells: &indexCells{index, dump}}, nil
}

// find returns the number of the stream of a thread.
func (l *mappedStreams) find(thread int32) (n int, ok bool) {
	if l.byID != nil {
		i, ok := l.byID[thread]
		return int(i), ok
	}
	if l.n == 0 || thread > l.thread(l.n-1) {
		return 0, false
	}
	s := Streams{packed: l.packedStreams}
	return s.Search(thread)
}

// start returns a stream without a thread.
func (l *mappedStreams) start() *mappedStream {
	s := new(mappedStream)
	s.init(l.cells)
	if l.n == 0 {
		// Most traces have one large thread, the first: allocate its samples at once,
		// since growing them would leave garbage of several times their size.
		s.cells.sampled().groups = make([]int64, 0, len(l.cells.index)/(groupCells*format.CellSize)+1)
	}
	return s
}

// keep keeps a stream that the pass leaves, for now.
func (l *mappedStreams) keep(s *mappedStream) {
	n, known := l.find(s.Thread)
	switch {
	case known:
	case l.byID == nil && l.n > 0 && s.Thread < l.thread(l.n-1):
		l.byID = make(map[int32]int32, l.n)
		for i := range l.n {
			l.byID[l.thread(i)] = int32(i)
		}
		fallthrough
	default:
		if n = l.n; l.byID != nil {
			l.byID[s.Thread] = int32(n)
		}
	}
	l.put(n, s)
}

// building is a stream whose cells the pass takes.
type building struct {
	*mappedStream
	lastEnd    int64 // of the previous container; -1 if there is none
	inRun      bool
	inGroup    int   // cells of the group that is not complete
	groupStart int64 // their smallest start
}

// resume returns the state of a stream after the cells that the pass has taken. It is found in the
// index again: with many threads it is not worth keeping.
func resume(s *mappedStream) building {
	c := &s.cells
	b := building{mappedStream: s, lastEnd: -1, inGroup: int(c.n % groupCells), groupStart: math.MaxInt64}
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
