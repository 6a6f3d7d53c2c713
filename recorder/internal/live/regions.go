package live

import (
	"math/bits"
	"os"
)

// freeRegions hands out regions of a range of bytes, as a buddy allocator does: each is a power of
// two in size and aligned to it. A region that is given back is merged with its buddy, the other
// half of the region that both were cut from, if that is free too.
type freeRegions struct {
	free [64]map[int64]struct{} // by the logarithm of the size: where free regions are
}

// add adds a range: from is aligned to size, a power of two.
func (p *freeRegions) add(from, size int64) { p.put(from, bits.TrailingZeros64(uint64(size)), 63) }

// get returns a free region of 1<<order bytes; false if there is none.
func (p *freeRegions) get(order int) (int64, bool) {
	at := order
	for at < len(p.free) && len(p.free[at]) == 0 {
		at++
	}
	if at == len(p.free) {
		return 0, false
	}
	var from int64
	for from = range p.free[at] {
		break
	}
	delete(p.free[at], from)
	for at > order {
		at--
		p.keep(from+1<<at, at)
	}
	return from, true
}

// put gives back a region of 1<<order bytes, which was cut from one of at most 1<<most bytes.
func (p *freeRegions) put(from int64, order, most int) {
	for order < most {
		other := from ^ 1<<order
		if _, ok := p.free[order][other]; !ok {
			break
		}
		delete(p.free[order], other)
		from = min(from, other)
		order++
	}
	p.keep(from, order)
}

func (p *freeRegions) keep(from int64, order int) {
	if p.free[order] == nil {
		p.free[order] = map[int64]struct{}{}
	}
	p.free[order][from] = struct{}{}
}

// orderOf returns the logarithm of the smallest region with room for size bytes.
func orderOf(size int64) int {
	return bits.Len64(uint64(max(size, least) - 1))
}

func fill(f *os.File, from, size int64) error {
	zeros := make([]byte, min(size, 1<<16))
	for at := int64(0); at < size; {
		n, err := f.WriteAt(zeros[:min(size-at, int64(len(zeros)))], from+at)
		if err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}
