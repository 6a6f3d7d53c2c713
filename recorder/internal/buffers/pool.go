package buffers

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"tracex/recorder/internal/live"
)

// Pool keeps the recorder's memory within a limit: that of chunks, which it
// hands out, and that of what is reserved besides: threads, their stacks, names.
// Chunks have a share of it, and what is reserved has another one, so that a
// goroutine that begins when all chunks are in use can be seen later at least. Some
// is never for chunks: it is for those who need it at once, while the recorder's
// goroutine takes chunks away.
type Pool struct {
	block int        // size of a block
	live  *live.File // where chunks have their memory; nil: in the program's own
	// Some have it in the program's own for want of room, which liveFull is told.
	volatile atomic.Bool
	liveFull func()

	mu       sync.Mutex
	max      int64
	used     int64      // bytes of all chunks, free ones among them, and of what is reserved
	reserved int64      // bytes besides chunks
	free     [][]*Chunk // by the logarithm of their size
	freed    int64      // bytes of free chunks
}

// NewPool returns a pool of so many bytes, for blocks of a size. l is where chunks have
// their memory, full is told when that has no more room; both may be nil.
func NewPool(max int64, block int, l *live.File, full func()) *Pool {
	return &Pool{max: max, block: block, live: l, liveFull: full, free: make([][]*Chunk, bits.UintSize)}
}

// usage is what a pool's memory is used for, in bytes.
type usage struct {
	Max      int64
	Used     int64 // of chunks, free ones too, and reserved
	Reserved int64
	Free     int64 // of chunks
}

func (p *Pool) Usage() usage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return usage{p.max, p.used, p.reserved, p.freed}
}

const (
	// firstChunk is the size of a goroutine's first buffer, in bytes: ten calls fit.
	First = 1 << 10
	// maxBlockSize keeps positions in a buffer within 31 bits.
	MaxSize = 1 << 28
	// chunkSize is what a chunk takes besides its data and marks.
	chunkSize = int64(unsafe.Sizeof(Chunk{}) + 2*unsafe.Sizeof((*Chunk)(nil)))
)

// Largest is the size of the largest chunk for which there is memory, whatever is
// reserved: who waits for it gets it.
func (p *Pool) Largest() int {
	size := MaxSize
	for p.Cost(size) > p.ownOfChunks()-p.aside() {
		size /= 2
	}
	return size
}

// marks is how many marks a chunk of a size has. One that is larger than a block
// is for a single large object.
func (p *Pool) marks(size int) int { return min(size, p.block) / BytesPerMark }

// Cost is what a chunk of a size takes in memory, in bytes: of one that is larger
// than a block the sink has a copy, besides what it takes anyway.
func (p *Pool) Cost(size int) int64 {
	cost := int64(size) + int64(p.marks(size))*MarkSize + chunkSize
	if size > p.block {
		cost += int64(size)
	}
	return cost
}

// Get returns a chunk of a size, a power of two or the block size, or nil when
// the memory is used up.
func (p *Pool) Get(size int) *Chunk {
	cost := p.Cost(size)
	c, ok := p.find(size, cost)
	if c == nil {
		if !ok {
			return nil
		}
		c = p.make(size)
	}
	p.Prepare(c)
	return c
}

// make makes a chunk of a size: in the live file, or in the program's own memory
// where that has no room.
func (p *Pool) make(size int) *Chunk {
	if c := p.makeLive(size); c != nil {
		return c
	}
	if p.live != nil && !p.volatile.Swap(true) {
		p.liveFull()
	}
	return &Chunk{Data: make([]byte, size), Marks: make([]Mark, p.marks(size)), Published: new(atomic.Uint64)}
}

// Prepare makes a chunk ready for use from its begin. All of it is in the sink,
// and nobody else has it.
func (p *Pool) Prepare(c *Chunk) {
	c.forgotten()
	c.Flushed, c.FlushedMarks = 0, 0
	c.Published.Store(0)
}

// find returns a free chunk of a size, or nil and whether one may be made.
func (p *Pool) find(size int, cost int64) (*Chunk, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := &p.free[bits.Len(uint(size))]
	for i := len(*list) - 1; i >= 0; i-- {
		if c := (*list)[i]; len(c.Data) == size {
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
func (p *Pool) ownOfChunks() int64 { return min(p.max/2, shareOfChunks) }

// Reservable is how much can be reserved, if no chunk has it.
func (p *Pool) Reservable() int64 { return p.max - p.ownOfChunks() }

// aside is what is never for chunks: a little of what cannot be reserved.
func (p *Pool) aside() int64 { return min(p.max/32, p.ownOfChunks()/8) }

// forChunks is up to which use of the memory there may be more chunks. mu is held.
func (p *Pool) forChunks() int64 {
	share := max(p.max/8, min(p.max/4, shareOfReserved))
	return p.max - max(share-p.reserved, p.aside())
}

// Left returns how many bytes there are for more chunks.
func (p *Pool) Left() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.forChunks() - p.used + p.freed
}

// win takes bytes that nobody uses, up to a limit. It reports whether there are
// as many. mu is held.
func (p *Pool) win(bytes, limit int64) bool {
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
func (p *Pool) forget(need int64) {
	if p.freed == 0 {
		return
	}
	for i := range p.free {
		for len(p.free[i]) > 0 && need > 0 {
			last := len(p.free[i]) - 1
			cost := p.Cost(len(p.free[i][last].Data))
			p.free[i][last].Release()
			p.free[i][last] = nil
			p.free[i] = p.free[i][:last]
			p.used, p.freed, need = p.used-cost, p.freed-cost, need-cost
		}
	}
}

// Put takes a chunk back that its owner gave up. All of it is in the sink.
func (p *Pool) Put(c *Chunk) {
	p.mu.Lock()
	i := bits.Len(uint(len(c.Data)))
	p.free[i] = append(p.free[i], c)
	p.freed += p.Cost(len(c.Data))
	p.mu.Unlock()
}

// Lost says that a chunk was taken away from its owner.
func (p *Pool) Lost(c *Chunk) {
	p.mu.Lock()
	p.used -= p.Cost(len(c.Data))
	p.mu.Unlock()
}

// Reserve takes bytes for something else than chunks. full: it is not for want
// of chunks that there are none.
func (p *Pool) Reserve(bytes int64) (ok, full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reserved+bytes > p.Reservable() {
		return false, true
	}
	if !p.win(bytes, p.max) {
		return false, false
	}
	p.reserved += bytes
	return true, false
}

// Scarce reports whether little more can be reserved.
func (p *Pool) Scarce() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	most := p.Reservable()
	return p.reserved > most-most/8
}

// Release gives reserved bytes back.
func (p *Pool) Release(bytes int64) {
	p.mu.Lock()
	p.reserved -= bytes
	p.used -= bytes
	p.mu.Unlock()
}
