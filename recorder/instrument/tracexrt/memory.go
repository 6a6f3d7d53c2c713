//go:build tracexrt

package tracexrt

import "unsafe"

func word(p uintptr) *uintptr           { return (*uintptr)(unsafe.Pointer(p)) }
func pointer(p uintptr) *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Pointer(p)) }
func u64(p uintptr) *uint64             { return (*uint64)(unsafe.Pointer(p)) }
func u32(p uintptr) *uint32             { return (*uint32)(unsafe.Pointer(p)) }
func u8(p uintptr) *uint8               { return (*uint8)(unsafe.Pointer(p)) }

var lock uint32

// acquire takes the lock. The scheduler must not preempt the holder: waiting goroutines would keep it
// from running. So the holder allocates nothing, and calls nothing that blocks.
func acquire() {
	procPin()
	for !compareAndSwap(&lock, 0, 1) {
		syscall6(sysYield, 0, 0, 0, 0, 0, 0)
	}
}

func release() {
	commit(uintptr(unsafe.Pointer(&lock)), 0)
	procUnpin()
}

// The mapping from which memory takes.
var memoryNext, memoryEnd, memorySize uintptr

// memory allocates zeroed memory that is never freed; 0 if there is none. The lock is held.
func memory(n uintptr) uintptr {
	n = (n + 15) &^ 15
	if memoryEnd-memoryNext < n {
		memorySize = min(max(memorySize*2, 1<<20), 64<<20)
		size := max(memorySize, n)
		p := syscall6(sysMmap, 0, size, protRead|protWrite, mapPrivate|mapAnonymous|mapNoReserve, ^uintptr(0), 0)
		if failed(p) {
			return 0
		}
		memoryNext, memoryEnd = p, p+size
	}
	p := memoryNext
	memoryNext += n
	return p
}

// failed reports whether the result of a system call is an error.
func failed(r uintptr) bool { return r > ^uintptr(4095) }
