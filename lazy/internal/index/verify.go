package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Verify compares every cell of an index with the data. index is its path, "" for
// the default name beside the data. It returns the number of cells. progress may be
// nil; it gets bytes of data. A fault of the index is an [*Error].
func Verify(ctx context.Context, data, index string, progress func(done, total int64)) (cells int64, err error) {
	if index == "" {
		index = data + format.IndexSuffix
	}
	dm, err := mapped.Open(data, format.CheckDataHeader)
	if err != nil {
		return 0, err
	}
	defer dm.Unmap()
	im, err := mapped.Open(index, format.CheckIndexHeader)
	if err != nil {
		return 0, &Error{err}
	}
	defer im.Unmap()
	if err := sameVersion(dm, im); err != nil {
		return 0, &Error{err}
	}
	err = mapped.Guard(func() error {
		cells, err = checkEnd(im)
		return err
	}, im)
	if err != nil {
		return 0, &Error{err}
	}
	// A dump writer's index may look like a streaming writer's at first.
	var first error
	for _, dump := range [...]bool{false, true} {
		err := verifyOrder(ctx, dm, im, cells, dump, progress)
		if err == nil || !errors.Is(err, ErrContradiction) {
			return cells, err
		}
		if first == nil || dump == (format.Kind(im.Bytes()[format.HeaderSize]) != format.KindBlockStart) {
			first = err
		}
	}
	return cells, &Error{first}
}

// verifyBytes is how much of the data is scanned between two checks of the context.
const verifyBytes = 4 << 20

func verifyOrder(ctx context.Context, data, index *mapped.File, cells int64, dump bool, progress func(done, total int64)) error {
	v := &verifier{index: index, left: cells, pos: format.HeaderSize, dump: dump}
	add := Into(format.NewContext(data.Version()))
	s := NewScan(data, func(object []byte, cell format.Cell) error { return cmp.Or(v.err, add(object, cell)) })
	s.out = v
	a, b := data.ReadAhead(0, nil), index.ReadAhead(0, nil)
	defer a.Stop()
	defer b.Stop()
	for more := true; more; {
		a.Reached(s.scanner.Offset())
		b.Reached(v.pos)
		err := mapped.Guard(func() error {
			var err error
			more, err = s.Advance(ctx, verifyBytes)
			return err
		}, data, index)
		if err == nil {
			err = v.err
		}
		if err != nil {
			return err
		}
		if progress != nil {
			progress(s.scanner.Offset(), int64(len(data.Bytes())))
		}
	}
	if err := s.Problem(); err != nil {
		return err
	}
	if v.left > 0 {
		v.differs("the end of the index", fmt.Sprintf("%d more cells", v.left))
	}
	return v.err
}

// verifier is a Sink that compares with an index. It keeps its first failure.
type verifier struct {
	index *mapped.File
	left  int64 // cells not yet compared
	pos   int64 // of the next cell
	dump  bool  // block cells come after their objects' cells
	block format.Cell
	claim format.Cell // the streaming writer's block cell, whose end is checked later
	at    int64       // its position
	err   error
}

func (v *verifier) BeginBlock(thread int32, start int64) {
	v.block = format.Cell{Kind: format.KindBlockStart, ID: thread, Start: start}
	if !v.dump {
		v.at = v.pos
		v.claim = v.take()
	}
}

func (v *verifier) EndBlock(end int64) {
	if v.dump {
		v.at = v.pos
		v.claim = v.take()
	}
	v.block.End = end
	if v.err == nil && v.claim != v.block {
		v.pos = v.at
		v.differs(describe(v.block), describe(v.claim))
	}
}

func (v *verifier) Cell(want format.Cell) {
	at := v.pos
	found := v.take()
	if want.Kind.Reference() {
		want.End = found.End // carries no information
	}
	if v.err == nil && found != want {
		v.pos = at
		v.differs(describe(want), describe(found))
	}
}

func (v *verifier) take() format.Cell {
	if v.err != nil {
		return format.Cell{}
	}
	if v.left == 0 {
		v.differs("another cell", "the end of the index")
		return format.Cell{}
	}
	c := format.DecodeCell(v.index.Bytes()[v.pos:])
	v.pos += format.CellSize
	v.left--
	return c
}

func (v *verifier) differs(expected, found string) {
	v.err = &format.Error{File: v.index.Path(), Offset: v.pos, Err: ErrContradiction, Expected: expected, Found: found}
}

func describe(c format.Cell) string {
	return fmt.Sprintf("%s %d from %d to %d", c.Kind, c.ID, c.Start, c.End)
}
