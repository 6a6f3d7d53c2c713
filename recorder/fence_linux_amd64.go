package recorder

import (
	"sync"
	"syscall"
)

// From linux/membarrier.h.
const (
	sysMembarrier      = 324
	membarrierExpedite = 1 << 3
	membarrierRegister = 1 << 4
)

// hasFence reports whether fence can be used, and prepares the process for it:
// some milliseconds, once.
var hasFence = sync.OnceValue(func() bool {
	_, _, err := syscall.Syscall(sysMembarrier, membarrierRegister, 0, 0)
	return err == 0 && canRelease
})

// fence makes each processor that runs this process see and show all stores: a
// store that was done before anywhere is seen from here on, and one from here is
// seen by all that others do from then on. It takes a microsecond or a few.
func fence() {
	// It cannot fail once the process is registered for it.
	_, _, _ = syscall.Syscall(sysMembarrier, membarrierExpedite, 0, 0)
}
