//go:build tracexrt

package tracexrt

// panicFrameAbove is how far the address that a panic has for a frame, that of the first word after
// the frame, is above the frame pointer.
const (
	panicFrameAbove = 16
	offPanicFrame   = offPanicFP
)

// callLeast is some 20 to 40 µs.
var callLeast = uint64(1 << 16)

// commit stores a word after all that was stored before.
func commit(p uintptr, v uint32) { *u32(p) = v }

func storeRelease(p *uintptr, v uintptr) { *p = v }

const (
	sysRead         = 0
	sysWrite        = 1
	sysClose        = 3
	sysFstat        = 5
	sysFstatfs      = 138
	sysMmap         = 9
	sysMunmap       = 11
	sysPwrite       = 18
	sysYield        = 24
	sysMadvise      = 28
	sysGetpid       = 39
	sysKill         = 62
	sysFlock        = 73
	sysFtruncate    = 77
	sysGetdents     = 217
	sysGetuid       = 102
	sysClockGettime = 228
	sysOpenat       = 257
	sysMkdirat      = 258
	sysUnlinkat     = 263
	sysReadlinkat   = 267
	sysFallocate    = 285
	sysPrlimit      = 302

	openDirectory = 0x10000
	openNoFollow  = 0x20000

	statMode = 24
	statUID  = 28
)
