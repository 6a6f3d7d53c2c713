package lazy

import (
	"context"
	"math"
	"slices"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// scan finds blocks, containers and reference objects from the data alone. It
// goes on in steps; between two of them, view tells what is known. It keeps a
// checkpoint for each 4,096 containers of a thread, from which their cells can
// be found again.
type scan struct {
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
	out       cellSink // may be nil
	half      *half    // the block that goes on, of a file that is being written; nil: of another file
	regen     *regenerator
	leap      format.Leap
	room      []openFrame // that a stack had, for the next that needs some
}

// cellSink takes the cells of an index in streaming order: a block before its
// objects, though its end is known only behind them.
type cellSink interface {
	beginBlock(thread int32, start int64)
	endBlock(end int64)
	cell(format.Cell)
}

// streamScan is a stream while the scan finds it.
type streamScan struct {
	stream
	stack  []openFrame
	n      int64 // containers ended
	points []checkpoint
	mins   []int64 // smallest start of each whole group of scanGroup cells
	min    int64   // of the group that goes on
	base   int64   // physical offset of the current block's content
	before int64   // logical bytes before it
	shown  *stream // in the view before; nil: it was not in it
}

// openFrame is a container that is open while the scan goes on.
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
	pos   int64  // logical: behind the footer before the first cell of the group
	place int64  // of the next cell, if it is of the same block
	open  *frame // what is open there
}

const scanGroup = 4096

func newScan(data *mapped.File, reference func([]byte, format.Cell) error) *scan {
	return &scan{
		data:      data,
		scanner:   format.NewBytesScanner(data.Bytes()),
		place:     format.HeaderSize,
		streams:   make(map[int32]*streamScan),
		reference: reference,
		regen:     &regenerator{data: data},
		leap:      format.Leap{Borders: make([]format.Border, 0, leapBorders)},
	}
}

// newGrowingScan returns a scan of a file that is being written: a view shows no
// part of a block before the block is whole, unless it is large.
func newGrowingScan(data *mapped.File, reference func([]byte, format.Cell) error) *scan {
	s := newScan(data, reference)
	s.half = &half{at: format.HeaderSize, place: s.place}
	return s
}

// setReference has another function get the reference objects from now on.
func (s *scan) setReference(reference func([]byte, format.Cell) error) { s.reference = reference }

// tell has a sink get all cells; before the first step.
func (s *scan) tell(out cellSink) { s.out = out }

// offset returns how far the scan has come in the data, in bytes.
func (s *scan) offset() int64 { return s.scanner.Offset() }

// atEOF reports whether the scan has come to the end mark of the data.
func (s *scan) atEOF() bool { return s.eof }

// failure returns what has ended the scan early; nil when nothing has.
func (s *scan) failure() error { return s.err }

// extend has the scan go on in data that has grown.
func (s *scan) extend() {
	s.scanner.Extend(s.data.Bytes())
	s.err = nil
}

// blockAt returns where the block begins that the scan is in, or the next one will;
// of data that grows.
func (s *scan) blockAt() int64 { return s.half.at }

// shown returns up to which offset a view shows the data.
func (s *scan) shown() int64 { return s.half.upTo(s.offset()) }

// reveal tells of the reference objects of the block that the scan is in, which were
// kept back. It must be called within guard.
func (s *scan) reveal() error { return s.half.reveal(s) }

// fail ends the scan with an error, unless another one has.
func (s *scan) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// hides reports whether a view does not show the block that the scan is in.
func (s *scan) hides() bool { return s.half.hides(s.offset()) }

// step scans about n bytes on and reports whether there is more. It must be
// called within guard. What ends the scan early is in err.
func (s *scan) step(ctx context.Context, n int64) (more bool, err error) {
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

func (s *scan) object(o *format.Object) error {
	switch o.Kind {
	case format.KindTracePoint:
		s.cur.size = o.Logical + int64(len(o.Bytes))
		s.cur.scanned.Count(o.Class)
		if o.Class.Container() {
			s.cur.stack = append(s.cur.stack, openFrame{at: o.Logical, start: s.cur.size, event: format.EventOf(o.Bytes), class: o.Class})
		}
	case format.KindFooter:
		s.cur.size = o.Logical + int64(len(o.Bytes))
		s.footer(o.Logical, s.cur.size)
	case format.KindBlockStart:
		s.beginBlock(o)
	case format.KindBlockEnd:
		return s.endBlock(o)
	case format.KindEOF:
		s.eof = true
	default:
		s.cur.size = o.Logical + int64(len(o.Bytes))
		cell := format.Cell{Kind: o.Kind, ID: s.data.Version().ReferenceID(o.Bytes), Start: o.Offset, End: format.ReferenceEnd(s.cur.base, s.cur.before)}
		s.place += format.CellSize
		if s.out != nil {
			s.out.cell(cell)
		}
		if s.half != nil {
			s.half.references = append(s.half.references, cell)
			return nil
		}
		return s.refer(o.Bytes, cell)
	}
	return nil
}

// refer tells of a reference object.
func (s *scan) refer(object []byte, cell format.Cell) error {
	return format.At(s.reference(object, cell), "", cell.Start)
}

func (s *scan) beginBlock(o *format.Object) {
	t := s.streams[o.Thread]
	if t == nil {
		t = &streamScan{min: math.MaxInt64}
		t.thread = o.Thread
		t.points = []checkpoint{{}}
		s.streams[o.Thread] = t
		i := sort.Search(len(s.order), func(i int) bool { return s.order[i].thread > o.Thread })
		s.order = slices.Insert(s.order, i, t)
	}
	s.half.begin(s, t, o.Offset)
	t.base, t.before = o.Offset+int64(len(o.Bytes)), t.size
	t.blocks = append(t.blocks, block{logical: t.size, physical: t.base, place: s.place})
	s.place += format.CellSize
	s.cur = t
	s.blocks++
	if s.out != nil {
		s.out.beginBlock(o.Thread, o.Offset)
	}
}

func (s *scan) endBlock(o *format.Object) error {
	s.cur.lasts = append(s.cur.lasts, s.place-format.CellSize)
	s.giveRoom()
	if s.out != nil {
		s.out.endBlock(o.Offset)
	}
	return s.half.end(s, o.Offset+int64(len(o.Bytes)))
}

// view returns what is known now.
func (s *scan) view(complete bool) *view {
	v := &view{complete: complete, eof: s.eof, blocks: s.blocks, data: s.data, cells: (s.place - format.HeaderSize) / format.CellSize}
	hidden := s.half.hides(s.scanner.Offset()) && !complete
	if hidden {
		v.blocks, v.cells = s.half.blocks, (s.half.place-format.HeaderSize)/format.CellSize
	}
	for _, t := range s.order {
		k := t.known()
		if hidden && t == s.cur {
			if k = s.half.before(); len(k.blocks) == 0 {
				continue
			}
		}
		// Of many threads, few have grown.
		if was := t.shown; was == nil || was.size != k.size || len(was.blocks) != len(k.blocks) || len(was.lasts) != len(k.lasts) {
			t.shown = k.view(s.regen)
		}
		v.streams = append(v.streams, t.shown)
	}
	return v
}

// knownStream is what a scan knows of a stream.
type knownStream struct {
	stream
	stack  []openFrame
	n      int64
	points []checkpoint
	mins   []int64
}

func (t *streamScan) known() knownStream {
	return knownStream{t.stream, t.stack, t.n, t.points, t.mins}
}

// view returns the stream for a view.
func (k *knownStream) view(regen *regenerator) *stream {
	out := k.stream
	for _, o := range k.stack {
		out.open = append(out.open, unended{o.at, o.start})
	}
	out.cells = &scannedCells{stream: &out, n: k.n, points: k.points, mins: k.mins, regen: regen}
	return &out
}

// problem says what of the data is missing or damaged; nil when it is whole.
func (s *scan) problem() error {
	if s.err == nil || s.eof {
		return nil
	}
	return format.At(s.err, s.data.Path(), 0)
}

// unfinished counts the containers that are still open.
func (s *scan) unfinished() int {
	n := 0
	for _, t := range s.streams {
		n += len(t.stack)
	}
	return n
}

// scannedCells are cells that stand nowhere: they are found again from the
// data, a group at a time, when they are asked for. They may only be used
// within guard.
type scannedCells struct {
	stream *stream
	n      int64
	points []checkpoint
	mins   []int64
	regen  *regenerator
}

func (c *scannedCells) len() int64 { return c.n }

func (c *scannedCells) at(ord int64) format.Cell {
	cell, _ := c.placed(ord)
	return cell
}

func (c *scannedCells) placed(ord int64) (format.Cell, int64) {
	group, runs := c.regen.group(c, ord/scanGroup)
	if i := ord % scanGroup; i < int64(len(group)) {
		return group[i], posIn(runs, i)
	}
	// The data changed under us; no container stands there.
	return format.Cell{Kind: format.KindTracePoint, Start: -1, End: -1}, 0
}

func (c *scannedCells) firstEnding(x int64) int64 {
	g := int64(sort.Search(len(c.points), func(i int) bool { return c.points[i].pos > x })) - 1
	if g < 0 {
		return 0
	}
	group, _ := c.regen.group(c, g)
	i := sort.Search(len(group), func(i int) bool { return group[i].End >= x })
	return min(g*scanGroup+int64(i), c.n)
}

func (c *scannedCells) firstAround(from, x int64) int64 {
	for from < c.n {
		g := from / scanGroup
		if from%scanGroup == 0 && int(g) < len(c.mins) && c.mins[g] > x {
			from += scanGroup
			continue
		}
		group, _ := c.regen.group(c, g)
		for i := from % scanGroup; i < int64(len(group)); i++ {
			if group[i].Start <= x {
				return min(g*scanGroup+i, c.n)
			}
		}
		from = (g + 1) * scanGroup
	}
	return c.n
}

func (c *scannedCells) around(from, x int64, _ *int) (own int64, cell format.Cell, place int64) {
	if own = c.firstAround(from, x); own < c.n {
		cell, place = c.placed(own)
	}
	return own, cell, place
}
