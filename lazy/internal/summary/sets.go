package summary

import (
	"encoding/binary"
	"math"
	"slices"

	"tracex/lazy/internal/decode"
)

// The sets of ids of a unit. On disk, do not change.
const (
	Methods       = 0 // of calls
	FieldReads    = 1
	FieldWrites   = 2
	VariableReads = 3
	VariableSets  = 4
	Around        = 5 // methods of the calls that are open where the unit begins
	Inside        = 6 // classes of the objects whose contents were recorded
	SetCount      = 7
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
	n := d.Count(min(len(d.B)*8+1, mostIDs))
	if n == 0 || d.Bad {
		return ids
	}
	form := d.Byte()
	id := d.Signed()
	add := func() {
		if id < math.MinInt32 || id > math.MaxInt32 {
			d.Bad = true
			return
		}
		ids = append(ids, int32(id))
	}
	add()
	switch form {
	case formGaps:
		if n-1 > len(d.B) {
			d.Bad = true
		}
		for i := 1; i < n && !d.Bad; i++ {
			gap := d.Next()
			if gap > math.MaxUint32 {
				d.Bad = true
			}
			id += int64(gap) + 1
			add()
		}
	case formBits:
		for i, b := range d.Bytes() {
			for k := 0; b != 0 && !d.Bad; k, b = k+1, b>>1 {
				if b&1 != 0 {
					before := id
					id += int64(i)*8 + int64(k) + 1
					add()
					id = before
				}
			}
		}
		d.Bad = d.Bad || len(ids) != n
	default:
		d.Bad = true
	}
	return ids
}

// decoder reads the parts of a summary.
type decoder struct{ decode.Reader }
