package calltrace

import (
	"slices"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
)

// blocks writes the blocks of threads, and decides when.
type blocks struct {
	to      tracefile.Files
	version format.Version
	anchor  time.Time
	out     *tracefile.Writer // nil until something is written
	dict    *Dictionary
	held    int       // bytes of unwritten blocks
	dirty   []*Thread // those that may have unwritten data
	compact int       // length of dirty at which to compact it
	recent  [mostRecent]*Thread
	turn    int // in recent
	spare   []spare
}

// spare is the memory of a thread that is closed.
type spare struct {
	block tracefile.Block
	stack []open
}

const (
	// blockSize is the size of a thread's blocks, in bytes.
	blockSize = 1 << 20
	// blockBudget is how many bytes all unwritten blocks may take together.
	blockBudget = 16 << 20
	// mostRecent is how many threads keep the memory of a written block for the next one.
	mostRecent = 32
	// mostSpare is how many closed threads' memory is kept, spareSize how much of each: a larger
	// one would be too much for most threads.
	mostSpare = 16
	spareSize = 64 << 10
)

// start begins the files, unless they are begun.
func (b *blocks) start() {
	if b.out == nil {
		b.out = tracefile.NewWriter(b.version, b.to, b.anchor)
		b.out.Behind()
	}
}

// wrote counts what was added to a thread's block, and writes it if it is large.
func (b *blocks) wrote(t *Thread) error {
	size := t.block.Size()
	b.held += size - t.counted
	t.counted = size
	if !t.dirty {
		t.dirty = true
		if len(b.dirty) >= b.compact {
			b.tidy()
		}
		b.dirty = append(b.dirty, t)
	}
	if size >= blockSize {
		return b.flush(t)
	}
	if b.held+b.dict.Pending() >= blockBudget {
		return b.sweep()
	}
	return nil
}

// tidy forgets threads whose blocks are written.
func (b *blocks) tidy() {
	const least = 1024
	b.dirty = slices.DeleteFunc(b.dirty, func(t *Thread) bool { return !t.dirty })
	b.compact = max(least, 2*len(b.dirty))
}

// sweep writes the blocks of all threads.
func (b *blocks) sweep() error {
	for _, t := range b.dirty {
		if t.dirty {
			if err := b.flush(t); err != nil {
				return err
			}
		}
	}
	b.tidy()
	return nil
}

// release stops counting a thread's unwritten block.
func (b *blocks) release(t *Thread) {
	b.held -= t.counted
	t.counted, t.dirty = 0, false
}

// flush writes the block of a thread, and new descriptors with it.
func (b *blocks) flush(t *Thread) error {
	b.release(t)
	b.start()
	t.block.Name = t.name
	b.dict.Write(&t.block)
	if t.block.Size() == 0 {
		return nil
	}
	b.out.Flush(&t.block)
	if !t.recent {
		if old := b.recent[b.turn]; old != nil {
			old.recent = false
			if old.block.Size() == 0 {
				old.block.Free()
			}
		}
		b.recent[b.turn], t.recent = t, true
		b.turn = (b.turn + 1) % mostRecent
	}
	return b.out.Err()
}

// equip gives a new thread the memory of a closed one.
func (b *blocks) equip(t *Thread) {
	if n := len(b.spare); n > 0 {
		t.block.Reuse(&b.spare[n-1].block)
		t.stack = b.spare[n-1].stack
		b.spare[n-1] = spare{}
		b.spare = b.spare[:n-1]
	}
}

// end writes the last block of a thread, and takes its memory.
func (b *blocks) end(t *Thread) error {
	b.release(t)
	b.start()
	t.block.Name = t.name
	b.dict.Write(&t.block)
	large := cap(t.block.Bytes()) > spareSize
	b.out.EndThread(&t.block)
	if !large && len(b.spare) < mostSpare {
		b.spare = append(b.spare, spare{t.block, t.stack[:0]})
	}
	if t.recent {
		b.recent[slices.Index(b.recent[:], t)] = nil
		t.recent = false
	}
	t.block, t.stack = tracefile.Block{}, nil
	return b.out.Err()
}
