package smb

import (
	"fmt"
	"runtime"
)

// State is the state of a chunk: it tells who may do what with it.
type State uint32

// States of a chunk. The numbers are in shared memory: do not change them. The
// package comment shows which side makes which transition.
const (
	Free         State = 0 // not owned; the program may take it
	BeingWritten State = 1 // owned by a Writer
	BeingRead    State = 2 // owned by the Reader
	Complete     State = 3 // waiting for the Reader
)

var stateNames = [4]string{"free", "being written", "being read", "complete"}

func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", uint32(s))
}

// Attempts of a compare-and-swap on a page word. A swap fails if the other side, or
// the owner of another chunk, was faster, at most a few times in a row. An owner
// that gave up would lose the chunk for both sides, so it yields to others instead.
const (
	readAttempts  = 64
	ownerAttempts = 1 << 14
)

// move moves a chunk from one state to the next. It fails if the page does not have
// the expected layout, or the chunk the expected state, or if the word changes
// during each attempt.
func (m *memory) move(page int, l Layout, i int, from, to State, attempts int) error {
	p := m.page(page)
	for n := 0; n < attempts; n++ {
		w := loadWord[pageWord](p)
		if w.layout() != l {
			return fmt.Errorf("%w: page %d has layout %d, not %d", ErrState, page, w.layout(), l)
		}
		if s := w.state(i); s != from {
			return fmt.Errorf("%w: chunk %d of page %d is %v, not %v", ErrState, i, page, s, from)
		}
		if swapWord(p, w, w.with(i, to)) {
			return nil
		}
		if n >= readAttempts {
			runtime.Gosched()
		}
	}
	return fmt.Errorf("%w: page %d", ErrBusy, page)
}

// free moves a chunk that the caller owns to Free. It zeroes the header first, so
// that it cannot be mistaken for the header of the next writer's chunk.
func (m *memory) free(page int, l Layout, i int, from State, attempts int) error {
	mem := m.chunk(page, l, i)
	storeWord[uint32](word(mem, 0), 0)
	storeWord[uint32](word(mem, 4), 0)
	return m.move(page, l, i, from, Free, attempts)
}
