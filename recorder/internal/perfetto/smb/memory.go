package smb

import (
	"fmt"
	"runtime"
)

// memory is the whole buffer as either side sees it. Its fields never change;
// nothing in the shared bytes is trusted.
type memory struct {
	data     []byte
	pageSize int
	pages    int
	sizes    [layouts]int // of a chunk, by layout; 0 if it has no chunks
}

// Check returns an error if a buffer cannot have size bytes in pages of pageSize
// bytes.
func Check(size, pageSize int) error {
	switch {
	case pageSize != 4<<10 && pageSize != 8<<10 && pageSize != 16<<10 && pageSize != 32<<10:
		return fmt.Errorf("%w: pages of %d bytes; 4, 8, 16 or 32 KiB are possible", ErrGeometry, pageSize)
	case size <= 0 || size > MaxSize:
		return fmt.Errorf("%w: %d bytes; at most %d are possible", ErrGeometry, size, MaxSize)
	case size%pageSize != 0:
		return fmt.Errorf("%w: %d bytes are not a multiple of the page size, %d", ErrGeometry, size, pageSize)
	}
	return nil
}

func newMemory(data []byte, pageSize int) (memory, error) {
	if err := Check(len(data), pageSize); err != nil {
		return memory{}, err
	}
	if err := checkAddress(data); err != nil {
		return memory{}, err
	}
	m := memory{data: data, pageSize: pageSize, pages: len(data) / pageSize}
	for l := range m.sizes {
		m.sizes[l] = Layout(l).ChunkSize(pageSize)
	}
	return m, nil
}

// page returns the word of a page. The page must be in the memory.
func (m *memory) page(i int) *uint32 { return word(m.data, i*m.pageSize) }

// chunk returns the bytes of a chunk, header included. The layout must have the
// chunk.
func (m *memory) chunk(page int, l Layout, i int) []byte {
	size := m.sizes[l]
	at := page*m.pageSize + pageHeader + i*size
	return m.data[at : at+size : at+size]
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
