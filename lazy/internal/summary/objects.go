package summary

import "encoding/binary"

// The forms of the objects of a unit. On disk, do not change.
const (
	objectsNone   = 0
	objectsFilter = 1
	objectsAny    = 2 // too many to keep
)

const (
	bitsEach   = 10       // of a filter, for each object
	probes     = 7        // bits set for each object
	mostFilter = 10 << 10 // bytes of a filter
	leastEach  = 4        // bits for each object, below which a filter is not worth its size
)

// Key returns the number that objects are known by, from a hash of the name of the class and the
// identity hash. It is not 0. Objects with one key are taken for one.
func Key(class uint64, identity int32) uint64 {
	x := class ^ uint64(uint32(identity))*0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return max(x^x>>32, 1)
}

// Objects is a set of objects that may claim to have more. The zero Objects has none.
type Objects struct {
	filter []byte
	any    bool
}

// Has reports whether an object may be in the set.
func (o *Objects) Has(key uint64) bool {
	n := uint64(len(o.filter)) * 8
	if n == 0 {
		return o.any
	}
	step := key>>32 | 1
	for range probes {
		bit := key % n
		if o.filter[bit/8]&(1<<(bit%8)) == 0 {
			return false
		}
		key += step
	}
	return true
}

// Any reports whether there are objects that could not be told.
func (o *Objects) Any() bool { return o.any }

// appendObjects appends the set of keys, which are distinct; more tells that some are missing.
func appendObjects(dst []byte, keys []uint64, more bool) []byte {
	size := min((len(keys)*bitsEach+7)/8, mostFilter)
	switch {
	case more || size*8 < len(keys)*leastEach:
		return append(dst, objectsAny)
	case len(keys) == 0:
		return append(dst, objectsNone)
	}
	dst = append(dst, objectsFilter)
	dst = binary.AppendUvarint(dst, uint64(size))
	from := len(dst)
	dst = append(dst, make([]byte, size)...)
	for _, key := range keys {
		step := key>>32 | 1
		for range probes {
			bit := key % (uint64(size) * 8)
			dst[from+int(bit/8)] |= 1 << (bit % 8)
			key += step
		}
	}
	return dst
}

func (d *decoder) objects() (o Objects) {
	switch d.Byte() {
	case objectsNone:
	case objectsFilter:
		o.filter = d.Bytes()
		d.Bad = d.Bad || len(o.filter) == 0
	case objectsAny:
		o.any = true
	default:
		d.Bad = true
	}
	return o
}
