// Package decode reads numbers and bytes that may be damaged, such as those of a summary file.
package decode

import (
	"encoding/binary"
	"math"
)

// Reader reads values one after the other. After the first that is cut short, too large or otherwise
// bad, Bad stays set, and what it returns means nothing. It never panics, and allocates nothing.
type Reader struct {
	B   []byte // what is left
	Bad bool
}

// Next reads an unsigned varint.
func (d *Reader) Next() uint64 {
	v, n := binary.Uvarint(d.B)
	if n <= 0 {
		d.Bad, d.B = true, nil
		return 0
	}
	d.B = d.B[n:]
	return v
}

// Signed reads a signed varint.
func (d *Reader) Signed() int64 {
	v, n := binary.Varint(d.B)
	if n <= 0 {
		d.Bad, d.B = true, nil
		return 0
	}
	d.B = d.B[n:]
	return v
}

// Number reads an unsigned varint that is an int64.
func (d *Reader) Number() int64 {
	v := d.Next()
	d.Bad = d.Bad || v > math.MaxInt64
	return int64(v & math.MaxInt64)
}

// ID reads a signed varint that is an int32.
func (d *Reader) ID() int32 {
	v := d.Signed()
	d.Bad = d.Bad || v < math.MinInt32 || v > math.MaxInt32
	return int32(v)
}

// Count reads a number of things, of at most so many; 0 if there are more.
func (d *Reader) Count(most int) int {
	n := d.Next()
	if n > uint64(most) {
		d.Bad = true
		return 0
	}
	return int(n)
}

// Byte reads a byte.
func (d *Reader) Byte() byte {
	if len(d.B) == 0 {
		d.Bad = true
		return 0
	}
	v := d.B[0]
	d.B = d.B[1:]
	return v
}

// Bytes reads a size and so many bytes, which are a part of B.
func (d *Reader) Bytes() []byte {
	n := d.Count(len(d.B))
	if n > len(d.B) {
		d.Bad = true
		return nil
	}
	v := d.B[:n]
	d.B = d.B[n:]
	return v
}

// U32 reads four bytes, the most significant first.
func (d *Reader) U32() uint32 {
	if len(d.B) < 4 {
		d.Bad, d.B = true, nil
		return 0
	}
	v := binary.BigEndian.Uint32(d.B)
	d.B = d.B[4:]
	return v
}
