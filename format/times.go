package format

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// The times of a trace are in a separate file, with the name of the data plus .tim, since the
// format has no room for them. The file is an extension of this project: other readers of the
// format do not know it and do not need it.
//
//	header                      TimesHeaderSize bytes
//	  8  TimesMagic
//	  8  TimesVersion
//	  8  wall clock at the anchor: nanoseconds since 1970, UTC
//	cell                        TimeCellSize bytes; one for each cell of the index, in its order
//	  4  the ID of the index cell
//	  8  start: nanoseconds from the anchor on, on a clock that never goes back
//	  8  duration: nanoseconds; -1: the cell has no time
//	…
//	cell of the index's EOF cell: the end of the recording, 0 long
//
// All numbers are big-endian, as in data and index. A file that ends within a cell, or before
// the index does, is valid up to there: its writer was stopped. See [TimeCell] for the meaning
// of a cell by kind.
const (
	TimesMagic   uint64 = 0x54524143_45582E54 // "TRACEX.T". On disk, do not change.
	TimesVersion uint64 = 1
)

// NoDuration is the duration of a cell without a time.
const NoDuration = -1

// TimeCell is the time of an index cell.
//
//	           start                                  duration
//	block      its first header or footer             to its last one
//	reference  0                                      NoDuration
//	container  its header                             to its footer
//	EOF        the end of the recording               0
//
// A container that the writer closed because its thread had ended lasts until then. A block
// without any header or footer has no time.
type TimeCell struct {
	ID       int32
	Start    int64 // ns since the anchor
	Duration int64 // ns; NoDuration if there is no time
}

// Known reports whether the cell has a time.
func (c TimeCell) Known() bool { return c.Duration >= 0 }

// IsEnd reports whether the cell is that of the end of the recording, the last one.
func (c TimeCell) IsEnd() bool { return c.ID == -1 && c.Duration == 0 }

// Append appends the cell.
func (c TimeCell) Append(dst []byte) []byte {
	n := len(dst)
	dst = slices.Grow(dst, TimeCellSize)[:n+TimeCellSize]
	c.Put(dst[n:])
	return dst
}

// Put writes the cell to the start of b, which must have TimeCellSize bytes.
func (c TimeCell) Put(b []byte) {
	_ = b[TimeCellSize-1]
	be := binary.BigEndian
	be.PutUint32(b, uint32(c.ID))
	be.PutUint64(b[TimeStartAt:], uint64(c.Start))
	be.PutUint64(b[TimeDurationAt:], uint64(c.Duration))
}

// DecodeTimeCell decodes the cell at the start of b, which must have TimeCellSize bytes. It
// checks nothing: callers should compare the ID with that of the index cell.
func DecodeTimeCell(b []byte) TimeCell {
	_ = b[TimeCellSize-1]
	be := binary.BigEndian
	return TimeCell{
		ID:       int32(be.Uint32(b)),
		Start:    int64(be.Uint64(b[TimeStartAt:])),
		Duration: int64(be.Uint64(b[TimeDurationAt:])),
	}
}

// TimeCellOffset returns the offset of a time cell in the file of times, in bytes. cell is the
// offset of its index cell in the index.
func TimeCellOffset(cell int64) int64 {
	return TimesHeaderSize + (cell-HeaderSize)/CellSize*TimeCellSize
}

// AppendTimesHeader appends the header of a file of times. anchor is the wall clock at the
// moment from which starts count.
func AppendTimesHeader(dst []byte, anchor time.Time) []byte {
	be := binary.BigEndian
	dst = be.AppendUint64(be.AppendUint64(dst, TimesMagic), TimesVersion)
	return be.AppendUint64(dst, uint64(anchor.UnixNano()))
}

// DecodeTimesHeader checks the first bytes of a file of times and returns its
// anchor.
func DecodeTimesHeader(head []byte) (anchor time.Time, err error) {
	if len(head) < TimesHeaderSize {
		return anchor, &Error{Offset: int64(len(head)), Err: ErrTruncated,
			Expected: fmt.Sprintf("a header of %d bytes", TimesHeaderSize), Found: plural(int64(len(head)), "byte")}
	}
	be := binary.BigEndian
	if magic := be.Uint64(head); magic != TimesMagic {
		return anchor, &Error{Offset: 0, Err: ErrNotTrace,
			Expected: "the times of a trace", Found: fmt.Sprintf("bytes %x", head[:8])}
	}
	if version := be.Uint64(head[timesVersionAt:]); version != TimesVersion {
		return anchor, &Error{Offset: timesVersionAt, Err: ErrVersion,
			Expected: fmt.Sprintf("version %d of the times", TimesVersion), Found: fmt.Sprintf("version %d", version)}
	}
	return time.Unix(0, int64(be.Uint64(head[timesAnchorAt:]))), nil
}
