package format

import (
	"encoding/binary"
	"fmt"
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
//	page                        TimesPageSize bytes; the last one may be shorter
//	  8  how many cells are in the pages before
//	  …  cells, one for each cell of the index, in its order:
//	       ID - last ID - 1     varint + 1 as an unsigned one, as 32 bits: it never begins with a byte of 0
//	       start - last end     varint, as 64 bits
//	       duration             varint, as 64 bits; where the number before is negative,
//	                            end - last end
//	  …  bytes of 0: no more cells. A page of 0 at the end of the file is none.
//
// The last cell is that of the index's EOF cell: the end of the recording, 0 long. A cell has the
// numbers of a [TimeCell]; an end is start + duration. The "last" values of the first cell of a page
// are 0. A cell without a time leaves the last end unchanged: such cells are between those of calls,
// and would interrupt their sequence. Sums wrap around.
//
// A page has as many cells as fit, or less: a writer begins the next one when others are to see what
// it wrote. A file that ends within a page, or before the index does, is valid up to the last whole
// cell: its writer was stopped. All numbers but varints, which are those of encoding/binary, are
// big-endian, as in data and index.
//
// In version 1, which is read too, the header is followed by cells of TimeCellSize bytes:
//
//	4  the ID of the index cell
//	8  start: nanoseconds from the anchor on, on a clock that never goes back
//	8  duration: nanoseconds; -1: the cell has no time
const (
	TimesMagic   uint64 = 0x54524143_45582E54 // "TRACEX.T". On disk, do not change.
	TimesVersion uint64 = 2
	timesFixed   uint64 = 1 // cells of TimeCellSize bytes
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

// Append appends the cell as in version 1: TimeCellSize bytes.
func (c TimeCell) Append(dst []byte) []byte {
	be := binary.BigEndian
	dst = be.AppendUint32(dst, uint32(c.ID))
	return be.AppendUint64(be.AppendUint64(dst, uint64(c.Start)), uint64(c.Duration))
}

// decodeTimeCell decodes the cell of version 1 at the start of b, which must have TimeCellSize bytes.
func decodeTimeCell(b []byte) TimeCell {
	_ = b[TimeCellSize-1]
	be := binary.BigEndian
	return TimeCell{
		ID:       int32(be.Uint32(b)),
		Start:    int64(be.Uint64(b[timeStartAt:])),
		Duration: int64(be.Uint64(b[timeDurationAt:])),
	}
}

// AppendTimesHeader appends the header of a file of times. anchor is the wall clock at the
// moment from which starts count.
func AppendTimesHeader(dst []byte, anchor time.Time) []byte {
	be := binary.BigEndian
	dst = be.AppendUint64(be.AppendUint64(dst, TimesMagic), TimesVersion)
	return be.AppendUint64(dst, uint64(anchor.UnixNano()))
}

// DecodeTimesHeader checks the first bytes of a file of times and returns its anchor. fixed: it is of version 1.
func DecodeTimesHeader(head []byte) (anchor time.Time, fixed bool, err error) {
	if len(head) < TimesHeaderSize {
		return anchor, false, &Error{Offset: int64(len(head)), Err: ErrTruncated,
			Expected: fmt.Sprintf("a header of %d bytes", TimesHeaderSize), Found: plural(int64(len(head)), "byte")}
	}
	be := binary.BigEndian
	if magic := be.Uint64(head); magic != TimesMagic {
		return anchor, false, &Error{Offset: 0, Err: ErrNotTrace,
			Expected: "the times of a trace", Found: fmt.Sprintf("bytes %x", head[:8])}
	}
	version := be.Uint64(head[timesVersionAt:])
	if version != TimesVersion && version != timesFixed {
		return anchor, false, &Error{Offset: timesVersionAt, Err: ErrVersion,
			Expected: fmt.Sprintf("version %d or %d of the times", timesFixed, TimesVersion), Found: fmt.Sprintf("version %d", version)}
	}
	return time.Unix(0, int64(be.Uint64(head[timesAnchorAt:]))), version == timesFixed, nil
}
