package calltrace

import (
	"slices"

	"tracex/format/tracefile"
)

// mostPending is how many bytes of new descriptors wait for a block.
const mostPending = 1 << 20

// Block collects what a thread has since its last block, for a [Blocks].
type Block struct {
	tracefile.Block
	// Ended means that the thread has ended: the next block is its last.
	Ended bool
	// Owner, if not nil, may let the block wait. It names each block anew.
	Owner Owner

	counted int // bytes that Blocks.held includes
	dirty   bool
	recent  bool // it is in Blocks.recent
}

// Owner has a block.
type Owner interface {
	// Ready reports whether a block that is large may be written. With last it is about to be
	// written, and what it lacks must be added now.
	Ready(last bool) bool
}

// Dirty reports whether the block may have something that is not written.
func (b *Block) Dirty() bool { return b.dirty }

// Blocks decides when the blocks of threads are written.
type Blocks struct {
	To         *tracefile.Writer
	Dictionary *Dictionary // its new objects are at the end of the next block; nil for none
	Size       int         // of a block that is written, in bytes
	Budget     int         // bytes that may wait to be written, in all blocks
	Progress   func(data int64)

	held      int      // bytes that wait
	dirty     []*Block // those that may have unwritten data
	compactAt int      // length of dirty at which to compact it
	recent    [mostRecent]*Block
	turn      int               // in recent
	spare     []tracefile.Block // of ended threads, to reuse their memory
}

const (
	// BlockSize and BlockBudget are the usual Size and Budget. Instrumented programs have more threads that go on
	// at once: their blocks are smaller, and more may wait.
	BlockSize          = 1 << 20
	BlockBudget        = 16 << 20
	InstrumentedSize   = 512 << 10
	InstrumentedBudget = 32 << 20
	// mostRecent is how many threads keep the memory of a written block for the next one.
	mostRecent = 32
	// mostSpare is how many ended threads' memory is kept, spareSize how much of each: a larger
	// one would be too much for most threads.
	mostSpare = 16
	spareSize = 64 << 10
)

// Held returns how many bytes wait to be written.
func (s *Blocks) Held() int { return s.held }

// Wrote counts what was added to a block, and writes it if it is large, or all blocks if they take too
// much memory.
func (s *Blocks) Wrote(b *Block) error {
	size := b.Size()
	s.held += size - b.counted
	b.counted = size
	if b.dirty && size < s.Size && s.held < s.Budget-mostPending {
		return nil
	}
	return s.due(b)
}

// due notes that a block has something, and writes what is due.
func (s *Blocks) due(b *Block) (err error) {
	if b.counted > 0 && !b.dirty {
		b.dirty = true
		if len(s.dirty) >= s.compactAt {
			s.compact()
		}
		s.dirty = append(s.dirty, b)
	}
	if b.counted >= s.Size && (b.Owner == nil || b.Owner.Ready(false)) {
		err = s.Flush(b)
	}
	held := s.held
	if s.Dictionary != nil {
		held += s.Dictionary.Pending()
	}
	if held >= s.Budget {
		err = s.Sweep(nil)
	}
	return err
}

// compact forgets blocks that are written.
func (s *Blocks) compact() {
	const least = 4096
	s.dirty = slices.DeleteFunc(s.dirty, func(b *Block) bool { return !b.dirty })
	s.compactAt = max(least, 2*len(s.dirty))
}

// Sweep writes the blocks that have something and are due; nil: all of them.
func (s *Blocks) Sweep(due func(b *Block) bool) error {
	for _, b := range s.dirty {
		if b.dirty && (due == nil || due(b)) {
			if err := s.Flush(b); err != nil {
				return err
			}
			b.dirty = false
		}
	}
	s.compact()
	return nil
}

// Flush writes a block, if it has something.
func (s *Blocks) Flush(b *Block) error {
	s.held -= b.counted
	b.counted = 0
	if s.Dictionary != nil {
		s.Dictionary.Write(&b.Block)
	}
	if b.Size() == 0 && (!b.Ended || b.Early) { // a name that is not early is in the last block
		return nil
	}
	if b.Owner != nil {
		b.Owner.Ready(true)
		defer func() { b.Name = "" }()
	}
	if b.Ended {
		s.end(b)
	} else {
		s.To.Flush(&b.Block)
		s.keep(b)
	}
	if s.Progress != nil {
		s.Progress(s.To.DataSize())
	}
	return s.To.Err()
}

// End writes the last block of a thread, and takes its memory.
func (s *Blocks) End(b *Block) error {
	b.Ended = true
	err := s.Flush(b)
	b.dirty = false
	return err
}

func (s *Blocks) end(b *Block) {
	large := cap(b.Bytes()) > spareSize
	s.To.EndThread(&b.Block)
	if !large && len(s.spare) < mostSpare {
		s.spare = append(s.spare, b.Block)
	}
	b.Free()
	if b.recent {
		s.recent[slices.Index(s.recent[:], b)] = nil
		b.recent = false
	}
}

// keep lets a thread keep the memory of its block, and takes that of another.
func (s *Blocks) keep(b *Block) {
	if b.recent {
		return
	}
	if old := s.recent[s.turn]; old != nil {
		old.recent = false
		if old.Size() == 0 {
			old.Free()
		}
	}
	s.recent[s.turn], b.recent = b, true
	s.turn = (s.turn + 1) % mostRecent
}

// Equip gives a new thread the memory of an ended one.
func (s *Blocks) Equip(b *Block) {
	if n := len(s.spare); n > 0 {
		b.Reuse(&s.spare[n-1])
		s.spare = s.spare[:n-1]
	}
}
