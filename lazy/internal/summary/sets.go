package summary

import (
	"encoding/binary"
	"math"
	"slices"
)

// The sets of ids of a unit. On disk, do not change.
const (
	Methods       = 0 // of calls
	FieldReads    = 1
	FieldWrites   = 2
	VariableReads = 3
	VariableSets  = 4
	Around        = 5 // methods of the calls that are open where the unit begins
	SetCount      = 6
)

// The forms of a set. On disk, do not change.
const (
	formGaps = 0
	formBits = 1
)

// mostIDs bounds a set: a unit has not room for as many.
const mostIDs = 1 << 20

// appendSet appends a set. It sorts ids, which are distinct.
func appendSet(dst []byte, ids []int32) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(ids)))
	if len(ids) == 0 {
		return dst
	}
	slices.Sort(ids)
	size := 0
	for i, id := range ids[1:] {
		size += varintSize(uint64(int64(id) - int64(ids[i]) - 1))
	}
	first, last := int64(ids[0]), int64(ids[len(ids)-1])
	bits := (last - first + 7) / 8
	if int64(size) <= bits+int64(varintSize(uint64(bits))) {
		dst = append(dst, formGaps)
		dst = binary.AppendVarint(dst, first)
		for i, id := range ids[1:] {
			dst = binary.AppendUvarint(dst, uint64(int64(id)-int64(ids[i])-1))
		}
		return dst
	}
	dst = append(dst, formBits)
	dst = binary.AppendVarint(dst, first)
	dst = binary.AppendUvarint(dst, uint64(bits))
	from := len(dst)
	dst = append(dst, make([]byte, bits)...)
	for _, id := range ids[1:] {
		k := int64(id) - first - 1
		dst[from+int(k/8)] |= 1 << (k % 8)
	}
	return dst
}

func varintSize(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}

// set reads a set into ids, which it empties first.
func (d *decoder) set(ids []int32) []int32 {
	ids = ids[:0]
	n := d.count(min(len(d.b)*8+1, mostIDs))
	if n == 0 || d.bad {
		return ids
	}
	form := d.byte()
	id := d.signed()
	add := func() {
		if id < math.MinInt32 || id > math.MaxInt32 {
			d.bad = true
			return
		}
		ids = append(ids, int32(id))
	}
	add()
	switch form {
	case formGaps:
		if n-1 > len(d.b) {
			d.bad = true
		}
		for i := 1; i < n && !d.bad; i++ {
			gap := d.next()
			if gap > math.MaxUint32 {
				d.bad = true
			}
			id += int64(gap) + 1
			add()
		}
	case formBits:
		for i, b := range d.bytes() {
			for k := 0; b != 0 && !d.bad; k, b = k+1, b>>1 {
				if b&1 != 0 {
					before := id
					id += int64(i)*8 + int64(k) + 1
					add()
					id = before
				}
			}
		}
		d.bad = d.bad || len(ids) != n
	default:
		d.bad = true
	}
	return ids
}

// decoder reads until something is bad.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) next() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

// number reads an int64 of at least 0.
func (d *decoder) number() int64 {
	v := d.next()
	d.bad = d.bad || v > math.MaxInt64
	return int64(v & math.MaxInt64)
}

// id reads an int32.
func (d *decoder) id() int32 {
	v := d.signed()
	d.bad = d.bad || v < math.MinInt32 || v > math.MaxInt32
	return int32(v)
}

// count reads a number of things, of at most so many.
func (d *decoder) count(most int) int {
	n := d.next()
	if n > uint64(most) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

// bytes reads a size and so many bytes.
func (d *decoder) bytes() []byte {
	n := d.next()
	if n > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) u32() uint32 {
	if len(d.b) < 4 {
		d.bad, d.b = true, nil
		return 0
	}
	v := binary.BigEndian.Uint32(d.b)
	d.b = d.b[4:]
	return v
}
