package histogram

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrDamaged is the error of [Decode] for bytes that no histogram was written as.
var ErrDamaged = errors.New("damaged histogram")

// Append appends the histogram to dst: unsigned varints, on disk, do not change.
//
//	zeros        numbers that are 0
//	n            buckets that are not empty
//	n times:     gap, count     empty buckets since the one before; numbers, above 0
//	min, max     if n > 0: the smallest and largest number; min is 0 if zeros > 0
func (h *Histogram) Append(dst []byte) []byte {
	n := 0
	for _, c := range h.counts {
		if c > 0 {
			n++
		}
	}
	dst = binary.AppendUvarint(dst, h.zeros)
	dst = binary.AppendUvarint(dst, uint64(n))
	next := 0
	for i, c := range h.counts {
		if c > 0 {
			dst = binary.AppendUvarint(dst, uint64(h.first+i-next))
			dst = binary.AppendUvarint(dst, c)
			next = h.first + i + 1
		}
	}
	if n > 0 {
		dst = binary.AppendUvarint(dst, uint64(h.min))
		dst = binary.AppendUvarint(dst, uint64(h.max))
	}
	return dst
}

// Decode reads a histogram from the beginning of src and returns the bytes after it. The error is
// [ErrDamaged] if src was not written by [Histogram.Append].
func Decode(src []byte) (h *Histogram, rest []byte, err error) {
	d := decoder{src: src}
	h = &Histogram{zeros: d.next()}
	h.total = h.zeros
	n := d.next()
	if d.bad || n > buckets || n > uint64(len(d.src)/2) {
		return nil, nil, ErrDamaged
	}
	if n == 0 {
		return h, d.src, nil
	}
	last := d.buckets(h, int(n))
	low, high := d.next(), d.next()
	if d.bad || low > high || high > math.MaxInt64 {
		return nil, nil, ErrDamaged
	}
	h.min, h.max = int64(low), int64(high)
	if h.zeros > 0 && low != 0 || h.zeros == 0 && (low == 0 || bucketOf(h.min) != h.first) || high == 0 || bucketOf(h.max) != last {
		return nil, nil, ErrDamaged
	}
	return h, d.src, nil
}

// decoder reads varints until one is bad.
type decoder struct {
	src []byte
	bad bool
}

func (d *decoder) next() uint64 {
	v, n := binary.Uvarint(d.src)
	if n <= 0 || n > 1 && d.src[n-1] == 0 { // cut, too large, or longer than needed
		d.bad = true
		return 0
	}
	d.src = d.src[n:]
	return v
}

// buckets reads n buckets into h and returns the last one.
func (d *decoder) buckets(h *Histogram, n int) (last int) {
	at := 0
	for i := 0; i < n && !d.bad; i++ {
		gap, count := d.next(), d.next()
		if gap >= buckets || at+int(gap) >= buckets || count == 0 || h.total+count < h.total {
			d.bad = true
			return 0
		}
		last = at + int(gap)
		if i == 0 {
			h.first = last
		}
		for len(h.counts) <= last-h.first {
			h.counts = append(h.counts, 0)
		}
		h.counts[last-h.first] = count
		h.total += count
		at = last + 1
	}
	return last
}
