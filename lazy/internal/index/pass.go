package index

import (
	"context"
	"errors"
	"math"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// passChunk is how many cells the pass processes between two checks of its
// context.
const passChunk = 1 << 15

// pass is the one pass over the index: it finds the cells of blocks and of
// reference objects, and keeps checkpoints of the starts of containers. It checks each
// block cell against the data, and that the ends of a thread's containers rise;
// everything else is checked when it is used.
type pass struct {
	index, data *mapped.File
	dump        bool // a block's cell comes after the cells of its objects
	streams     mappedStreams
	cur         building // of the block that the cells belong to; of a dump: the stream whose block cell has not been read yet
	nextBlock   int64    // physical: where the next block must start
	from        int64    // of a dump: the position of the first cell of the block whose cell has not been read
	blocks      int
	reference   func(object []byte, cell format.Cell) error // adds to the context
	publish     func(*View) error                           // gets the complete view, once
	progress    func(done int64)
}

// run makes the pass. It must be called within mapped.Guard. It publishes nothing
// before the end: in the middle of an index it is not known which containers
// are open, and so where the children of a node begin.
func (p *pass) run(ctx context.Context) error {
	cells, err := checkEnd(p.index)
	if err != nil {
		return err
	}
	p.nextBlock, p.from = format.HeaderSize, format.HeaderSize
	lo, hi := int64(format.HeaderSize), format.HeaderSize+cells*format.CellSize
	p.dump = p.dump || cells > 0 && format.Kind(p.index.Bytes()[lo]) != format.KindBlockStart
	p.streams.init(p.index.Bytes(), p.dump)
	for pos := lo; pos < hi; {
		stop := min(pos+passChunk*format.CellSize, hi)
		for pos < stop {
			if pos = p.containers(pos, stop); pos == stop {
				break
			}
			if p.index.Bytes()[pos] == byte(format.KindTracePoint) {
				return p.contradicts(pos, "a container that does not end after the one before it")
			}
			if err := p.other(pos); err != nil {
				return err
			}
			pos += format.CellSize
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		p.progress(pos - lo)
	}
	if err := p.finish(hi); err != nil {
		return err
	}
	return p.publish(p.view())
}

// containers takes the container cells from pos on and returns the position of the
// first cell that is not a container's, or is out of order. The pass over a large index
// spends nearly all of its time in this loop.
func (p *pass) containers(pos, stop int64) int64 {
	b := p.index.Bytes()
	if b[pos] != byte(format.KindTracePoint) {
		return pos
	}
	s := p.owner()
	if s == nil {
		return pos
	}
	if !s.inRun {
		s.cells.addRun(pos)
		s.inRun = true
	}
	first, last := pos, s.lastEnd
	for pos < stop {
		most := min(stop, pos+int64(s.room())*format.CellSize)
		if n, end, smallest := ascending(b[pos:most], last); n > 0 {
			s.add(n, smallest)
			last, pos = end, pos+int64(n)*format.CellSize
			continue
		}
		cell := b[pos : pos+format.CellSize : pos+format.CellSize]
		if cell[0] != byte(format.KindTracePoint) {
			break
		}
		start, end := format.CellStart(cell), format.CellEnd(cell)
		if end <= last || start > end || start < 0 {
			break
		}
		s.add(1, start)
		last, pos = end, pos+format.CellSize
	}
	s.cells.n += (pos - first) / format.CellSize
	s.lastEnd = last
	return pos
}

// ascending reads the cells at the start of b, two at a time, while they are of
// containers whose ends rise, beginning after last, which is -1 or more. It returns
// how many it has read, the end of the last one and their smallest start. It checks two
// cells together: any fault makes the sign of one number negative.
func ascending(b []byte, last int64) (n int, end, smallest int64) {
	const kind, pair = int64(format.KindTracePoint), 2 * format.CellSize
	smallest = math.MaxInt64
	for ; len(b) >= pair; b = b[pair:] {
		c := (*[pair]byte)(b)
		start0, end0 := format.CellStart(c[:]), format.CellEnd(c[:])
		start1, end1 := format.CellStart(c[format.CellSize:]), format.CellEnd(c[format.CellSize:])
		kind0, kind1 := int64(c[0])^kind, int64(c[format.CellSize])^kind
		wrong := -(kind0 | kind1) | start0 | start1 | end0 | end1 |
			(end0 - start0) | (end1 - start1) | (end0 - last - 1) | (end1 - end0 - 1)
		if wrong < 0 {
			break
		}
		smallest = min(smallest, start0, start1)
		last = end1
		n += 2
	}
	return n, last, smallest
}

// owner returns the stream that a container or reference cell belongs to: nil
// if no block is open for it.
func (p *pass) owner() *building {
	if p.cur.mappedStream == nil {
		if !p.dump {
			return nil
		}
		p.cur = resume(p.streams.start())
	}
	return &p.cur
}

func (p *pass) view() *View {
	if p.cur.mappedStream != nil {
		p.streams.keep(p.cur.mappedStream)
	}
	v := &View{Streams: p.streams.streams(p.streams.byID == nil), Complete: true, EOF: true, Blocks: p.blocks, Index: p.index}
	p.streams = mappedStreams{} // whoever gets the view needs the memory
	v.Cells = (int64(len(p.index.Bytes())) - format.HeaderSize - format.IndexTail) / format.CellSize
	return v
}

// Loader makes the one pass over a mapped index, and builds a View.
type Loader struct {
	Index, Data *mapped.File
	// Reference gets each reference object that has a cell, from its first byte to
	// the end of the data. An error means that the cell is wrong.
	Reference func(object []byte, cell format.Cell) error
	// Accept gets the View. An error that is ErrContradiction refuses the index.
	Accept func(*View) error
	// Progress, if not nil, gets the number of bytes of the index done, now and then.
	Progress func(done int64)
}

// Load makes the pass. It must be called within mapped.Guard. It calls Accept only at the
// end: in the middle of an index it is not known which containers are open, and so
// where the children of a node begin. If the first and the last cell are both
// of blocks, the index may be a streaming writer's or a dump writer's; the latter is
// tried if it cannot be the former.
func (l *Loader) Load(ctx context.Context) error {
	err := l.pass(false).run(ctx)
	if err == nil || !errors.Is(err, ErrContradiction) {
		return err
	}
	b := l.Index.Bytes()
	if total := int64(len(b)); total < format.HeaderSize+format.IndexTail+format.CellSize ||
		format.Kind(b[format.HeaderSize]) != format.KindBlockStart || // it was read as a dump writer's
		format.Kind(b[total-format.IndexTail-format.CellSize]) != format.KindBlockStart {
		return err
	}
	if l.pass(true).run(ctx) == nil {
		return nil
	}
	return err
}

func (l *Loader) pass(dump bool) *pass {
	progress := l.Progress
	if progress == nil {
		progress = func(int64) {}
	}
	return &pass{index: l.Index, data: l.Data, dump: dump, reference: l.Reference, publish: l.Accept, progress: progress}
}
