//go:build tracexrt

package tracexrt

import "unsafe"

// control points to the word that says whether the program records: in the header of a recording
// that began with the program, or in the control file.
var (
	control = &never
	never   uint32
)

// Properties of the recording; see also file.go and values.go.
var (
	session   uint32 // changes when a recording begins or ends; 0 before the first
	functions uint32 // how many have been described
	clock     uint32
	levels    int
)

// What is known of the program.
var (
	text, dataEnd       uintptr
	types, typesSize    uintptr
	described           uintptr // bitmap with one bit for 8 bytes of types
	heap                uintptr // an address in Go's heap without its lower 36 bits
	argsBegin, argsSize uintptr
	table, tableSize    uintptr
	errorType           *rtype
	assertionType       *rtype // runtime.TypeAssertionError; nil before its first value
	operationType       *rtype // net.OpError; the same
	refPath             *byte  // the package path of type Ref, in its types
)

func init() {
	if lastmoduledatap == nil {
		return
	}
	m := uintptr(unsafe.Pointer(lastmoduledatap))
	text, dataEnd = *word(m + offModuleText), *word(m + offModuleEnd)
	types = *word(m + offModuleTypes)
	typesSize = *word(m + offModuleEtypes) - types
	table = *word(m + offModulePclntab)
	if offModuleEpclntab != 0 {
		tableSize = *word(m + offModuleEpclntab) - table
	} else {
		tableSize = *word(m + offModuleFtabBytes) + *word(m + offModuleFtabBytes + 8) - table
	}
	probe := new([64]byte)
	heap = uintptr(unsafe.Pointer(probe)) >> 36
	var ref any = Ref[byte]{}
	var e *error
	var pe any = e
	refPath = (*structType)(unsafe.Pointer((*eface)(unsafe.Pointer(&ref)).typ)).pkgPath
	errorType = elemOf(&pe)
	for _, s := range arguments() {
		// Only arguments as the system passed them, not copies.
		if a := uintptr(unsafe.Pointer(unsafe.StringData(s))); len(s) > 0 && a>>36 != heap {
			if argsBegin == 0 {
				argsBegin = a
			}
			argsSize = a + uintptr(len(s)) - argsBegin
		}
	}
	hookWaits()
	if folder := variable(FolderVariable); folder != "" {
		acquire()
		reason, errno := beginRecording(folder, variable(OptionsVariable))
		release()
		if reason == 0 {
			control = u32(header + AtControl)
		} else {
			complain(folder, reason, errno)
		}
	} else if variable(ControlVariable) != "0" {
		listen()
	}
}

// complain says on standard error that nothing is recorded.
func complain(folder string, reason, errno uintptr) {
	var text [700]byte
	n := copy(text[:], "tracex: nothing is recorded: ")
	if reason == ReasonFileSize {
		n += copy(text[n:], "the limit of this process for the size of files (ulimit -f) is too small: ")
		n += putDecimal(text[n:], fileSizeLimit())
		n += copy(text[n:], " bytes\n")
	} else {
		n += copy(text[n:], "cannot make a file in ")
		n += copy(text[n:600], folder)
		n += copy(text[n:], " (error ")
		n += putDecimal(text[n:], uint64(errno))
		n += copy(text[n:], ")\n")
	}
	syscall6(sysWrite, 2, uintptr(unsafe.Pointer(&text)), uintptr(n), 0, 0, 0)
}

// attend handles a request in control. Call it if control is not Recording; it reports whether it is
// afterwards.
//
//go:noinline
func attend() bool {
	for s := *control; s == Asked || s == Beginning || s == Ending; s = *control {
		acquire() // while another goroutine is beginning, this waits for it
		switch {
		case compareAndSwap(control, Ending, Off):
			finish()
		case compareAndSwap(control, Asked, Beginning):
			answer()
		}
		release()
	}
	return *control == Recording
}

// answer begins the recording that the control file asks for, in place of one that has not ended. The
// lock is held. The state is Beginning, which the controller leaves alone, as it does the request.
func answer() {
	finish()
	if abandoned() {
		return
	}
	p := uintptr(unsafe.Pointer(control)) - AtState
	// Copy them, because patterns are kept.
	copyBytes(uintptr(unsafe.Pointer(&asked)), p+AtFolder, FolderSize+OptionsSize)
	q := uintptr(unsafe.Pointer(&asked))
	reason, errno := beginRecording(textAt(q, FolderSize), textAt(q+FolderSize, OptionsSize))
	*u32(p + AtAnswer), *u32(p + AtAnswerErrno) = uint32(reason), uint32(errno)
	if reason == 0 {
		*u32(p + AtSession) = session
		commit(p+AtState, Recording)
	} else {
		commit(p+AtState, Off)
	}
}

// The control file, by which it can be opened again; controlPath is empty if there is none.
var (
	controlPath                 [512]byte
	controlDevice, controlInode uint64
	controlChecked              uint64 // the monotonic time of the last check whether a controller has it
)

// controlEvery is how often the program checks that its controller is still there, in ns.
const controlEvery = 100e6

// abandoned reports whether the controller has gone without ending what it asked for, and ends that. The
// lock is held. If it cannot be known, the controller counts as there.
func abandoned() bool {
	if controlPath[0] == 0 {
		return false
	}
	f := syscall6(sysOpenat, atCwd, uintptr(unsafe.Pointer(&controlPath)), openReadWrite|openNoFollow|openCloseExec, 0, 0, 0)
	if failed(f) {
		return false
	}
	s := uintptr(unsafe.Pointer(&scratch))
	gone := !failed(syscall6(sysFstat, f, s, 0, 0, 0, 0)) && *u64(s) == controlDevice && *u64(s + 8) == controlInode &&
		!failed(syscall6(sysFlock, f, lockExclusive|lockNow, 0, 0, 0, 0))
	if gone { // no other controller can have it before it is closed
		commit(uintptr(unsafe.Pointer(control)), Off)
		finish()
	}
	syscall6(sysClose, f, 0, 0, 0, 0, 0)
	return gone
}

// asked has the folder and the options of the last request in the control file.
var asked [FolderSize + OptionsSize]byte

// textAt returns the zero-terminated text at an address.
func textAt(p, most uintptr) string {
	n := uintptr(0)
	for n < most && *u8(p + n) != 0 {
		n++
	}
	return unsafe.String(u8(p), n)
}

// fail ends a recording that cannot continue. The lock is held.
func fail(reason, errno uintptr) (_, _ uintptr) {
	*u32(header + AtErrno) = uint32(errno)
	*u32(header + AtReason) = uint32(reason)
	*u32(header + AtControl) = Lost
	compareAndSwap(control, Recording, Lost) // a controller may have asked for something else
	return 0, 0
}

// finish ends the recording on request. The lock is held.
func finish() {
	if header == 0 {
		return
	}
	if *u32(header + AtReason) == ReasonNone {
		*u32(header + AtReason) = ReasonStopped
	}
	commit(header+AtControl, Off)
	unmapSegments()
	if uintptr(unsafe.Pointer(control)) != header+AtControl {
		unmap(header, headerSize)
		header = 0
	}
	session++ // makes the state of all goroutines stale
}

// unmapSegments unmaps all segments of the file. The lock is held.
func unmapSegments() {
	for _, m := range mapped[:segments] {
		unmap(m[0], m[1])
	}
	segments = 0
}

// headerSize is the size of the mapping at header.
var headerSize uintptr

// beginRecording begins a recording. The lock is held.
func beginRecording(folder, options string) (reason, errno uintptr) {
	session++
	defaults()
	parse(options)
	pid := syscall6(sysGetpid, 0, 0, 0, 0, 0, 0)
	var now [2]int64
	syscall6(sysClockGettime, 0, uintptr(unsafe.Pointer(&now)), 0, 0, 0, 0)
	wall := uint64(now[0]*1e9 + now[1])
	if len(folder)+60 > len(path) || len(folder) == 0 || folder[0] != '/' {
		return ReasonAllocate, errName
	}
	n := copy(path[:], folder)
	n += copy(path[n:], "/")
	n += putDecimal(path[n:], uint64(pid))
	n += copy(path[n:], "-")
	n += putDecimal(path[n:], wall)
	n += copy(path[n:], Suffix)
	path[n] = 0
	f := syscall6(sysOpenat, atCwd, uintptr(unsafe.Pointer(&path)), openReadWrite|openCreate|openExclusive|openCloseExec, 0o600, 0, 0)
	if failed(f) {
		return ReasonAllocate, -f
	}
	s := uintptr(unsafe.Pointer(&scratch))
	if r := syscall6(sysFstat, f, s, 0, 0, 0, 0); failed(r) {
		syscall6(sysClose, f, 0, 0, 0, 0, 0)
		return ReasonAllocate, -r
	}
	device, inode = *u64(s), *u64(s + 8)
	kept, largest := tableSize, fileSizeLimit()
	if sibling != 0 {
		kept = 0
	}
	if 4*uint64(HeaderSize+kept) > largest {
		kept = 0 // calls are worth more than names of goroutines
	}
	size := (HeaderSize + kept + 64<<10 - 1) &^ (64<<10 - 1)
	fileMost = ^uintptr(0)
	if largest>>62 == 0 && uint64(size) < largest {
		fileMost = size + (uintptr(largest)-size)/2 // a file of the trace may be larger
	}
	if lastKept == 0 {
		fit(limit, RingShift)
		fit(min(fileMost-size, available(f)), leastShift)
	}
	if reason, errno = allocate(f, 0, size, 0); reason != 0 {
		syscall6(sysClose, f, 0, 0, 0, 0, 0)
		return reason, errno
	}
	h := syscall6(sysMmap, 0, size, protRead|protWrite, mapShared, f, 0)
	syscall6(sysClose, f, 0, 0, 0, 0, 0)
	if failed(h) {
		return ReasonMap, -h
	}
	if described == 0 {
		if described = memory(typesSize/64 + 8); described == 0 {
			return ReasonMap, 0
		}
	}
	findBetween()
	header, headerSize = h, size
	beginEmpty()
	*u32(h + AtVersion) = Version
	*u64(h + AtPID) = uint64(pid)
	*u64(h + AtWall) = wall
	*u64(h + AtSibling) = sibling
	*u64(h + AtSample), *u64(h + AtSlower) = sampleOf, uint64(slower)
	sampleSalt = wall
	*u32(h + AtClock) = clock
	*u32(h + AtFirstShift), *u32(h + AtMostShift) = uint32(firstShift), uint32(mostShift)
	*u64(h + AtText) = uint64(text)
	*u64(h + AtTable), *u64(h + AtTableSize) = HeaderSize, uint64(kept)
	*u64(h + AtSegments) = uint64(size)
	program(h + AtProgram)
	putLine(h, uint64(pid))
	copyBytes(h+HeaderSize, table, kept)
	*u32(h + AtControl) = Recording
	*u64(h + AtMagic) = Magic
	return 0, 0
}

// beginEmpty begins with a file that has only the header. The lock is held.
func beginEmpty() {
	for p := described; p < described+typesSize/64+8; p += 8 {
		*u64(p) = 0
	}
	beginObjects()
	fileSize, prepared, segment, segments = headerSize, 0, 0, 0
	chunkNext, chunkEnd, factsNext, factsEnd, keptNext, keptEnd = 0, 0, 0, 0, 0, 0
	lastCount, lastGone, lastRetired, crowded, restUntil = 0, 0, 0, false, 0
	lastAt, lastCalls = [maxLast][3]uintptr{}, [maxLast]uint64{}
	*u64(header + AtCounter), *u64(header + AtNanos) = otherTime(), uint64(nanotime())
	// The two are to be of one time: the thread may be interrupted between their readings.
	const tries = 8
	least := ^uint64(0)
	for i := 0; i < tries && clock == ClockCounter; i++ {
		_, before := goroutineNow()
		now := nanotime()
		if _, after := goroutineNow(); after-before < least {
			least = after - before
			*u64(header + AtCounter), *u64(header + AtNanos) = before, uint64(now)
		}
	}
	putBoot(header)
}

// program writes the path of the program and its arguments.
func program(p uintptr) {
	end := p + ProgramSize - 1
	link := [16]byte{}
	copy(link[:], "/proc/self/exe")
	n := syscall6(sysReadlinkat, atCwd, uintptr(unsafe.Pointer(&link)), p, ProgramSize/2, 0, 0)
	if !failed(n) {
		p += n
	}
	p++
	args := arguments()
	for i := 1; i < len(args); i++ {
		a := args[i]
		if p+uintptr(len(a))+1 > end {
			break
		}
		copyBytes(p, uintptr(unsafe.Pointer(unsafe.StringData(a))), uintptr(len(a)))
		p += uintptr(len(a)) + 1
	}
}

// listen makes the control file. Without one, the program cannot be controlled.
func listen() {
	name := &path // there is no recording yet
	n := 0
	if folder := variable("XDG_RUNTIME_DIR"); folder != "" && len(folder) < len(path)-10 && folder[0] == '/' {
		n = copy(name[:], folder)
		n += copy(name[n:], "/tracex")
	} else {
		n = copy(name[:], TempFolder)
		n += putDecimal(name[n:], uint64(syscall6(sysGetuid, 0, 0, 0, 0, 0, 0)))
	}
	at := uintptr(unsafe.Pointer(name))
	syscall6(sysMkdirat, atCwd, at, 0o700, 0, 0, 0)
	// Make nothing in a folder that another user owns, or that others may write to.
	d := syscall6(sysOpenat, atCwd, at, openDirectory|openNoFollow|openCloseExec, 0, 0, 0)
	if failed(d) {
		return
	}
	s := uintptr(unsafe.Pointer(&scratch))
	if r := syscall6(sysFstat, d, s, 0, 0, 0, 0); failed(r) || *u32(s + statUID) != uint32(syscall6(sysGetuid, 0, 0, 0, 0, 0, 0)) || *u32(s + statMode)&0o022 != 0 {
		syscall6(sysClose, d, 0, 0, 0, 0, 0)
		return
	}
	sweep(d)
	pid := syscall6(sysGetpid, 0, 0, 0, 0, 0, 0)
	copy(controlPath[:], name[:n])
	n += copy(controlPath[n:], "/")
	putDecimal(controlPath[n:], uint64(pid))
	n = putDecimal(name[:], uint64(pid))
	name[n] = 0
	syscall6(sysUnlinkat, d, at, 0, 0, 0, 0) // left by a process that had the same id
	f := syscall6(sysOpenat, d, at, openReadWrite|openCreate|openExclusive|openNoFollow|openCloseExec, 0o600, 0, 0)
	syscall6(sysClose, d, 0, 0, 0, 0, 0)
	if failed(f) {
		return
	}
	reason, _ := allocate(f, 0, ControlSize, 0)
	p := ^uintptr(0)
	if r := syscall6(sysFstat, f, s, 0, 0, 0, 0); reason == 0 && !failed(r) {
		controlDevice, controlInode = *u64(s), *u64(s + 8)
		p = syscall6(sysMmap, 0, ControlSize, protRead|protWrite, mapShared, f, 0)
	}
	syscall6(sysClose, f, 0, 0, 0, 0, 0)
	if failed(p) {
		return
	}
	*u32(p + AtVersion) = Version
	*u64(p + AtPID) = uint64(pid)
	*u64(p + AtMagic) = ControlMagic
	control = u32(p + AtState)
}

// sweep removes the control files of ended processes from an open folder: only some, if there are
// many.
func sweep(folder uintptr) {
	at := uintptr(unsafe.Pointer(&scratch))
	n := syscall6(sysGetdents, folder, at, uintptr(len(scratch)), 0, 0, 0)
	if failed(n) {
		return
	}
	for p := at; p < at+n; {
		// u64 inode, i64 offset, u16 length, u8 type, the name
		name := textAt(p+19, 16)
		p += uintptr(*u32(p + 16) & 0xffff)
		pid := decimal(name)
		if pid == 0 || pid > 1<<31 || name[0] < '0' || name[0] > '9' {
			continue
		}
		if r := syscall6(sysKill, uintptr(pid), 0, 0, 0, 0, 0); -r == errNoProcess {
			syscall6(sysUnlinkat, folder, uintptr(unsafe.Pointer(unsafe.StringData(name))), 0, 0, 0, 0)
		}
	}
}
