package buffers

import "testing"

// A pool stays below its limit: free chunks are given up for other sizes, used ones are not.
func TestPool(t *testing.T) {
	p := NewPool(0, 4<<10, nil, nil)
	p.max = 8*p.Cost(1<<10) + p.Cost(1<<10)/2
	p.reserved = p.max / 4 // as if something else had its share
	var small []*Chunk
	for c := p.Get(1 << 10); c != nil; c = p.Get(1 << 10) {
		small = append(small, c)
	}
	if len(small) != 8 || p.used != 8*p.Cost(1<<10) {
		t.Fatalf("%d chunks, %d of %d bytes", len(small), p.used, p.max)
	}
	p.Put(small[0])
	if c := p.Get(1 << 10); c != small[0] {
		t.Error("a free chunk is not used again")
	}
	for _, c := range small[:4] {
		p.Put(c)
	}
	large := p.Get(4 << 10)
	if large == nil || p.freed != 0 || p.used != 4*p.Cost(1<<10)+p.Cost(4<<10) {
		t.Fatalf("no chunk: %v, %d bytes are free, %d of %d used", large == nil, p.freed, p.used, p.max)
	}
	if p.Get(1<<10) != nil {
		t.Error("more than there is")
	}
	p.Lost(large)
	one, two, three := p.Get(2<<10), p.Get(2<<10), p.Get(1<<10)
	if one == nil || two == nil || three != nil {
		t.Errorf("%d of %d bytes after what was lost", p.used, p.max)
	}
	p.Put(one)
	p.reserved = p.max / 8
	if ok, full := p.Reserve(p.Cost(2 << 10)); !ok || full || p.freed != 0 {
		t.Errorf("what is free is not reserved: %v, %v", ok, full)
	}
	if ok, full := p.Reserve(p.Cost(1 << 10)); ok || full {
		t.Errorf("reserved is what chunks have: %v, %v", ok, full)
	}
	if ok, full := p.Reserve(p.max - p.ownOfChunks() - p.reserved + 1); ok || !full {
		t.Errorf("reserved is more than half: %v, %v", ok, full)
	}
	p.Release(p.Cost(2 << 10))
	p.reserved = p.max / 4
	if p.Get(2<<10) == nil {
		t.Error("what was given back is gone")
	}
}

func TestMark(t *testing.T) {
	const last = MaxSize*8 - 1
	for _, pos := range []int{0, 1, 1000, last - 1} {
		for _, end := range []int{pos + 1, last} {
			h, f := Mark{HeaderAt(pos, end), 7}, Mark{FooterAt(pos, end), 7}
			if h.Footer() || !f.Footer() || h.Pos() != pos || f.Pos() != pos || h.End() != end || f.End() != end {
				t.Errorf("%d, %d: %+v, %+v", pos, end, h, f)
			}
			if m := f.Moved(pos); !m.Footer() || m.Reading != 7 || m.Pos() != 0 || m.End() != end-pos {
				t.Errorf("%d, %d moved: %d, %d", pos, end, m.Pos(), m.End())
			}
		}
	}
}

// Whatever is reserved, and however much memory there is, the largest chunk that a goroutine
// may wait for can be had. Otherwise it would wait forever.
func TestPoolKeepsRoomForChunks(t *testing.T) {
	const least = 192 << 10 // the minimum memory less the files' share
	for memory := int64(least); memory < 1<<40; memory += memory / 7 {
		p := NewPool(memory, 1<<10, nil, nil)
		for n := int64(1) << 40; n > 0; n /= 2 {
			for ok := true; ok; {
				ok, _ = p.Reserve(n)
			}
		}
		if p.used != p.reserved || p.reserved <= memory/3 {
			t.Fatalf("%d bytes of %d are used, %d reserved", p.used, memory, p.reserved)
		}
		for _, size := range []int{First, p.Largest()} {
			if p.Left() < p.Cost(size) {
				t.Fatalf("with %d bytes, of which %d are reserved, %d are left: too little for a chunk of %d", memory, p.reserved, p.Left(), size)
			}
		}
	}
}
