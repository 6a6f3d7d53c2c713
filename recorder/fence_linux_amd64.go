package recorder

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
)

// From linux/membarrier.h.
const (
	sysMembarrier      = 324
	membarrierExpedite = 1 << 3
	membarrierRegister = 1 << 4
)

// membarrier is the system call. Tests have their own.
var membarrier = func(command uintptr) bool {
	_, _, err := syscall.Syscall(sysMembarrier, command, 0, 0)
	return err == 0
}

// fenceRefused says that the system refused a fence, though it had promised it:
// a filter of system calls that the program installed later may do so.
var fenceRefused atomic.Bool

// hasFence reports whether fence is cheap, and prepares the process for it: some
// milliseconds, once.
func hasFence() bool { return registered() && !fenceRefused.Load() }

var registered = sync.OnceValue(func() bool { return canRelease && membarrier(membarrierRegister) })

// fence makes each processor that runs this process see and show all stores: a
// store that was done before anywhere is seen from here on, and one from here is
// seen by all that others do from then on. It takes a microsecond or a few; where
// the system refuses it, the world is stopped instead, which takes some ten, and
// no chunk needs a fence that is made ready from then on.
func fence() {
	if !fenceRefused.Load() && membarrier(membarrierExpedite) {
		return
	}
	fenceRefused.Store(true)
	// Each goroutine that runs has to come to a stop and to say so, by atomic
	// operations, and is told to go on.
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
}
