package index

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/compact"
)

// Streams are the streams of a view, by thread id. Those of an index are packed: of a million
// threads most have one block, and take some 20 bytes each. So a *Stream that is asked for twice
// may be two equal ones.
type Streams struct {
	list   []*Stream // nil if they are packed
	packed *packedStreams
	order  []int32 // of packed ones: their numbers by thread id; nil if they were found in that order
}

// StreamsOf returns streams that are listed by thread id.
func StreamsOf(list ...*Stream) Streams { return Streams{list: list} }

// Len returns how many streams there are.
func (l *Streams) Len() int {
	if l.packed != nil {
		return l.packed.n
	}
	return len(l.list)
}

// number returns the number that a packed stream has.
func (l *Streams) number(i int) int {
	if l.order != nil {
		return int(l.order[i])
	}
	return i
}

// At returns the i-th stream.
func (l *Streams) At(i int) *Stream { return l.In(new(Room), i) }

// Room is where a packed stream is unpacked.
type Room struct{ stream mappedStream }

// In is At for callers that look at one stream after the other: the one returned is valid until the room is used again.
func (l *Streams) In(room *Room, i int) *Stream {
	if l.packed != nil {
		return &l.packed.in(&room.stream, l.number(i)).Stream
	}
	return l.list[i]
}

// Size returns the size of the i-th stream in bytes.
func (l *Streams) Size(i int) int64 {
	if l.packed != nil {
		return l.packed.size(l.number(i))
	}
	return l.list[i].Size
}

// Thread returns the thread of the i-th stream.
func (l *Streams) Thread(i int) int32 {
	if l.packed != nil {
		return l.packed.thread(l.number(i))
	}
	return l.list[i].Thread
}

// All yields the streams with their indexes. A stream is valid until the next one.
func (l *Streams) All() iter.Seq2[int, *Stream] { return l.Range(0, l.Len()) }

// Range is All of the streams from an index on, and before another, which may be beyond the last one.
func (l *Streams) Range(from, to int) iter.Seq2[int, *Stream] {
	return func(yield func(int, *Stream) bool) {
		room := new(Room)
		for i := from; i < min(to, l.Len()); i++ {
			if !yield(i, l.In(room, i)) {
				return
			}
		}
	}
}

// Search returns the index of the first stream of a thread with this id or a higher one; found means that it is of
// this thread. Most recorders count threads from 0, without gaps.
func (l *Streams) Search(thread int32) (i int, found bool) {
	n := l.Len()
	if i = int(thread); i < 0 || i >= n || l.Thread(i) != thread {
		i = sort.Search(n, func(i int) bool { return l.Thread(i) >= thread })
	}
	return i, i < n && l.Thread(i) == thread
}

// Shares reports whether the i-th stream is the same as the k-th of another view: nothing was added to it. Views of
// an index share none.
func (l *Streams) Shares(i int, o *Streams, k int) bool {
	return l.packed == nil && o.packed == nil && l.list[i] == o.list[k]
}

// packedStreams are the streams of an index, numbered from 0 as they were found.
type packedStreams struct {
	cells   *indexCells // the cells of all
	n       int
	columns [packedColumns]compact.Numbers
	whole   []*mappedStream // the streams that the columns cannot describe
}

// The columns of packed streams.
const (
	packedThread     = iota
	packedContainers // how many; wholeStream for one in whole
	packedPhysical   // offset of the content of its only block; of one in whole: its index there
	packedSize       // in bytes
	packedCellAt     // offset of the cell of its block
	packedFirst      // the cells from there to that of the first container
	packedLast       // the cells from there to the last one
	packedColumns
)

const wholeStream = -1

// mappedStream is a stream with its cells.
type mappedStream struct {
	Stream
	cells mappedCells
}

// init makes s a stream without blocks.
func (s *mappedStream) init(cells *indexCells) {
	*s = mappedStream{cells: mappedCells{indexCells: cells}}
	s.Cells = &s.cells
}

func (l *packedStreams) thread(n int) int32 { return int32(l.columns[packedThread].At(n)) }

func (l *packedStreams) size(n int) int64 {
	if c := &l.columns; c[packedContainers].At(n) != wholeStream {
		return c[packedSize].At(n)
	}
	return l.whole[l.columns[packedPhysical].At(n)].Size
}

// in returns the stream with a number, in room if it is not in whole.
func (l *packedStreams) in(room *mappedStream, n int) *mappedStream {
	c := &l.columns
	containers, physical := c[packedContainers].At(n), c[packedPhysical].At(n)
	if containers == wholeStream {
		return l.whole[physical]
	}
	s, cellAt := room, c[packedCellAt].At(n)
	s.init(l.cells)
	s.Thread, s.Size = l.thread(n), c[packedSize].At(n)
	s.first = place{physical: physical, cellAt: cellAt, last: cellAt + c[packedLast].At(n)*format.CellSize}
	if containers > 0 {
		s.cells.n, s.cells.first = containers, cellAt+c[packedFirst].At(n)*format.CellSize
	}
	return s
}

// put adds a stream, or puts it in place of the n-th.
func (l *packedStreams) put(n int, s *mappedStream) {
	c := &l.columns
	if n == l.n {
		for i := range c {
			c[i].Grow(1)
		}
		l.n++
		c[packedThread].Set(n, int64(s.Thread))
	} else if c[packedContainers].At(n) == wholeStream {
		return // s is the one in whole
	}
	if s.more != nil || s.cells.more != nil || s.Blocks() != 1 {
		c[packedContainers].Set(n, wholeStream)
		c[packedPhysical].Set(n, int64(len(l.whole)))
		l.whole = append(l.whole, s)
		return
	}
	p := &s.first
	c[packedContainers].Set(n, s.cells.n)
	c[packedPhysical].Set(n, p.physical)
	c[packedSize].Set(n, s.Size)
	c[packedCellAt].Set(n, p.cellAt)
	c[packedFirst].Set(n, 0)
	if s.cells.n > 0 {
		c[packedFirst].Set(n, (s.cells.first-p.cellAt)/format.CellSize)
	}
	c[packedLast].Set(n, (p.last-p.cellAt)/format.CellSize)
}

// streams returns the streams by thread id. They must not change from then on.
func (l *packedStreams) streams(rising bool) Streams {
	s := Streams{packed: l}
	if !rising {
		s.order = make([]int32, l.n)
		for n := range s.order {
			s.order[n] = int32(n)
		}
		slices.SortFunc(s.order, func(a, b int32) int { return cmp.Compare(l.thread(int(a)), l.thread(int(b))) })
	}
	return s
}
