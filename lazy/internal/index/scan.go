package index

import (
	"context"
	"math"
	"slices"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Scan finds blocks, containers and reference objects from the data alone, in
// steps; between two steps View tells what is known. It keeps a checkpoint for
// each 4,096 containers of a thread, from which their cells can be found again.
// One goroutine uses a Scan; its Views may be used by any.
//
// Its fields are the state of one loop over the data, which is as fast as memory:
// what more than one function of the loop needs is here.
type Scan struct {
	data      *mapped.File
	scanner   *format.Scanner
	streams   map[int32]*streamScan
	order     []*streamScan // the same, by thread id
	cur       *streamScan
	place     int64 // of the next cell
	blocks    int
	eof       bool
	err       error
	reference func(object []byte, cell format.Cell) error
	out       Sink     // may be nil
	partial   *partial // the block that the scan is in, of a file that is being written; nil: of another file
	regen     *regenerator
	leap      format.Leap
	room      []openFrame // that a stack had, for the next that needs some
}

// Sink takes the cells of an index in streaming order: a block comes before its
// objects, and its end, which is known only then, after them.
type Sink interface {
	BeginBlock(thread int32, start int64)
	EndBlock(end int64)
	Cell(format.Cell)
}

// streamScan is a stream while the scan finds it.
type streamScan struct {
	Stream
	stack  []openFrame
	n      int64 // containers ended
	points []checkpoint
	mins   []int64 // smallest start of each whole group of scanGroup cells
	min    int64   // of the current group
	base   int64   // physical offset of the current block's content
	before int64   // logical bytes before it
	shown  *Stream // in the view before; nil: it was not in it
}

// openFrame is a container that is open where the scan is.
type openFrame struct {
	at    int64 // logical, of its header
	start int64 // logical, of its content
	event int32
	class format.Class
	kept  *frame // made when a checkpoint needs it
}

// frame is a container that is open at a checkpoint. Frames are shared by
// checkpoints and do not change.
type frame struct {
	start  int64 // logical, of its content
	event  int32
	class  format.Class
	parent *frame
}

// checkpoint is where a group of scanGroup cells begins.
type checkpoint struct {
	pos   int64  // logical: after the footer before the first cell of the group
	place int64  // of the next cell, if it is of the same block
	open  *frame // what is open there
}

// ScanGroup is how many cells a scan keeps one checkpoint for.
const ScanGroup = 4096

// NewScan returns a scan from the beginning of the data. reference gets each
// reference object with the cell that an index has for it, within Step; its error
// ends the scan.
func NewScan(data *mapped.File, reference func([]byte, format.Cell) error) *Scan {
	return &Scan{
		data:      data,
		scanner:   format.NewBytesScanner(data.Bytes()),
		place:     format.HeaderSize,
		streams:   make(map[int32]*streamScan),
		reference: reference,
		regen:     &regenerator{data: data},
		leap:      format.Leap{Borders: make([]format.Border, 0, leapBorders)},
	}
}

// NewGrowingScan returns a scan of a file that is being written: a view shows no
// part of a block before the block is whole, unless it is large.
func NewGrowingScan(data *mapped.File, reference func([]byte, format.Cell) error) *Scan {
	s := NewScan(data, reference)
	s.partial = &partial{at: format.HeaderSize, place: s.place}
	return s
}

// Step scans about n bytes on and reports whether there is more. It must be
// called within guard. What ends the scan early is in err.
func (s *Scan) Step(ctx context.Context, n int64) (more bool, err error) {
	stop := s.scanner.Offset() + n
	for s.scanner.Offset() < stop {
		if s.scanner.Leap(stop, &s.leap) {
			s.leapt()
			continue
		}
		if !s.scanner.Next() {
			s.err = s.scanner.Err()
			return false, nil
		}
		o := s.scanner.Object()
		if err := s.object(&o); err != nil {
			s.err = err
			return false, nil
		}
	}
	return true, ctx.Err()
}

func (s *Scan) object(o *format.Object) error {
	switch o.Kind {
	case format.KindTracePoint:
		s.cur.Size = o.Logical + int64(len(o.Bytes))
		s.cur.Scanned.Count(o.Class)
		if o.Class.Container() {
			s.cur.stack = append(s.cur.stack, openFrame{at: o.Logical, start: s.cur.Size, event: format.EventOf(o.Bytes), class: o.Class})
		}
	case format.KindFooter:
		s.cur.Size = o.Logical + int64(len(o.Bytes))
		s.footer(o.Logical, s.cur.Size)
	case format.KindBlockStart:
		s.beginBlock(o)
	case format.KindBlockEnd:
		return s.endBlock(o)
	case format.KindEOF:
		s.eof = true
	default:
		s.cur.Size = o.Logical + int64(len(o.Bytes))
		cell := format.Cell{Kind: o.Kind, ID: s.data.Version().ReferenceID(o.Bytes), Start: o.Offset, End: format.ReferenceEnd(s.cur.base, s.cur.before)}
		s.place += format.CellSize
		if s.out != nil {
			s.out.Cell(cell)
		}
		if s.partial != nil {
			s.partial.references = append(s.partial.references, cell)
			return nil
		}
		return s.refer(o.Bytes, cell)
	}
	return nil
}

// refer tells of a reference object.
func (s *Scan) refer(object []byte, cell format.Cell) error {
	return format.At(s.reference(object, cell), "", cell.Start)
}

func (s *Scan) beginBlock(o *format.Object) {
	t := s.streams[o.Thread]
	if t == nil {
		t = &streamScan{min: math.MaxInt64}
		t.Thread = o.Thread
		t.points = []checkpoint{{}}
		s.streams[o.Thread] = t
		i := sort.Search(len(s.order), func(i int) bool { return s.order[i].Thread > o.Thread })
		s.order = slices.Insert(s.order, i, t)
	}
	s.partial.begin(s, t, o.Offset)
	t.base, t.before = o.Offset+int64(len(o.Bytes)), t.Size
	t.Blocks = append(t.Blocks, Block{Logical: t.Size, Physical: t.base, Place: s.place})
	s.place += format.CellSize
	s.cur = t
	s.blocks++
	if s.out != nil {
		s.out.BeginBlock(o.Thread, o.Offset)
	}
}

func (s *Scan) endBlock(o *format.Object) error {
	s.cur.Lasts = append(s.cur.Lasts, s.place-format.CellSize)
	s.giveRoom()
	if s.out != nil {
		s.out.EndBlock(o.Offset)
	}
	return s.partial.end(s, o.Offset+int64(len(o.Bytes)))
}
