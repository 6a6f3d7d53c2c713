package smb

import (
	"fmt"
	"runtime"
)

// memory is the whole buffer as either side sees it. What does not change is in
// its fields; nothing that is in the memory itself is ever taken for granted.
type memory struct {
	data     []byte
	pageSize int
	pages    int
	sizes    [layouts]int // of a chunk, by layout; 0: there are none
}

// Check reports why a buffer cannot have size bytes in pages of pageSize bytes,
// or nil.
func Check(size, pageSize int) error {
	switch {
	case pageSize != 4<<10 && pageSize != 8<<10 && pageSize != 16<<10 && pageSize != 32<<10:
		return fmt.Errorf("%w: pages of %d bytes; 4, 8, 16 or 32 KiB are possible", ErrGeometry, pageSize)
	case size <= 0 || size > MaxSize:
		return fmt.Errorf("%w: %d bytes; at most %d are possible", ErrGeometry, size, MaxSize)
	case size%pageSize != 0:
		return fmt.Errorf("%w: %d bytes are no multiple of pages of %d", ErrGeometry, size, pageSize)
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

// page returns the word of a page, which must be one of the memory.
func (m *memory) page(i int) *uint32 { return word(m.data, i*m.pageSize) }

// chunk returns the bytes of a chunk, header included. The chunk must be one of
// the layout.
func (m *memory) chunk(page int, l Layout, i int) []byte {
	size := m.sizes[l]
	at := page*m.pageSize + pageHeader + i*size
	return m.data[at : at+size : at+size]
}

// Attempts of a compare-and-swap on a page word. A swap fails because the other
// side, or another chunk's owner, was faster, at most a few times in a row; an
// owner that gives up leaves a chunk for nobody, so it gives others time instead.
const (
	readAttempts  = 64
	ownerAttempts = 1 << 14
)

// move takes a chunk from one state to the next. It fails if the page has another
// layout, or the chunk another state, than the caller knows it to have, or if the
// word changes at each of the attempts.
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

// free takes a chunk that its caller owns to Free. Its header is zeroed before,
// so that nobody takes it for the header of the next writer's chunk.
func (m *memory) free(page int, l Layout, i int, from State, attempts int) error {
	mem := m.chunk(page, l, i)
	storeWord[uint32](word(mem, 0), 0)
	storeWord[uint32](word(mem, 4), 0)
	return m.move(page, l, i, from, Free, attempts)
}
