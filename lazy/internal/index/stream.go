package index

import (
	"sort"

	"tracex/format"
)

// Stream is one thread's stream: the contents of its blocks, joined. Its
// offsets are logical. Like its View it never changes. It is small: a trace may have a
// million of them, of one block each.
type Stream struct {
	Thread int32
	Size   int64 // content bytes known
	Cells  Cells // of its containers
	first  place // of the first block
	more   *more // nil for one block with nothing open in it
}

// place is where a block is: its physical offset and that of its cell, see Block, and the
// offset of its last cell, 0 if the block has not ended.
type place struct{ physical, cellAt, last int64 }

// more is what few of many streams have.
type more struct {
	blocks []Block   // all of them, if there are several
	lasts  []int64   // offsets of the last cells of those that have ended
	open   []unended // outermost first
}

// unended is a container whose footer has not been read by the end of the known
// data.
type unended struct {
	at    int64 // logical: its header
	start int64 // logical: its content
}

// Cells are the containers of one thread in post-order: a container follows
// everything that it contains, and ends rise strictly. They are numbered from
// 0; that number is called ordinal. The results have not been checked
// against the data.
type Cells interface {
	// Len is the number of containers whose end is known.
	Len() int64
	// At returns the cell of an ordinal from 0 to below Len.
	At(ord int64) format.Cell
	// WithOffset is At, and returns the offset of the cell, in bytes,
	// in the index that a streaming recorder writes for the data.
	WithOffset(ord int64) (c format.Cell, cellAt int64)
	// FirstEnding returns the first ordinal whose end is x or more; Len()
	// if there is none.
	FirstEnding(x int64) int64
	// FirstAround returns the first ordinal, not less than from, whose start is
	// x or less; Len() if there is none. With from = FirstEnding(x) that
	// is the innermost container around x.
	FirstAround(from, x int64) int64
	// Around is FirstAround, with the cell and its offset if there is one. hint
	// belongs to the caller, who passes it from call to call, beginning with 0.
	Around(from, x int64, hint *int) (ord int64, c format.Cell, cellAt int64)
}

// opened returns the containers that have not ended, the outermost first.
func (s *Stream) opened() []unended {
	if s.more == nil {
		return nil
	}
	return s.more.open
}

// OpenChild returns the logical offset of the child that has not ended, in the container
// whose content begins at start; in the thread, for 0. There is at most one: the last
// child.
func (s *Stream) OpenChild(start int64) (at int64, ok bool) {
	open := s.opened()
	i := 0
	if start > 0 {
		i = sort.Search(len(open), func(i int) bool { return open[i].start > start })
		if i == 0 || open[i-1].start != start {
			return 0, false
		}
	}
	if i == len(open) {
		return 0, false
	}
	return open[i].at, true
}

// Unended is a container whose footer has not been read by the end of the known data: the logical
// offsets of its header and of its content.
type Unended struct{ At, Start int64 }

// Unended returns the containers that have not ended, the outermost first.
func (s *Stream) Unended() []Unended {
	list := make([]Unended, len(s.opened()))
	for i, o := range s.opened() {
		list[i] = Unended{o.at, o.start}
	}
	return list
}

// Block is the position of a block of a stream.
type Block struct {
	Logical  int64 // of its first content byte
	Physical int64 // of its first content byte
	CellAt   int64 // of its cell
}

// Blocks returns the number of blocks. They are numbered from 0 in file order, and so in order of
// logical offsets.
func (s *Stream) Blocks() int {
	switch {
	case s.several():
		return len(s.more.blocks)
	case s.first.physical == 0:
		return 0
	}
	return 1
}

func (s *Stream) several() bool { return s.more != nil && len(s.more.blocks) > 0 }

// Block returns a block.
func (s *Stream) Block(i int) Block {
	if s.several() {
		return s.more.blocks[i]
	}
	return Block{Physical: s.first.physical, CellAt: s.first.cellAt}
}

// Last returns the offset of the last cell of a block; ok is false if the block has not ended.
func (s *Stream) Last(i int) (cellAt int64, ok bool) {
	switch {
	case s.several() && i < len(s.more.lasts):
		return s.more.lasts[i], true
	case s.several() || s.first.last == 0:
		return 0, false
	}
	return s.first.last, true
}

// ended returns how many blocks have ended: all, or all but the last.
func (s *Stream) ended() int {
	n := s.Blocks()
	if n > 0 {
		if _, ok := s.Last(n - 1); !ok {
			n--
		}
	}
	return n
}

// begin adds a block.
func (s *Stream) begin(b Block) {
	if s.Blocks() == 0 {
		s.first = place{physical: b.Physical, cellAt: b.CellAt}
		return
	}
	if !s.several() {
		first, last := s.Block(0), s.first.last
		s.more = &more{blocks: []Block{first}, lasts: []int64{last}}
	}
	s.more.blocks = append(s.more.blocks, b)
}

// end ends the last block, whose last cell is at an offset.
func (s *Stream) end(cellAt int64) {
	if s.several() {
		s.more.lasts = append(s.more.lasts, cellAt)
	} else {
		s.first.last = cellAt
	}
}

// Locate returns the index of the block that holds the byte at a logical
// offset below Size, skipping empty blocks. hint is where to look first.
func (s *Stream) Locate(logical int64, hint int) int {
	n := s.Blocks()
	for _, i := range [...]int{hint, hint + 1} {
		if i >= 0 && i < n && s.Block(i).Logical <= logical && (i+1 == n || logical < s.Block(i+1).Logical) {
			return i
		}
	}
	return sort.Search(n, func(i int) bool { return s.Block(i).Logical > logical }) - 1
}

// End returns the logical offset after block i.
func (s *Stream) End(i int) int64 {
	if i+1 < s.Blocks() {
		return s.Block(i + 1).Logical
	}
	return s.Size
}

// Physical translates a logical offset; -1 if there is no such byte.
func (s *Stream) Physical(logical int64) int64 {
	if logical < 0 || logical > s.Size || s.Blocks() == 0 {
		return -1
	}
	b := s.Block(s.Locate(logical, 0))
	return b.Physical + logical - b.Logical
}

// Ranges calls f for the physical ranges of a range of logical offsets, in order, until
// f fails.
func (s *Stream) Ranges(from, to int64, f func(from, to int64) error) error {
	for i := max(s.Locate(from, 0), 0); i < s.Blocks() && s.Block(i).Logical < to; i++ {
		b := s.Block(i)
		lo, hi := max(from, b.Logical), min(to, s.End(i))
		if lo >= hi {
			continue
		}
		if err := f(b.Physical+lo-b.Logical, b.Physical+hi-b.Logical); err != nil {
			return err
		}
	}
	return nil
}

// Tally counts the contents of a thread's stream, up to a size.
type Tally struct {
	Size int64 // bytes of the stream that were counted
	Counts
}

// Counts are numbers of trace points.
type Counts struct {
	Calls  int64
	Events int64
}

// Count counts a trace point.
func (t *Counts) Count(c format.Class) {
	t.Events++
	if c == format.ClassCall {
		t.Calls++
	}
}
