// Package histogram counts durations, or other numbers that are not negative, in buckets: 8 an
// octave, each 2^(1/8) times as wide as the one before. A quantile read from it is off by at most
// 4.4 %, half a bucket. Histograms of parts can be merged, and are stored in a few bytes.
package histogram

import (
	"math"
	"math/bits"
)

// Octave is how many buckets there are between a number and its double.
const Octave = 8

// buckets is the number of buckets of an int64 above 0.
const buckets = 63 * Octave

// edges are the fractions at which the buckets of an octave begin: 2^(k/8), as a number whose
// highest bit of 64 is 1.
var edges = func() (e [Octave]uint64) {
	for k := range e {
		e[k] = uint64(math.Ceil(math.Exp2(float64(k)/Octave) * (1 << 52)))
		e[k] <<= 11
	}
	return e
}()

// Histogram counts numbers. The zero Histogram is empty and ready for use. Its memory is 8 bytes
// for each bucket between the smallest and the largest number.
type Histogram struct {
	zeros    uint64 // numbers that are 0
	first    int    // bucket of counts[0]
	counts   []uint64
	total    uint64
	min, max int64
}

// bucketOf returns the bucket of a number above 0.
func bucketOf(v int64) int {
	octave := bits.Len64(uint64(v)) - 1
	fraction := uint64(v) << (63 - octave)
	k := int(near[fraction>>58&31])
	if k < Octave-1 && fraction >= edges[k+1] {
		k++
	}
	return octave*Octave + k
}

// near has for each 32nd of an octave the bucket in which it begins. There is at most one edge in it.
var near = func() (list [32]uint8) {
	for i := range list {
		for k := range edges {
			if (32+uint64(i))<<58 >= edges[k] {
				list[i] = uint8(k)
			}
		}
	}
	return list
}()

// bounds returns the smallest and the largest number of a bucket; lo > hi if it can have none.
func bounds(bucket int) (lo, hi int64) {
	begin := func(b int) uint64 {
		octave, k := b/Octave, b%Octave
		shift := 63 - octave
		return edges[k]>>shift + min(1, edges[k]&(1<<shift-1))
	}
	lo = int64(begin(bucket))
	if bucket == buckets-1 {
		return lo, math.MaxInt64
	}
	return lo, int64(begin(bucket+1) - 1)
}

// Add counts a number; one below 0 counts as 0.
func (h *Histogram) Add(v int64) { h.AddN(v, 1) }

// AddN counts a number n times.
func (h *Histogram) AddN(v int64, n uint64) {
	if n == 0 {
		return
	}
	v = max(v, 0)
	if h.total == 0 {
		h.min, h.max = v, v
	}
	h.total += n
	h.min, h.max = min(h.min, v), max(h.max, v)
	if v == 0 {
		h.zeros += n
		return
	}
	b := bucketOf(v)
	if i := b - h.first; i >= 0 && i < len(h.counts) {
		h.counts[i] += n
		return
	}
	h.cover(b, b)
	h.counts[b-h.first] += n
}

// cover makes room for the buckets from lo to hi.
func (h *Histogram) cover(lo, hi int) {
	if len(h.counts) > 0 {
		lo, hi = min(lo, h.first), max(hi, h.first+len(h.counts)-1)
	}
	if h.first == lo && hi-lo < len(h.counts) {
		return
	}
	grown := make([]uint64, hi-lo+1)
	if len(h.counts) > 0 {
		copy(grown[h.first-lo:], h.counts)
	}
	h.first, h.counts = lo, grown
}

// Merge adds all numbers of another histogram.
func (h *Histogram) Merge(o *Histogram) {
	if o == nil || o.total == 0 {
		return
	}
	if h.total == 0 {
		h.min, h.max = o.min, o.max
	}
	h.min, h.max = min(h.min, o.min), max(h.max, o.max)
	h.total += o.total
	h.zeros += o.zeros
	if len(o.counts) == 0 {
		return
	}
	h.cover(o.first, o.first+len(o.counts)-1)
	for i, n := range o.counts {
		h.counts[o.first-h.first+i] += n
	}
}

// Count returns how many numbers were counted.
func (h *Histogram) Count() uint64 { return h.total }

// Min returns the smallest number, exactly; 0 if there is none.
func (h *Histogram) Min() int64 { return h.min }

// Max returns the largest number, exactly; 0 if there is none.
func (h *Histogram) Max() int64 { return h.max }

// Quantile returns the number that a share q of all numbers, from 0 to 1, does not exceed: the
// one of rank ⌈q·n⌉. It is off by at most 4.4 % or, where that is more, by 0.5; the smallest and the
// largest are exact. It is 0 if the histogram is empty.
func (h *Histogram) Quantile(q float64) int64 {
	if h.total == 0 {
		return 0
	}
	rank := uint64(math.Ceil(min(max(q, 0), 1) * float64(h.total)))
	switch rank = min(max(rank, 1), h.total); rank {
	case 1:
		return h.min
	case h.total:
		return h.max
	}
	seen := h.zeros
	if rank <= seen {
		return 0
	}
	for i, n := range h.counts {
		if seen += n; rank <= seen {
			lo, hi := bounds(h.first + i)
			lo, hi = max(lo, h.min), min(hi, h.max)
			return int64(math.Round(math.Sqrt(float64(lo)) * math.Sqrt(float64(hi))))
		}
	}
	return h.max
}

// Chance returns how probable it is that the numbers of two histograms of one distribution differ as much as these or
// more, from 0 to 1: the two-sided p-value of a Mann-Whitney test, by the normal approximation. Numbers of one bucket count
// as equal. It is 1 if either histogram is empty or all numbers are equal.
func Chance(a, b *Histogram) float64 {
	n, m := float64(a.total), float64(b.total)
	all := n + m
	var rest, above, ties float64 // rest: numbers of a in higher buckets; above: pairs whose number of a is the larger, one that is equal counting half
	rest = n
	both := func(x, y uint64) {
		inA, inB := float64(x), float64(y)
		rest -= inA
		above += inB * (rest + inA/2)
		t := inA + inB
		ties += t * (t*t - 1)
	}
	both(a.zeros, b.zeros)
	from := min(a.first, b.first)
	for i := range max(a.first+len(a.counts), b.first+len(b.counts)) - from {
		both(a.count(from+i), b.count(from+i))
	}
	variance := n * m / 12 * (all + 1 - ties/(all*(all-1)))
	if !(variance > 0) {
		return 1
	}
	return math.Erfc(math.Abs(above-n*m/2) / math.Sqrt(2*variance))
}

// count returns how many numbers a bucket has.
func (h *Histogram) count(bucket int) uint64 {
	if i := bucket - h.first; i >= 0 && i < len(h.counts) {
		return h.counts[i]
	}
	return 0
}

// levels are the heights of a bar, from a little to full.
var (
	levels      = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	asciiLevels = []string{".", ":", "-", "=", "+", "*", "#", "@"}
)

// Text draws the histogram as a row of at most width bars, one for each bucket or, where they do
// not fit, for several. The row begins at [Histogram.Min] and ends at [Histogram.Max]. The highest
// bar is full; one that is not empty has at least the lowest height. Zeros are in the first bar. It
// is "" if the histogram is empty or width is below 1.
func (h *Histogram) Text(width int, ascii bool) string {
	if h.total == 0 || width < 1 {
		return ""
	}
	counts := h.bars(width)
	most := uint64(0)
	for _, n := range counts {
		most = max(most, n)
	}
	signs := levels
	if ascii {
		signs = asciiLevels
	}
	var text []byte
	for _, n := range counts {
		if n == 0 {
			text = append(text, ' ')
			continue
		}
		at := int(float64(n) / float64(most) * float64(len(signs)))
		text = append(text, signs[min(at, len(signs)-1)]...)
	}
	return string(text)
}

// bars returns the counts of at most width bars.
func (h *Histogram) bars(width int) []uint64 {
	from, to := 0, len(h.counts)
	for from < to && h.counts[from] == 0 {
		from++
	}
	for from < to && h.counts[to-1] == 0 {
		to--
	}
	shown := h.counts[from:to]
	if len(shown) == 0 {
		return []uint64{h.zeros}
	}
	each := (len(shown) + width - 1) / width
	bars := make([]uint64, (len(shown)+each-1)/each)
	for i, n := range shown {
		bars[i/each] += n
	}
	bars[0] += h.zeros
	return bars
}
