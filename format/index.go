package format

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Cell is a cell of the index.
//
//	          ID          Start                        End
//	block     thread id   physical: BLOCK_START byte   physical: BLOCK_END byte
//	reference object id   physical: its kind byte      nothing; see ReferenceEnd
//	container event id    logical: first content byte  logical: its footer's kind byte
//	EOF       -1          -1, or see DumpEnd           the same
type Cell struct {
	Kind  Kind
	ID    int32
	Start int64
	End   int64
}

// Append appends the cell.
func (c Cell) Append(dst []byte) []byte {
	n := len(dst)
	dst = slices.Grow(dst, CellSize)[:n+CellSize]
	c.Put(dst[n:])
	return dst
}

// Put writes the cell to the start of b, which must have CellSize bytes.
func (c Cell) Put(b []byte) {
	_ = b[CellSize-1]
	be := binary.BigEndian
	b[KindAt] = byte(c.Kind)
	be.PutUint32(b[CellIDAt:], uint32(c.ID))
	be.PutUint64(b[CellStartAt:], uint64(c.Start))
	be.PutUint64(b[CellEndAt:], uint64(c.End))
}

// DecodeCell decodes the cell at the start of b, which must have CellSize bytes. It checks nothing.
func DecodeCell(b []byte) Cell {
	_ = b[CellSize-1]
	be := binary.BigEndian
	return Cell{
		Kind:  Kind(b[KindAt]),
		ID:    int32(be.Uint32(b[CellIDAt:])),
		Start: int64(be.Uint64(b[CellStartAt:])),
		End:   int64(be.Uint64(b[CellEndAt:])),
	}
}

// ReferenceEnd returns the value that writers put into the end of a reference object's cell,
// though it carries no information. base is the physical offset of the block's first content
// byte, logical the number of the thread's content bytes in earlier blocks.
func ReferenceEnd(base, logical int64) int64 { return base - logical - 1 }

// AppendIndexTail appends the end of an index: the EOF cell and the magic. A streaming writer passes
// -1 for at; a dump writer the physical offset of the last block's thread id plus 3, see [DumpEnd].
func AppendIndexTail(dst []byte, at int64) []byte {
	dst = Cell{Kind: KindEOF, ID: -1, Start: at, End: at}.Append(dst)
	return binary.BigEndian.AppendUint64(dst, IndexMagic)
}

// DumpEnd returns the value that a dump writer puts into start and end of the EOF cell, though
// it carries no information. base is the physical offset of the last block's first content byte.
func DumpEnd(base int64) int64 { return base - 1 }

// CheckIndexTail checks the end of an index file of size bytes, and returns the number of cells
// between header and tail. tail holds the last IndexTail bytes. The offsets of the EOF cell are
// not checked: streaming writers put -1 there, dump writers do not.
func CheckIndexTail(tail []byte, size int64) (cells int64, err error) {
	body := size - HeaderSize - IndexTail
	if body < 0 || len(tail) < IndexTail {
		return 0, &Error{Offset: size, Err: ErrTruncated,
			Expected: fmt.Sprintf("%d bytes of header and end", HeaderSize+IndexTail),
			Found:    fmt.Sprintf("%d", size)}
	}
	tail = tail[len(tail)-IndexTail:]
	eof := DecodeCell(tail)
	if eof.Kind != KindEOF || eof.ID != -1 || binary.BigEndian.Uint64(tail[CellSize:]) != IndexMagic {
		return 0, &Error{Offset: size - IndexTail, Err: ErrTruncated,
			Expected: "the end of an index", Found: fmt.Sprintf("bytes %x", tail[:8]),
			Hint: "the recorder was stopped before it finished the index, or is still writing it"}
	}
	if body%CellSize != 0 {
		return 0, corrupt(int(size-IndexTail),
			fmt.Sprintf("whole cells of %d bytes", CellSize), plural(body%CellSize, "byte")+" too many")
	}
	return body / CellSize, nil
}
