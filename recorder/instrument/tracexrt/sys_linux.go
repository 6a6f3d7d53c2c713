//go:build tracexrt

package tracexrt

const (
	atCwd         = ^uintptr(99) // -100
	openReadWrite = 2
	openCreate    = 0x40
	openExclusive = 0x80
	openCloseExec = 0x80000

	protNone        = 0
	protRead        = 1
	protWrite       = 2
	mapShared       = 1
	madviseDontNeed = 4
	madviseRemove   = 9
	mapPrivate      = 2
	mapFixed        = 0x10
	mapAnonymous    = 0x20
	mapNoReserve    = 0x4000

	statfsBlock     = 8 // u64: bytes of a block
	statfsAvailable = 32

	lockExclusive = 2
	lockNow       = 4

	fallocKeepSize = 1
	fallocPunch    = 2

	limitFileSize = 1
	limitSpace    = 9

	errNoProcess    = 3
	errInterrupted  = 4
	errMemory       = 12
	errName         = 36
	errNoCall       = 38
	errNotSupported = 95
)
