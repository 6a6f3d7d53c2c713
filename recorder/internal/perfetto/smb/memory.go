package smb

import "fmt"

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
