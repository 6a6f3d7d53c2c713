package instrumented

import (
	"slices"

	"tracex/format/tracefile"
)

// blocks writes the blocks of threads, and decides when.
type blocks struct {
	w         *tracefile.Writer // nil until the first program is known
	dict      dictionary
	size      int               // of a large block, in bytes
	memory    int               // bytes that may wait to be written
	held      int               // bytes that wait
	dirty     []*thread         // those that may have unwritten data
	compactAt int               // length of dirty at which to compact it
	tick      int               // number of the step
	spare     []tracefile.Block // of ended threads, to reuse their memory
}

const (
	patience      = 3 // steps that a go statement's block waits for its goroutine
	waitingBlocks = 8 // the same as a size, in blocks

	mostSpare = 16
	spareSize = 64 << 10 // bytes of a thread's blocks, at most
)

// wrote counts what was added to a thread's block, and writes the block if it is large.
func (b *blocks) wrote(t *thread) {
	size := t.Size()
	b.held += size - t.counted
	t.counted = size
	if size > 0 && !t.dirty {
		t.dirty, t.tick = true, b.tick
		if len(b.dirty) >= b.compactAt {
			b.compact()
		}
		b.dirty = append(b.dirty, t)
	}
	if size >= b.size && (len(t.leaves) == 0 || size >= t.retry) {
		if t.match(false) || size >= waitingBlocks*b.size {
			b.flush(t)
		} else {
			t.retry = 2 * size
		}
	}
	if b.held >= b.memory {
		b.sweep(true)
	}
}

// equip gives a new thread the memory of an ended one.
func (b *blocks) equip(t *thread) {
	if n := len(b.spare); n > 0 {
		t.Reuse(&b.spare[n-1])
		b.spare = b.spare[:n-1]
	}
}

// compact removes threads whose blocks are written.
func (b *blocks) compact() {
	const least = 4096
	b.dirty = slices.DeleteFunc(b.dirty, func(t *thread) bool { return !t.dirty })
	b.compactAt = max(least, 2*len(b.dirty))
}

// ending writes the rest of an ended thread, unless it waits for a goroutine.
func (b *blocks) ending(t *thread) {
	switch {
	case !t.dirty:
		t.p.sites.forget(t.sites)
	case t.match(false):
		b.flush(t)
		t.dirty = false
	}
}

// sweep writes the blocks that are older than this step; all if last is set.
func (b *blocks) sweep(last bool) {
	for _, t := range b.dirty {
		switch age := b.tick - t.tick; {
		case !t.dirty:
		case !last && age < 1:
		case !last && age < patience && !t.match(false):
		default:
			b.flush(t)
			t.Free()
			t.dirty = false
		}
	}
	b.compact()
}

// flush writes the block of a thread.
func (b *blocks) flush(t *thread) {
	b.held -= t.counted
	t.counted, t.retry, t.tick = 0, 0, b.tick
	if t.Size() == 0 {
		return
	}
	if len(t.leaves) > 0 {
		t.match(true)
		t.p.settle(t)
	}
	t.named()
	b.dict.Write(&t.Block)
	if t.ended {
		large := cap(t.Bytes()) > spareSize
		b.w.EndThread(&t.Block)
		if !large && len(b.spare) < mostSpare {
			b.spare = append(b.spare, t.Block)
		}
		t.Free()
		t.p.sites.forget(t.sites)
	} else {
		b.w.Flush(&t.Block)
	}
	t.Name = "" // made again when needed
}

// flushOf writes the blocks of a process that is gone.
func (b *blocks) flushOf(p *process) {
	for _, t := range b.dirty {
		if t.p == p && t.dirty {
			b.flush(t)
			t.Free()
			t.dirty = false
		}
	}
	b.compact()
}
