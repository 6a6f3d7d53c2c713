package lazy

import (
	"sort"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// view is what is known of a trace at one moment. It never changes: who learns
// more publishes another view, which shares memory with the one before.
type view struct {
	streams  []*stream // by thread id
	complete bool      // the whole data file is known: no more will come
	eof      bool      // the data has its end mark
	blocks   int
	index    *mapped.File // that the cells stand in; nil: in none
	data     *mapped.File // that it was scanned from; nil: it was not scanned
	cells    int64        // of the index, or of the one that a recorder would have written so far; without EOF's
}

func sortStreams(list []*stream) {
	sort.Slice(list, func(i, j int) bool { return list[i].thread < list[j].thread })
}

func (v *view) stream(thread int32) *stream {
	i := sort.Search(len(v.streams), func(i int) bool { return v.streams[i].thread >= thread })
	if i < len(v.streams) && v.streams[i].thread == thread {
		return v.streams[i]
	}
	return nil
}

// dumped reports whether the cells are those of an index in the order of dump
// writers.
func (v *view) dumped() bool {
	for _, s := range v.streams {
		if c, ok := s.cells.(*mappedCells); ok {
			return c.dump
		}
	}
	return false
}

// stream is one thread's stream: the contents of its blocks, joined. Its
// offsets are logical.
type stream struct {
	thread int32
	blocks []block   // in order of the file, and so of logical
	lasts  []int64   // places of the last cells of the blocks that have ended
	size   int64     // content bytes known
	cells  cells     // of its containers
	open   []unended // outermost first

	scanned Tally // what is in it, as a scan found; of an index it is nothing
}

// unended is a container whose footer has not come, by the end of what is
// known of the data.
type unended struct {
	at    int64 // logical: its header
	start int64 // logical: its content
}

// openChild returns where the child stands that has not ended, of the container
// whose content begins at start; of the thread, for 0. There is at most one: it
// is the last.
func (s *stream) openChild(start int64) (at int64, ok bool) {
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

// block is where a piece of a stream stands.
type block struct {
	logical  int64 // of its first content byte
	physical int64 // of its first content byte
	place    int64 // of its cell
}

// locate returns the index of the block that holds the byte at a logical
// offset below size: of empty blocks and the one behind them, the latter.
// hint is where to look first.
func (s *stream) locate(logical int64, hint int) int {
	for _, i := range [...]int{hint, hint + 1} {
		if i >= 0 && i < len(s.blocks) && s.blocks[i].logical <= logical &&
			(i+1 == len(s.blocks) || logical < s.blocks[i+1].logical) {
			return i
		}
	}
	return sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].logical > logical }) - 1
}

// end returns the logical offset behind block i.
func (s *stream) end(i int) int64 {
	if i+1 < len(s.blocks) {
		return s.blocks[i+1].logical
	}
	return s.size
}

// physical translates a logical offset; -1 when there is no such byte.
func (s *stream) physical(logical int64) int64 {
	if logical < 0 || logical > s.size || len(s.blocks) == 0 {
		return -1
	}
	b := s.blocks[s.locate(logical, 0)]
	return b.physical + logical - b.logical
}

// cells are the containers of one thread in post-order: a container comes
// behind all that it contains, and ends rise strictly. They are numbered from
// 0; that number is called ordinal. What is returned has not been checked
// against the data.
type cells interface {
	// len is the number of containers whose end is known.
	len() int64
	// at returns the cell of an ordinal from 0 to below len.
	at(ord int64) format.Cell
	// placed is at, and returns the place of the cell: its offset, in bytes,
	// in the index that a streaming recorder writes of the data.
	placed(ord int64) (c format.Cell, place int64)
	// firstEnding returns the first ordinal whose end is x or more; len()
	// when there is none.
	firstEnding(x int64) int64
	// firstAround returns the first ordinal of at least from whose start is
	// x or less; len() when there is none. With from = firstEnding(x) that
	// is the innermost container around x.
	firstAround(from, x int64) int64
	// around is firstAround, with the cell and its place where there is one. hint
	// is of the user alone, who goes from cell to cell: it begins as 0.
	around(from, x int64, hint *int) (ord int64, c format.Cell, place int64)
}
