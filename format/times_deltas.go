package format

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// Most of a file of times follows from the cell before: IDs count up, and a call begins soon
// after the end of the previous one, or ends soon after it if it contains that call. In a packed
// trace the file is stored as differences, which compress to a fraction of the size of the cells:
//
//	header              TimesHeaderSize bytes, as they are
//	group               any number
//	  cells in it       uvarint, not 0
//	  ID - last ID      varint, as 32 bits; of each cell
//	  start - last end  varint, as 64 bits
//	  duration          varint, as 64 bits; where the number before is negative,
//	                    end - last end
//	0                   uvarint
//	rest                bytes of a cell that is not whole, as they are
//
// An end is start + duration. The first "last" values are 0. A cell without a time leaves the
// last end unchanged: such cells are between those of calls, and would interrupt their
// sequence. Sums wrap around, so decoding yields exactly the original bytes, whatever they are.

// deltaGroup is how many cells are written at a time.
const deltaGroup = 4096

// timeRow is the previous cell, which the next one is compared with.
type timeRow struct {
	id  int32
	end int64
}

func (r *timeRow) take(c TimeCell) {
	r.id = c.ID
	if c.Known() {
		r.end = c.Start + c.Duration
	}
}

// writeTimeDeltas writes a file of times as differences. It checks the header, but not the cells.
func writeTimeDeltas(w io.Writer, times io.Reader) error {
	in := make([]byte, deltaGroup*TimeCellSize)
	n, err := io.ReadFull(times, in[:TimesHeaderSize])
	if err == io.EOF || err == io.ErrUnexpectedEOF || err == nil {
		_, err = DecodeTimesHeader(in[:n])
	}
	if err == nil {
		_, err = w.Write(in[:TimesHeaderSize])
	}
	var row timeRow
	var out []byte
	for err == nil {
		var end bool
		n, err = io.ReadFull(times, in)
		if end = err == io.EOF || err == io.ErrUnexpectedEOF; !end && err != nil {
			return err
		}
		cells := n / TimeCellSize
		out = out[:0]
		if cells > 0 {
			out = binary.AppendUvarint(out, uint64(cells))
		}
		for i := range cells {
			c := DecodeTimeCell(in[i*TimeCellSize:])
			gap, rest := c.Start-row.end, c.Duration
			if gap < 0 {
				rest += gap
			}
			out = binary.AppendVarint(out, int64(c.ID-row.id))
			out = binary.AppendVarint(binary.AppendVarint(out, gap), rest)
			row.take(c)
		}
		if end {
			out = append(append(out, 0), in[cells*TimeCellSize:n]...)
		}
		_, err = w.Write(out)
		if end {
			return err
		}
	}
	return err
}

// timeDeltas reads a file of times from its differences. It takes only the memory of a few
// cells, and yields at most limit bytes.
type timeDeltas struct {
	in    *bufio.Reader
	limit int64 // bytes that may still be returned
	row   timeRow
	group uint64 // cells left in the group
	state deltaState
	room  [deltaBatch * TimeCellSize]byte
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
		d.out, d.err = d.more(d.room[:0])
		if d.limit -= int64(len(d.out)); d.limit < 0 {
			d.out, d.err = nil, deltaFault("times of no more cells than the index has", "more")
		}
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
		out = out[:TimesHeaderSize]
		if _, err := io.ReadFull(d.in, out); err != nil {
			return nil, ended(err)
		}
		_, err := DecodeTimesHeader(out)
		return out, err
	case inCells:
		return d.cells(out)
	}
	rest := out[:TimeCellSize]
	n, err := io.ReadFull(d.in, rest)
	switch err {
	case nil:
		return nil, deltaFault("times that end with less than a cell", "more")
	case io.ErrUnexpectedEOF:
		err = io.EOF
	}
	return rest[:n], err
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
			return nil, nil
		}
		d.group = n
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
		gap, rest := delta[1], delta[2]
		if gap < 0 {
			rest -= gap
		}
		c := TimeCell{ID: d.row.id + int32(delta[0]), Start: d.row.end + gap, Duration: rest}
		out = c.Append(out)
		d.row.take(c)
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
	return int64(u>>1) ^ -int64(u&1), err
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
