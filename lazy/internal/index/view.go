package index

import (
	"sort"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// View is what is known of a trace at one moment. It never changes: when more is
// known there is another View, which shares memory with the previous one.
type View struct {
	Streams  []*Stream    // by thread id
	Complete bool         // the whole data file is known: no more will follow
	EOF      bool         // the data has its end mark
	Blocks   int          // of all threads
	Index    *mapped.File // the index that the cells are in; nil if none
	Data     *mapped.File // the data that was scanned; nil if none
	// Cells is how many cells the index has, or would have if a recorder had written
	// it so far, excluding the end cell.
	Cells int64
}

func sortStreams(list []*Stream) {
	sort.Slice(list, func(i, j int) bool { return list[i].Thread < list[j].Thread })
}

// Stream returns the stream of a thread; nil if the trace has none.
func (v *View) Stream(thread int32) *Stream {
	i := sort.Search(len(v.Streams), func(i int) bool { return v.Streams[i].Thread >= thread })
	if i < len(v.Streams) && v.Streams[i].Thread == thread {
		return v.Streams[i]
	}
	return nil
}

// Dumped reports whether the cells are in the order of dump writers.
func (v *View) Dumped() bool {
	for _, s := range v.Streams {
		if c, ok := s.Cells.(*mappedCells); ok {
			return c.dump
		}
	}
	return false
}

// Stream is one thread's stream: the contents of its blocks, joined. Its
// offsets are logical. Like its View it never changes.
type Stream struct {
	Thread int32
	Blocks []Block   // in file order, and so in order of logical offsets
	Lasts  []int64   // offsets of the last cells of the blocks that have ended
	Size   int64     // content bytes known
	Cells  Cells     // of its containers
	open   []unended // outermost first

	Scanned Tally // counts of a scan; zero if an index was loaded
}

// unended is a container whose footer has not been read by the end of the known
// data.
type unended struct {
	at    int64 // logical: its header
	start int64 // logical: its content
}

// OpenChild returns the logical offset of the child that has not ended, in the container
// whose content begins at start; in the thread, for 0. There is at most one: the last
// child.
func (s *Stream) OpenChild(start int64) (at int64, ok bool) {
	i := 0
	if start > 0 {
		i = sort.Search(len(s.open), func(i int) bool { return s.open[i].start > start })
		if i == 0 || s.open[i-1].start != start {
			return 0, false
		}
	}
	if i == len(s.open) {
		return 0, false
	}
	return s.open[i].at, true
}

// Unended is a container whose footer has not been read by the end of the known data: the logical
// offsets of its header and of its content.
type Unended struct{ At, Start int64 }

// Unended returns the containers that have not ended, the outermost first.
func (s *Stream) Unended() []Unended {
	list := make([]Unended, len(s.open))
	for i, o := range s.open {
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

// Locate returns the index of the block that holds the byte at a logical
// offset below Size, skipping empty blocks. hint is where to look first.
func (s *Stream) Locate(logical int64, hint int) int {
	for _, i := range [...]int{hint, hint + 1} {
		if i >= 0 && i < len(s.Blocks) && s.Blocks[i].Logical <= logical &&
			(i+1 == len(s.Blocks) || logical < s.Blocks[i+1].Logical) {
			return i
		}
	}
	return sort.Search(len(s.Blocks), func(i int) bool { return s.Blocks[i].Logical > logical }) - 1
}

// End returns the logical offset after block i.
func (s *Stream) End(i int) int64 {
	if i+1 < len(s.Blocks) {
		return s.Blocks[i+1].Logical
	}
	return s.Size
}

// Physical translates a logical offset; -1 if there is no such byte.
func (s *Stream) Physical(logical int64) int64 {
	if logical < 0 || logical > s.Size || len(s.Blocks) == 0 {
		return -1
	}
	b := s.Blocks[s.Locate(logical, 0)]
	return b.Physical + logical - b.Logical
}

// Ranges calls f for the physical ranges of a range of logical offsets, in order, until
// f fails.
func (s *Stream) Ranges(from, to int64, f func(from, to int64) error) error {
	for i := max(s.Locate(from, 0), 0); i < len(s.Blocks) && s.Blocks[i].Logical < to; i++ {
		b := s.Blocks[i]
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
