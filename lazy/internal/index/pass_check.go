package index

import (
	"errors"
	"fmt"

	"tracex/format"
)

// ErrContradiction: the index contradicts the data.
var ErrContradiction = errors.New("the index contradicts the data")

// other takes a cell that is not a container's, and checks it.
func (p *pass) other(pos int64) error {
	cell := format.DecodeCell(p.index.Bytes()[pos:])
	switch {
	case cell.Kind == format.KindBlockStart:
		return p.block(pos, cell)
	case cell.Kind.Reference():
		if s := p.owner(); s != nil {
			s.inRun = false
		}
		if cell.Start < format.HeaderSize || cell.Start >= int64(len(p.data.Bytes())) {
			return p.contradicts(pos, fmt.Sprintf("%s %d at offset %d, outside the data", cell.Kind, cell.ID, cell.Start))
		}
		if err := p.reference(p.data.Bytes()[cell.Start:], cell); err != nil {
			return p.contradicts(pos, err.Error())
		}
		if !p.followed(pos, cell) {
			return p.contradicts(pos, fmt.Sprintf("%s %d at offset %d, after which there is no object", cell.Kind, cell.ID, cell.Start))
		}
		return nil
	}
	return p.contradicts(pos, "a cell of "+cell.Kind.String())
}

// followed reports whether the object that the index has next follows a reference object, whose cell is at pos, or a trace point, which has no
// cell there: one of a damaged size is read as another one, and so is everything after it.
func (p *pass) followed(pos int64, cell format.Cell) bool {
	v, data := p.data.Version(), p.data.Bytes()
	n, err := v.Size(data[cell.Start:], format.ClassCall)
	after := cell.Start + int64(n)
	if err != nil || after >= int64(len(data)) || !p.dump && p.cur.mappedStream == nil || pos+2*format.CellSize > int64(len(p.index.Bytes())) {
		return false
	}
	next := format.DecodeCell(p.index.Bytes()[pos+format.CellSize:])
	switch k := format.Kind(data[after]); {
	case k.Reference():
		return next.Kind == k && next.Start == after
	case k == format.KindTracePoint && after+1 < int64(len(data)):
		class, ok := v.PointClass(data[after+1])
		if _, err := v.Size(data[after:], format.ClassCall); !ok || err != nil {
			return false
		}
		return p.dump || class == format.ClassSnapshot || format.ThreadOf(data[after:]) == p.cur.Thread // a dump tells it later
	case k == format.KindFooter && p.dump:
		return next.Kind == format.KindTracePoint
	case k == format.KindFooter:
		b := p.cur.Block(p.cur.Blocks() - 1)
		return next.Kind == format.KindTracePoint && next.End-b.Logical == after-b.Physical
	}
	return format.Kind(data[after]) == format.KindBlockEnd && (p.dump || after+1 == p.nextBlock)
}

// block takes a block's cell, and checks it.
func (p *pass) block(pos int64, cell format.Cell) error {
	data := p.data.Bytes()
	if cell.Start != p.nextBlock || cell.End < cell.Start+format.BlockHeadSize || cell.End >= int64(len(data)) {
		return p.contradicts(pos, fmt.Sprintf("a block from %d to %d, where one must start at %d", cell.Start, cell.End, p.nextBlock))
	}
	if format.Kind(data[cell.Start]) != format.KindBlockStart || format.Kind(data[cell.End]) != format.KindBlockEnd ||
		format.BlockThread(data[cell.Start:]) != cell.ID {
		return p.contradicts(pos, fmt.Sprintf("a block of thread %d from %d to %d, which the data has not", cell.ID, cell.Start, cell.End))
	}
	if p.dump {
		if _, known := p.streams.find(cell.ID); known {
			return p.contradicts(pos, fmt.Sprintf("a second block of thread %d after its objects", cell.ID))
		}
		s := p.owner()
		s.Thread = cell.ID
		p.addBlock(cell, p.from)
		p.from = pos + format.CellSize
		err := p.leaveBlock(p.from)
		p.streams.keep(s.mappedStream)
		p.cur = building{}
		return err
	}
	if err := p.leaveBlock(pos); err != nil {
		return err
	}
	if p.cur.mappedStream == nil || p.cur.Thread != cell.ID {
		p.change(cell.ID)
	}
	p.addBlock(cell, pos)
	return nil
}

// change keeps the current stream and goes on with that of a thread.
func (p *pass) change(thread int32) {
	if p.cur.mappedStream != nil {
		p.streams.keep(p.cur.mappedStream)
	}
	if n, known := p.streams.find(thread); known {
		p.cur = resume(p.streams.in(new(mappedStream), n))
	} else {
		p.cur = resume(p.streams.start())
		p.cur.Thread = thread
	}
}

// addBlock adds a block to the current stream.
func (p *pass) addBlock(cell format.Cell, cellAt int64) {
	s := &p.cur
	s.begin(Block{Logical: s.Size, Physical: cell.Start + format.BlockHeadSize, CellAt: cellAt})
	s.Size += cell.End - cell.Start - format.BlockHeadSize
	s.inRun = false
	p.nextBlock = cell.End + 1
	p.blocks++
}

// leaveBlock ends the current block, if there is one, whose cells end at pos, and checks its
// containers: their footers must be in it.
func (p *pass) leaveBlock(pos int64) error {
	s := &p.cur
	if s.mappedStream == nil {
		return nil
	}
	if s.lastEnd >= s.Size {
		return p.contradicts(pos, fmt.Sprintf("a container of thread %d that ends at %d, after the %d bytes of its block", s.Thread, s.lastEnd, s.Size))
	}
	s.end(pos - format.CellSize)
	return nil
}

// finish checks what must be true after the last cell.
func (p *pass) finish(pos int64) error {
	if p.dump && p.cur.mappedStream != nil {
		return p.contradicts(pos, "objects without a block")
	}
	if err := p.leaveBlock(pos); err != nil {
		return err
	}
	data := p.data.Bytes()
	if p.nextBlock != int64(len(data))-1 || format.Kind(data[p.nextBlock]) != format.KindEOF {
		return p.contradicts(pos, fmt.Sprintf("the last block ends at %d, but the data is %d bytes long", p.nextBlock, len(data)))
	}
	return nil
}

func (p *pass) contradicts(pos int64, found string) error {
	return &format.Error{File: p.index.Path(), Offset: pos, Err: ErrContradiction, Found: found,
		Hint: "the index is rebuilt from the data"}
}
