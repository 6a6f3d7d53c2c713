package index

import (
	"context"
	"errors"
	"fmt"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Error is a fault of an index, not of its data: it is missing, cut short, of another
// version, or does not match the data. Its text is that of Err.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

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

// ErrVersion: an index has another format version than its data.
var ErrVersion = errors.New("the index is of another version than the data")

// sameVersion checks that an index has the version of its data.
func sameVersion(data, index *mapped.File) error {
	if index.Version() == data.Version() {
		return nil
	}
	return &format.Error{File: index.Path(), Offset: 8, Err: ErrVersion,
		Found: fmt.Sprintf("%s, the data is of %s", named(index.Version()), named(data.Version()))}
}

// checkEnd checks that an index is complete, and returns how many cells it has. It
// must be called within mapped.Guard.
func checkEnd(index *mapped.File) (cells int64, err error) {
	b := index.Bytes()
	cells, err = format.CheckIndexTail(b[max(0, len(b)-format.IndexTail):], int64(len(b)))
	return cells, format.At(err, index.Path(), 0)
}

// Check checks that an index has a valid header and end, and the version of the data.
// Only a pass checks its contents.
func Check(index, data *mapped.File) error {
	err := index.CheckHeader(format.CheckIndexHeader)
	if err == nil {
		err = sameVersion(data, index)
	}
	if err != nil {
		return format.At(err, index.Path(), 0)
	}
	return mapped.Guard(func() error {
		_, err := checkEnd(index)
		return err
	}, index)
}

// HasEnd reports whether there is a complete index at path.
func HasEnd(path string) bool {
	f, size, err := mapped.OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	end := make([]byte, min(format.IndexTail, size))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return false
	}
	_, err = format.CheckIndexTail(end, size)
	return err == nil
}

// named returns a version with the release that writes it.
func named(v format.Version) string { return fmt.Sprintf("version %d (%s)", v, v.Release()) }

// verifyBytes is how much of the data is scanned between two checks of the context.
const verifyBytes = 4 << 20

func verifyOrder(ctx context.Context, data, index *mapped.File, cells int64, dump bool, progress func(done, total int64)) error {
	v := &verifier{index: index, left: cells, pos: format.HeaderSize, dump: dump}
	s := NewScan(data, func([]byte, format.Cell) error { return v.err })
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
