package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Scan finds blocks, containers and reference objects in the data only, in
// parts; between them View returns what is known. It keeps a checkpoint for
// each 4,096 containers of a thread, from which their cells can be found again.
// Only one goroutine may use a Scan; any may use its Views.
//
// Its fields are the state of one loop over the data, which runs at the speed of memory:
// the data that several functions of the loop need is here.
type Scan struct {
	data      *mapped.File
	scanner   *format.Scanner
	streams   []*streamScan // by thread id
	cur       *streamScan
	base      int64 // physical offset of the current block's content
	before    int64 // logical bytes of its thread before the block
	cellAt    int64 // of the next cell
	blocks    int
	eof       bool
	err       error
	damaged   error // the first one of a reference object; the scan goes on after it
	reference func(object []byte, cell format.Cell) error
	out       Sink     // may be nil
	partial   *partial // the current block of a file that is being written; nil for any other file
	regen     *regenerator
	leap      format.Leap
	room      []openFrame // a spare stack, for the next thread that needs one
}

// Sink receives the cells of an index in streaming order: the start of a block before its
// objects, and its end, which is known only then, after them.
type Sink interface {
	BeginBlock(thread int32, start int64)
	EndBlock(end int64)
	Cell(format.Cell)
}

// streamScan is a stream that the scan is building.
type streamScan struct {
	knownStream
	min   int64   // smallest start of the current group
	shown *Stream // in the previous view; nil if it was not in it
}

// knownStream is what a scan knows of a stream.
type knownStream struct {
	scannedStream // without open containers
	stack         []openFrame
}

// openFrame is a container that is open at the current offset of the scan.
type openFrame struct {
	at    int64 // logical, of its header
	start int64 // logical, of its content
	event int32
	class format.Class
	kept  *frame // created when a checkpoint needs it
}

// NewScan returns a scan from the beginning of the data. reference gets each
// reference object with its index cell, within Advance; its first error is a Problem.
func NewScan(data *mapped.File, reference func([]byte, format.Cell) error) *Scan {
	scanner := format.NewBytesScanner(data.Bytes())
	scanner.Forget()
	return &Scan{
		data:      data,
		scanner:   scanner,
		cellAt:    format.HeaderSize,
		reference: reference,
		regen:     &regenerator{data: data},
		leap:      format.Leap{Borders: make([]format.Border, 0, leapBorders)},
	}
}

// Into returns a function for a scan or a pass that adds reference objects to ctx, and checks that they match
// their cells.
func Into(ctx *format.Context) func(object []byte, cell format.Cell) error {
	return func(object []byte, cell format.Cell) error {
		if k := format.Kind(object[0]); k != cell.Kind {
			return fmt.Errorf("%s %d at offset %d, where the data has %s", cell.Kind, cell.ID, cell.Start, k)
		}
		id, _, err := ctx.Add(object)
		if err == nil && id != cell.ID {
			err = fmt.Errorf("%s %d at offset %d, where the data has %d", cell.Kind, cell.ID, cell.Start, id)
		}
		return err
	}
}

// NewGrowingScan returns a scan of a file that is being written: a view shows a block
// only when it is whole, unless it is large. An error of reference ends it: the bytes may change.
func NewGrowingScan(data *mapped.File, reference func([]byte, format.Cell) error) *Scan {
	s := NewScan(data, reference)
	s.partial = &partial{at: format.HeaderSize, cellAt: s.cellAt}
	return s
}

// Advance scans about n more bytes and reports whether there is more. It must be
// called within mapped.Guard. Err returns what ended the scan early: then it does nothing more.
func (s *Scan) Advance(ctx context.Context, n int64) (more bool, err error) {
	if s.err != nil {
		return false, nil
	}
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
		s.cur.counts.Count(o.Class)
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
		cell := format.Cell{Kind: o.Kind, ID: s.data.Version().ReferenceID(o.Bytes), Start: o.Offset, End: format.ReferenceEnd(s.base, s.before)}
		if s.partial != nil {
			s.partial.references = append(s.partial.references, cell)
		} else if err := s.refer(o.Bytes, cell); err != nil && s.damaged == nil {
			s.damaged = err
		}
		s.cur.Size = o.Logical + int64(len(o.Bytes))
		s.cellAt += format.CellSize
		if s.out != nil {
			s.out.Cell(cell)
		}
	}
	return nil
}

// refer passes on a reference object.
func (s *Scan) refer(object []byte, cell format.Cell) error {
	return format.At(s.reference(object, cell), "", cell.Start)
}

func (s *Scan) beginBlock(o *format.Object) {
	t := s.streamOf(o.Thread)
	s.scanner.Resume(t.Size)
	if t.stack == nil {
		t.stack, s.room = s.room, nil
	}
	s.partial.begin(s, t, o.Offset)
	s.base, s.before = o.Offset+int64(len(o.Bytes)), t.Size
	t.begin(Block{Logical: t.Size, Physical: s.base, CellAt: s.cellAt})
	s.cellAt += format.CellSize
	s.cur = t
	s.blocks++
	if s.out != nil {
		s.out.BeginBlock(o.Thread, o.Offset)
	}
}

// streamOf returns the stream of a thread, for additions.
func (s *Scan) streamOf(thread int32) *streamScan {
	// Most recorders count threads from 0, without gaps.
	i, known := int(thread), false
	if known = i >= 0 && i < len(s.streams) && s.streams[i].Thread == thread; !known {
		i, known = slices.BinarySearchFunc(s.streams, thread, func(t *streamScan, id int32) int { return cmp.Compare(t.Thread, id) })
	}
	switch {
	case !known:
		t := &streamScan{min: math.MaxInt64}
		t.Thread = thread
		s.streams = slices.Insert(s.streams, i, t)
	case s.streams[i].shared():
		s.streams[i] = s.streams[i].copied()
	}
	return s.streams[i]
}

// shared reports whether t must not change.
func (t *streamScan) shared() bool { return t.shown == &t.Stream }

// copied returns t, which is shared, for additions.
func (t *streamScan) copied() *streamScan {
	return &streamScan{knownStream: t.known(), min: t.min, shown: t.shown}
}

// known returns what is known of a stream now. It does not change when the scan continues.
func (k *knownStream) known() knownStream {
	out := *k
	if k.more != nil {
		m := *k.more
		out.more = &m
	}
	if k.groups != nil {
		g := *k.groups
		out.groups = &g
	}
	return out
}

func (s *Scan) endBlock(o *format.Object) error {
	s.cur.end(s.cellAt - format.CellSize)
	s.giveRoom()
	if s.out != nil {
		s.out.EndBlock(o.Offset)
	}
	return s.partial.end(s, o.Offset+int64(len(o.Bytes)))
}
