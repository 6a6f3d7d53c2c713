//go:build tracexrt

package tracexrt

import "unsafe"

// panicFrameAbove is how far the address that a panic has for a frame, here that of its first word,
// is above the frame pointer.
const (
	panicFrameAbove = 8
	offPanicFrame   = offPanicSP
)

// callLeast is 20 µs.
var callLeast = counterRate() / 50_000

// counterRate returns how often the counter counts in a second.
func counterRate() uint64

// commit stores a word after all that was stored before.
func commit(p uintptr, v uint32)

func storeRelease(p *uintptr, v uintptr) { storeRelease64(uintptr(unsafe.Pointer(p)), v) }

func storeRelease64(p, v uintptr)

const (
	sysFlock        = 32
	sysMkdirat      = 34
	sysUnlinkat     = 35
	sysFtruncate    = 46
	sysFallocate    = 47
	sysOpenat       = 56
	sysClose        = 57
	sysGetdents     = 61
	sysRead         = 63
	sysWrite        = 64
	sysPwrite       = 68
	sysReadlinkat   = 78
	sysFstat        = 80
	sysFstatfs      = 44
	sysClockGettime = 113
	sysYield        = 124
	sysKill         = 129
	sysGetpid       = 172
	sysGetuid       = 174
	sysMunmap       = 215
	sysMmap         = 222
	sysMadvise      = 233
	sysPrlimit      = 261

	openDirectory = 0x4000
	openNoFollow  = 0x8000

	statMode = 16
	statUID  = 24
)
