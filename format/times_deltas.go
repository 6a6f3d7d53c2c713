package format

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// In a packed trace the file of times is stored as differences, without pages, which compresses best:
//
//	header              TimesHeaderSize bytes, with the number of version 1
//	group               any number
//	  cells in it       uvarint, not 0
//	  ID - last ID      varint, as 32 bits; of each cell
//	  start - last end  varint, as 64 bits
//	  duration          varint, as 64 bits; where the number before is negative,
//	                    end - last end
//	0                   uvarint
//	rest                less bytes than a cell of version 1: of one that was not whole
//
// The "last" values are as in a page. A file of any version becomes one of the current version.

// deltaGroup is how many cells are written at a time.
const deltaGroup = 4096

// writeTimeDeltas writes a file of times as differences.
func writeTimeDeltas(w io.Writer, times io.Reader) error {
	in := NewTimesScanner(times)
	anchor, err := in.Anchor()
	if err != nil {
		return err
	}
	head := AppendTimesHeader(nil, anchor)
	binary.BigEndian.PutUint64(head[timesVersionAt:], timesFixed)
	if _, err := w.Write(head); err != nil {
		return err
	}
	var last timeRow
	var count, group []byte
	for more := true; more; {
		n := 0
		for group = group[:0]; n < deltaGroup; n++ {
			if more = in.Next(); !more {
				break
			}
			id, gap, rest := last.less(in.Cell())
			group = binary.AppendVarint(group, int64(id))
			group = binary.AppendVarint(binary.AppendVarint(group, gap), rest)
		}
		if n == 0 {
			break
		}
		count = binary.AppendUvarint(count[:0], uint64(n))
		if _, err := w.Write(count); err != nil {
			return err
		}
		if _, err := w.Write(group); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	_, err = w.Write([]byte{0})
	return err
}

// timeDeltas reads a file of times from its differences. It takes only the memory of a few
// cells, and yields at most limit cells.
type timeDeltas struct {
	in    *bufio.Reader
	limit int64 // cells that may still be returned
	last  timeRow
	group uint64 // cells left in the group
	state deltaState
	pages TimesWriter
	room  []byte
	out   []byte // part of room: decoded, and not read yet
	err   error
}

// deltaBatch is how many cells are read at a time.
const deltaBatch = 128

type deltaState int

const (
	atHeader deltaState = iota
	inCells
	atEnd
)

func newTimeDeltas(in io.Reader, limit int64) *timeDeltas {
	return &timeDeltas{in: bufio.NewReaderSize(in, 32<<10), limit: limit}
}

func (d *timeDeltas) Read(b []byte) (n int, err error) {
	for len(d.out) == 0 && d.err == nil {
		d.room, d.err = d.more(d.room[:0])
		d.out = d.room
	}
	if len(d.out) == 0 {
		return 0, d.err
	}
	n = copy(b, d.out)
	d.out = d.out[n:]
	return n, nil
}

// more appends the next bytes of the file.
func (d *timeDeltas) more(out []byte) ([]byte, error) {
	switch d.state {
	case atHeader:
		d.state = inCells
		var head [TimesHeaderSize]byte
		if _, err := io.ReadFull(d.in, head[:]); err != nil {
			return nil, ended(err)
		}
		anchor, _, err := DecodeTimesHeader(head[:])
		d.pages = NewTimesWriter(TimesHeaderSize, 0, false)
		return AppendTimesHeader(out, anchor), err
	case inCells:
		return d.cells(out)
	}
	var rest [TimeCellSize]byte
	switch _, err := io.ReadFull(d.in, rest[:]); err {
	case nil:
		return nil, deltaFault("times that end with less than a cell", "more")
	case io.ErrUnexpectedEOF, io.EOF:
		return nil, io.EOF
	default:
		return nil, err
	}
}

// cells appends the rest of a group, or a part of it.
func (d *timeDeltas) cells(out []byte) ([]byte, error) {
	if d.group == 0 {
		n, err := d.uvarint()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			d.state = atEnd
			return out, nil
		}
		d.group = n
	}
	if d.limit -= int64(min(d.group, deltaBatch)); d.limit < 0 {
		return nil, deltaFault("times of no more cells than the index has", "more")
	}
	for range min(d.group, deltaBatch) {
		var delta [3]int64
		for i := range delta {
			v, err := d.varint()
			if err != nil {
				return nil, err
			}
			delta[i] = v
		}
		if delta[0] != int64(int32(delta[0])) {
			return nil, deltaFault("times with IDs of 32 bits", fmt.Sprintf("a difference of %d", delta[0]))
		}
		out = d.pages.Append(out, d.last.cell(int32(delta[0]), delta[1], delta[2]))
		d.group--
	}
	return out, nil
}

// uvarint reads a number as encoded by encoding/binary.
func (d *timeDeltas) uvarint() (v uint64, err error) {
	for shift := 0; shift < 64; shift += 7 {
		b, err := d.in.ReadByte()
		if err != nil {
			return 0, ended(err)
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, nil
		}
	}
	return 0, deltaFault("times of 64 bits", "a longer number")
}

// varint reads a signed number.
func (d *timeDeltas) varint() (int64, error) {
	u, err := d.uvarint()
	return unzigzag(u), err
}

// ended turns the end of input into an error, where it is unexpected.
func ended(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func deltaFault(expected, found string) error {
	return &Error{Offset: -1, Err: ErrCorrupt, Expected: expected, Found: found}
}
