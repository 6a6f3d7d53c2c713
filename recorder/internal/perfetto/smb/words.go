package smb

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

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
