package recorder

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"tracex/recorder/internal/live"
)

// pool keeps the recorder's memory within a limit: that of chunks, which it
// hands out, and that of what is reserved besides: threads, their stacks, names.
// Chunks have a share of it, and what is reserved has another one, so that a
// goroutine that begins when all chunks are in use can be seen later at least. Some
// is never for chunks: it is for those who need it at once, while the recorder's
// goroutine takes chunks away.
type pool struct {
	block int        // size of a block
	live  *live.File // where chunks have their memory; nil: in the program's own
	// Some have it in the program's own for want of room, which liveFull is told.
	volatile atomic.Bool
	liveFull func()

	mu       sync.Mutex
	max      int64
	used     int64      // bytes of all chunks, free ones among them, and of what is reserved
	reserved int64      // bytes besides chunks
	free     [][]*chunk // by the logarithm of their size
	freed    int64      // bytes of free chunks
}

func newPool(max int64, block int) *pool {
	return &pool{max: max, block: block, free: make([][]*chunk, bits.UintSize)}
}

// largest is the size of the largest chunk for which there is memory, whatever is
// reserved: who waits for it gets it.
func (p *pool) largest() int {
	size := maxBlockSize
	for p.cost(size) > p.ownOfChunks()-p.aside() {
		size /= 2
	}
	return size
}

// marks is how many marks a chunk of a size has. One that is larger than a block
// is for a single large object.
func (p *pool) marks(size int) int { return min(size, p.block) / bytesPerMark }

// cost is what a chunk of a size takes in memory, in bytes: of one that is larger
// than a block the sink has a copy, besides what it takes anyway.
func (p *pool) cost(size int) int64 {
	cost := int64(size) + int64(p.marks(size))*markSize + chunkSize
	if size > p.block {
		cost += int64(size)
	}
	return cost
}

// get returns a chunk of a size, a power of two or the block size, or nil when
// the memory is used up.
func (p *pool) get(size int) *chunk {
	cost := p.cost(size)
	c, ok := p.find(size, cost)
	if c == nil {
		if !ok {
			return nil
		}
		c = p.make(size)
	}
	p.prepare(c)
	return c
}

// make makes a chunk of a size: in the live file, or in the program's own memory
// where that has no room.
func (p *pool) make(size int) *chunk {
	if c := p.makeLive(size); c != nil {
		return c
	}
	if p.live != nil && !p.volatile.Swap(true) {
		p.liveFull()
	}
	return &chunk{data: make([]byte, size), marks: make([]mark, p.marks(size)), published: new(atomic.Uint64)}
}

// prepare makes a chunk ready for use from its begin. All of it is in the sink,
// and nobody else has it.
func (p *pool) prepare(c *chunk) {
	c.forgotten()
	c.flushed, c.flushedMarks = 0, 0
	c.published.Store(0)
}

// find returns a free chunk of a size, or nil and whether one may be made.
func (p *pool) find(size int, cost int64) (*chunk, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := &p.free[bits.Len(uint(size))]
	for i := len(*list) - 1; i >= 0; i-- {
		if c := (*list)[i]; len(c.data) == size {
			(*list)[i] = (*list)[len(*list)-1]
			(*list)[len(*list)-1] = nil
			*list = (*list)[:len(*list)-1]
			p.freed -= cost
			return c, true
		}
	}
	return nil, p.win(cost, p.forChunks())
}

// What chunks have for themselves: half of the memory, or so many bytes. What is
// reserved has an eighth of it, or so many bytes where that is little.
const (
	shareOfChunks   = 16 << 20
	shareOfReserved = 64 << 10
)

// ownOfChunks is what cannot be reserved.
func (p *pool) ownOfChunks() int64 { return min(p.max/2, shareOfChunks) }

// aside is what is never for chunks: a little of what cannot be reserved.
func (p *pool) aside() int64 { return min(p.max/32, p.ownOfChunks()/8) }

// forChunks is up to which use of the memory there may be more chunks. mu is held.
func (p *pool) forChunks() int64 {
	share := max(p.max/8, min(p.max/4, shareOfReserved))
	return p.max - max(share-p.reserved, p.aside())
}

// left returns how many bytes there are for more chunks.
func (p *pool) left() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.forChunks() - p.used + p.freed
}

// win takes bytes that nobody uses, up to a limit. It reports whether there are
// as many. mu is held.
func (p *pool) win(bytes, limit int64) bool {
	if p.used+bytes > limit {
		p.forget(p.used + bytes - limit)
	}
	if p.used+bytes > limit {
		return false
	}
	p.used += bytes
	return true
}

// forget gives free chunks to the garbage collector until need bytes are won.
func (p *pool) forget(need int64) {
	if p.freed == 0 {
		return
	}
	for i := range p.free {
		for len(p.free[i]) > 0 && need > 0 {
			last := len(p.free[i]) - 1
			cost := p.cost(len(p.free[i][last].data))
			p.free[i][last].release()
			p.free[i][last] = nil
			p.free[i] = p.free[i][:last]
			p.used, p.freed, need = p.used-cost, p.freed-cost, need-cost
		}
	}
}

// put takes a chunk back that its owner gave up. All of it is in the sink.
func (p *pool) put(c *chunk) {
	p.mu.Lock()
	i := bits.Len(uint(len(c.data)))
	p.free[i] = append(p.free[i], c)
	p.freed += p.cost(len(c.data))
	p.mu.Unlock()
}

// lost says that a chunk was taken away from its owner.
func (p *pool) lost(c *chunk) {
	p.mu.Lock()
	p.used -= p.cost(len(c.data))
	p.mu.Unlock()
}

// reserve takes bytes for something else than chunks. full: it is not for want
// of chunks that there are none.
func (p *pool) reserve(bytes int64) (ok, full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reserved+bytes > p.max-p.ownOfChunks() {
		return false, true
	}
	if !p.win(bytes, p.max) {
		return false, false
	}
	p.reserved += bytes
	return true, false
}

// scarce reports whether little more can be reserved.
func (p *pool) scarce() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	most := p.max - p.ownOfChunks()
	return p.reserved > most-most/8
}

// release gives reserved bytes back.
func (p *pool) release(bytes int64) {
	p.mu.Lock()
	p.reserved -= bytes
	p.used -= bytes
	p.mu.Unlock()
}
