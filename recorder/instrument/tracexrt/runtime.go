//go:build tracexrt

package tracexrt

import "unsafe"

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname environment syscall.runtime_envs
func environment() []string

//go:linkname arguments os.runtime_args
func arguments() []string

//go:noescape
//go:linkname resolveNameOff reflect.resolveNameOff
func resolveNameOff(ptrInModule unsafe.Pointer, off int32) unsafe.Pointer

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()

// findObject returns the start of the object in the heap at an address, its span, and which object of the span
// it is; 0 for an address on a stack, or outside of the heap. The address must be one that Go allows pointers
// to have.
//
//go:linkname findObject runtime.findObject
func findObject(p, refBase, refOff uintptr) (base, span, index uintptr)

//go:linkname lastmoduledatap runtime.lastmoduledatap
var lastmoduledatap *[64]uintptr

// The following are in assembler.

// context returns the running g and the processor's counter. For the function that called the
// caller, it returns how far the frame pointer is below the end of the stack, and the return address.
func context() (gp uintptr, t uint64, off uintptr, pc uintptr)

// goroutineNow returns the running g and the processor's counter.
func goroutineNow() (gp uintptr, t uint64)

// running returns the running g.
func running() uintptr

// framePointer returns the frame pointer of the caller.
func framePointer() uintptr

// counterIsSteady reports whether the processor's counter runs at one rate.
func counterIsSteady() bool

// sweepgen returns the heap's sweepgen, which each collection advances by 2 while the world is stopped. It is
// that of the processor's cache.
func sweepgen() uint32

func compareAndSwap64(p *uint64, old, new uint64) bool
func compareAndSwap(p *uint32, old, new uint32) bool
func add(p *uint64, n uint64)
func syscall6(n, a, b, c, d, e, f uintptr) (r uintptr)

// otherTime is the time if the processor's counter is not used.
//
//go:noinline
func otherTime() uint64 {
	if clock == ClockNone {
		return 0
	}
	return uint64(nanotime())
}

// bestClock returns the processor's counter if that is steady, else the monotonic clock.
func bestClock() uint32 {
	if !counterIsSteady() {
		return ClockNanos
	}
	return ClockCounter
}
