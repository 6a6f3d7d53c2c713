package buffers

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"tracex/recorder/internal/live"
)

// Pool keeps the recorder's memory within a limit: that of chunks, which it hands out, and that
// reserved for other things: threads, their stacks, names. Chunks have a share of it, and
// reserved memory another one, so that a goroutine that begins while all chunks are in use can
// at least be recorded later. A part is never used for chunks: it can be reserved at once,
// while the recorder's goroutine is still taking chunks away.
type Pool struct {
	block int        // size of a block
	live  *live.File // where chunks have their memory; nil for the program's own
	// volatile says that some have it in the program's own, as there was no room; liveFull is
	// called then.
	volatile atomic.Bool
	liveFull func()

	mu       sync.Mutex
	max      int64
	used     int64      // bytes of all chunks, including free ones, and of reserved memory
	reserved int64      // bytes besides chunks
	free     [][]*Chunk // by the logarithm of their size
	freed    int64      // bytes of free chunks
}

// NewPool returns a pool of max bytes, for blocks of a size. l is where chunks have their
// memory; full is called when that has no more room. Both may be nil.
func NewPool(max int64, block int, l *live.File, full func()) *Pool {
	return &Pool{max: max, block: block, live: l, liveFull: full, free: make([][]*Chunk, bits.UintSize)}
}

// usage is what a pool's memory is used for, in bytes.
type usage struct {
	Max      int64
	Used     int64 // chunks, including free ones, and reserved
	Reserved int64
	Free     int64 // of chunks
}

// Usage returns what the memory is used for.
func (p *Pool) Usage() usage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return usage{p.max, p.used, p.reserved, p.freed}
}

const (
	// First is the size of a goroutine's first buffer, in bytes: ten calls fit.
	First = 1 << 10
	// MaxSize keeps positions in a buffer within 31 bits.
	MaxSize = 1 << 28
	// chunkSize is what a chunk takes besides its data and marks.
	chunkSize = int64(unsafe.Sizeof(Chunk{}) + 2*unsafe.Sizeof((*Chunk)(nil)))
)

// Largest is the size of the largest chunk for which there is memory whatever is reserved: a
// goroutine that waits for it gets it.
func (p *Pool) Largest() int {
	size := MaxSize
	for p.Cost(size) > p.ownOfChunks()-p.aside() {
		size /= 2
	}
	return size
}

// marks returns how many marks a chunk of a size has. A chunk larger than a block is for a
// single large object.
func (p *Pool) marks(size int) int { return min(size, p.block) / BytesPerMark }

// Cost returns how much memory a chunk of a size takes, in bytes. If it is larger than a block,
// the sink also has a copy.
func (p *Pool) Cost(size int) int64 {
	cost := int64(size) + int64(p.marks(size))*MarkSize + chunkSize
	if size > p.block {
		cost += int64(size)
	}
	return cost
}

// Get returns a chunk of a size, a power of two or the block size, or nil if the memory is used
// up.
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

// make makes a chunk of a size: in the live file, or in the program's own memory if that has no
// room.
func (p *Pool) make(size int) *Chunk {
	if c := p.makeLive(size); c != nil {
		return c
	}
	if p.live != nil && !p.volatile.Swap(true) {
		p.liveFull()
	}
	return &Chunk{Data: make([]byte, size), Marks: make([]Mark, p.marks(size)), Published: new(atomic.Uint64)}
}

// Prepare makes a chunk ready for use from its start. All of it is in the sink, and no other
// goroutine has it.
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

// shareOfChunks is how many bytes chunks have for themselves, or half of the memory if that is
// less. Reserved memory has an eighth, or shareOfReserved bytes if that is more, but at most a
// quarter.
const (
	shareOfChunks   = 16 << 20
	shareOfReserved = 64 << 10
)

// ownOfChunks is what cannot be reserved.
func (p *Pool) ownOfChunks() int64 { return min(p.max/2, shareOfChunks) }

// Reservable is how much can be reserved if no chunk uses it.
func (p *Pool) Reservable() int64 { return p.max - p.ownOfChunks() }

// aside is what is never used for chunks: a little of what cannot be reserved.
func (p *Pool) aside() int64 { return min(p.max/32, p.ownOfChunks()/8) }

// forChunks is the use of the memory up to which more chunks may be made. mu is held.
func (p *Pool) forChunks() int64 {
	share := max(p.max/8, min(p.max/4, shareOfReserved))
	return p.max - max(share-p.reserved, p.aside())
}

// Left returns how many bytes are left for more chunks.
func (p *Pool) Left() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.forChunks() - p.used + p.freed
}

// win takes unused bytes, up to a limit on all used ones. It reports whether there were enough.
// mu is held.
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

// forget gives free chunks to the garbage collector until need bytes are freed.
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

// Put takes back a chunk that its owner gave up. All of it is in the sink.
func (p *Pool) Put(c *Chunk) {
	p.mu.Lock()
	i := bits.Len(uint(len(c.Data)))
	p.free[i] = append(p.free[i], c)
	p.freed += p.Cost(len(c.Data))
	p.mu.Unlock()
}

// Lost notes that a chunk was taken away from its owner.
func (p *Pool) Lost(c *Chunk) {
	p.mu.Lock()
	p.used -= p.Cost(len(c.Data))
	p.mu.Unlock()
}

// Reserve takes bytes for something other than chunks. If it fails, full reports whether taking
// chunks away would not help.
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

// Release gives back reserved bytes.
func (p *Pool) Release(bytes int64) {
	p.mu.Lock()
	p.reserved -= bytes
	p.used -= bytes
	p.mu.Unlock()
}

// makeLive makes a chunk in the live file; nil if that has no room. The garbage collector frees
// its memory when the program no longer uses it: until then a goroutine from which it was taken
// away may be writing to it.
func (p *Pool) makeLive(size int) *Chunk {
	l := p.live
	if l == nil {
		return nil
	}
	marks := p.marks(size)
	at := (int64(size) + 7) &^ 7
	region, err := l.Alloc(at + int64(marks)*MarkSize)
	if err != nil {
		return nil
	}
	slot, err := l.Slot(live.Chunks)
	if err != nil {
		l.Free(region)
		return nil
	}
	lc := &liveChunk{file: l, region: region, slot: slot}
	c := &Chunk{Data: region.Mem[:size:size], live: lc, Published: slot.Word(live.ChunkPublished)}
	if marks > 0 {
		c.Marks = unsafe.Slice((*Mark)(unsafe.Pointer(&region.Mem[at])), marks)
	}
	slot.Put(live.ChunkRegion, uint64(region.Off))
	slot.Put(live.ChunkSizes, Pack(size, marks))
	lc.gone = runtime.AddCleanup(c, (*liveChunk).free, lc)
	return c
}

// Warm prepares the chunks that the first goroutine begins with: the first store into a page of
// the live file takes some microseconds, which that goroutine's call would take longer.
func (p *Pool) Warm() {
	for _, size := range []int{First, min(4*First, p.block)} {
		if c := p.Get(size); c != nil {
			for at := 0; at < size; at += pageSize {
				c.Data[at] = 0
			}
			c.Marks[len(c.Marks)-1] = Mark{}
			p.Put(c)
		}
	}
}

// pageSize is the smallest size of a page.
const pageSize = 4 << 10
