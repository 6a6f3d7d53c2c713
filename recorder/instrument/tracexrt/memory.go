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

// copyBytes copies memory. Like readable it is nosplit: addresses are plain numbers here, which would
// be stale if the stack moved.
//
//go:nosplit
func copyBytes(to, from, n uintptr) {
	if n >= 8 {
		for i := uintptr(0); i+8 <= n; i += 8 {
			*u64(to + i) = *u64(from + i)
		}
		*u64(to + n - 8) = *u64(from + n - 8)
		return
	}
	if n >= 4 {
		*u32(to) = *u32(from)
		*u32(to + n - 4) = *u32(from + n - 4)
		return
	}
	for i := uintptr(0); i < n; i++ {
		*u8(to + i) = *u8(from + i)
	}
}

// readable reports whether memory is readable and stays so: the program's own data, its arguments,
// and Go's heap, in whose 64 GiB the collector never unmaps anything.
//
//go:nosplit
func readable(p, n uintptr) bool {
	return p>>36 == heap && (p+n)>>36 == heap || p >= text && p+n <= dataEnd || p-argsBegin < argsSize && p+n-argsBegin <= argsSize
}
