package smb

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"
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

// Only this file of the package uses pointers into the memory. A word is an aligned
// 32-bit number in it, which the other process may change at any time; only the
// atomic operations below access it. Their order is at least acquire for a load,
// release for a store, and both for a swap.

// word returns the word at an offset of mem. The offset must be a multiple of 4, and
// checkAddress must have accepted mem. An offset outside mem panics.
func word(mem []byte, offset int) *uint32 {
	b := mem[offset : offset+4]
	return (*uint32)(unsafe.Pointer(unsafe.SliceData(b)))
}

func loadWord[T ~uint32](p *uint32) T     { return T(atomic.LoadUint32(p)) }
func storeWord[T ~uint32](p *uint32, v T) { atomic.StoreUint32(p, uint32(v)) }

func swapWord[T ~uint32](p *uint32, from, to T) bool {
	return atomic.CompareAndSwapUint32(p, uint32(from), uint32(to))
}

// checkAddress returns an error if the words of mem cannot be used, because of its
// address or the byte order of this machine.
func checkAddress(mem []byte) error {
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(mem))); at%8 != 0 {
		return fmt.Errorf("%w: its address is not a multiple of 8", ErrGeometry)
	}
	one := uint32(1)
	if *(*byte)(unsafe.Pointer(&one)) != 1 {
		return fmt.Errorf("%w: this machine is big-endian", ErrGeometry)
	}
	return nil
}

// contains reports whether an address is within mem.
func contains(mem []byte, address uintptr) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return address >= at && address-at < uintptr(len(mem))
}

// offset returns the offset in the memory of an address that it contains.
func (m *memory) offset(address uintptr) int {
	return int(address - uintptr(unsafe.Pointer(unsafe.SliceData(m.data))))
}

// Errors that a caller may want to distinguish. The package's errors wrap them and
// name the page and chunk.
var (
	// ErrGeometry means that a buffer cannot have this memory, page size or layout.
	ErrGeometry = errors.New("smb: not a valid shared memory buffer")

	// ErrNoChunk means that there is no such page, or no such chunk in it.
	ErrNoChunk = errors.New("smb: no such chunk")
	// ErrState means that a chunk is not in the state that the operation needs.
	ErrState = errors.New("smb: chunk in the wrong state")
	// ErrBusy means that a page word changed during each of many attempts.
	ErrBusy = errors.New("smb: the page keeps changing")
	// ErrFault means that the memory could not be read: its file has become shorter.
	ErrFault = errors.New("smb: the memory is gone")

	// ErrCorrupt means that the contents of a chunk make no sense.
	ErrCorrupt = errors.New("smb: corrupt chunk")
	// ErrAborted means that the writer gave up the last packet of a chunk: it had no
	// memory for the rest. That packet is lost, and maybe some after it.
	ErrAborted = errors.New("smb: packet given up by its writer")

	// ErrNoWriterID means that all writer ids are in use.
	ErrNoWriterID = errors.New("smb: no writer id is free")
	// ErrClosed means that an Arbiter was closed.
	ErrClosed = errors.New("smb: closed")
)
