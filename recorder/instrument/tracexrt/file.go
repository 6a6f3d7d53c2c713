//go:build tracexrt

package tracexrt

import "unsafe"

// The file of the session.
var (
	header     uintptr // the mapped header; 0 if there never was a session
	path       [512]byte
	device     uint64 // of the file, to recognize it when it is opened again
	inode      uint64
	fileSize   uintptr
	limit      uintptr // of fileSize
	reserve    uint64  // bytes that stay free on the disk
	firstShift uintptr
	mostShift  uintptr
	segment    uintptr // number of the next segment

	chunkNext, chunkEnd uintptr // what is left of the last segment
	factsNext, factsEnd uintptr // what is left of the last chunk of descriptors

	// If only the newest events are kept:
	lastKept          uintptr             // how many of their segments are kept; 0: all
	lastCount         uintptr             // how many of their segments there have been
	lastAt            [maxLast][2]uintptr // address and place in the file of segment k, at k % lastKept
	keptNext, keptEnd uintptr             // what is left of the last segment for descriptors
)

const maxLast = 8

// chunk allocates n bytes, a multiple of ChunkUnit, for a chunk; 0 if there is no room. The lock is
// held.
func chunk(n uintptr) uintptr {
	for chunkEnd-chunkNext < n {
		if rest := chunkEnd - chunkNext; rest > 0 { // a reader would wait for a chunk there
			*u32(chunkNext + AtChunkSize) = uint32(rest)
			commit(chunkNext+AtChunkWord, ChunkRest)
		}
		if chunkNext, chunkEnd = newSegment(n, true); chunkNext == 0 {
			return 0
		}
	}
	p := chunkNext
	chunkNext += n
	return p
}

// descriptor allocates n bytes for a descriptor; 0 if there is no room. The lock is held. If old
// segments are dropped, descriptors have segments of their own.
func descriptor(n uintptr) uintptr {
	if factsNext+n+8 > factsEnd {
		size := uintptr(ChunkUnit)
		if factsEnd != 0 {
			size = 16 << 10
		}
		for size < n+8+ChunkHead {
			size *= 2
		}
		p := uintptr(0)
		if lastKept == 0 {
			p = chunk(size)
		} else {
			if keptEnd-keptNext < size {
				if keptNext, keptEnd = newSegment(size, false); keptNext == 0 {
					return 0
				}
			}
			p = keptNext
			keptNext += size
		}
		if p == 0 {
			return 0
		}
		*u32(p + AtChunkSize) = uint32(size)
		commit(p+AtChunkWord, ChunkDescriptors)
		factsNext, factsEnd = p+ChunkHead, p+size
	}
	p := factsNext
	factsNext += n
	return p
}

// newSegment adds a segment to the file and maps it. It returns 0 if it cannot, or if n bytes exceed
// every segment: then nothing more is recorded. events says that the segment may be dropped when
// there are newer ones.
func newSegment(n uintptr, events bool) (begin, end uintptr) {
	if header == 0 || *u32(header + AtControl) != Recording {
		return 0, 0 // for a call that began before the recording ended
	}
	size := uintptr(1) << min(firstShift+segment, mostShift)
	if n > 1<<mostShift {
		return fail(ReasonAllocate, 0)
	}
	if lastKept == 0 && fileSize+size > limit {
		return fail(ReasonLimit, 0)
	}
	if !spacious(size) {
		return fail(ReasonMap, errMemory)
	}
	at := fileSize
	f, reason, errno := enlarge(at, size)
	if reason != 0 {
		return fail(reason, errno)
	}
	p := syscall6(sysMmap, 0, size, protRead|protWrite, mapShared, f, at)
	if failed(p) {
		syscall6(sysClose, f, 0, 0, 0, 0, 0)
		return fail(ReasonMap, -p)
	}
	if lastKept != 0 && events {
		drop(f, p, at, size)
	}
	syscall6(sysClose, f, 0, 0, 0, 0, 0)
	if segments < uintptr(len(mapped)) {
		mapped[segments] = [2]uintptr{p, size}
		segments++
	}
	fileSize = at + size
	segment++
	return p, p + size
}

// spaceKept is how much address space is left to the program itself: Go takes 64 MiB at a time, and
// ends the program if it gets none.
const spaceKept = 192 << 20

// spacious reports whether the process may map n bytes and keep spaceKept of its address space, which
// may be limited.
func spacious(n uintptr) bool {
	var most [2]uint64
	r := syscall6(sysPrlimit, 0, limitSpace, 0, uintptr(unsafe.Pointer(&most)), 0, 0)
	if failed(r) || most[0] == ^uint64(0) {
		return true
	}
	n += spaceKept
	p := syscall6(sysMmap, 0, n, protNone, mapPrivate|mapAnonymous|mapNoReserve, ^uintptr(0), 0)
	if failed(p) {
		return false
	}
	syscall6(sysMunmap, p, n, 0, 0, 0, 0)
	return true
}

// enlarge opens the file and makes it larger. Disk space is allocated at once: a store into mapped
// memory without disk space would kill the program.
func enlarge(at, size uintptr) (f, reason, errno uintptr) {
	f = syscall6(sysOpenat, atCwd, uintptr(unsafe.Pointer(&path[0])), openReadWrite|openCloseExec, 0, 0, 0)
	if failed(f) {
		return 0, ReasonAllocate, -f
	}
	r := syscall6(sysFstat, f, uintptr(unsafe.Pointer(&scratch)), 0, 0, 0, 0)
	if s := uintptr(unsafe.Pointer(&scratch)); failed(r) || *u64(s) != device || *u64(s + 8) != inode {
		reason = ReasonAllocate
	} else {
		reason, errno = allocate(f, at, size)
	}
	if reason != 0 {
		syscall6(sysClose, f, 0, 0, 0, 0, 0)
	}
	return f, reason, errno
}

var zeros [64 << 10]byte

// scratch is for results of system calls. Unlike a stack it never moves. Its user has the lock, or
// runs before the program begins.
var scratch [4096]byte

// allocate makes a file larger, and allocates the disk space.
func allocate(f, at, size uintptr) (reason, errno uintptr) {
	var most [2]uint64
	if reserve != 0 && scarce(f, size) {
		return ReasonReserve, 0
	}
	r := syscall6(sysPrlimit, 0, limitFileSize, 0, uintptr(unsafe.Pointer(&most)), 0, 0)
	if !failed(r) && uint64(at+size) > most[0] {
		return ReasonFileSize, 0 // growing beyond it would send a signal
	}
	if r = syscall6(sysFtruncate, f, at+size, 0, 0, 0, 0); failed(r) {
		return ReasonAllocate, -r
	}
	for {
		r = syscall6(sysFallocate, f, 0, at, size, 0, 0)
		if -r != errInterrupted {
			break
		}
	}
	if -r == errNotSupported || -r == errNoCall {
		// The file system cannot do that: write zeros.
		for done := uintptr(0); done < size; {
			r = syscall6(sysPwrite, f, uintptr(unsafe.Pointer(&zeros)), min(uintptr(len(zeros)), size-done), at+done, 0, 0)
			if failed(r) {
				if -r == errInterrupted {
					continue
				}
				break
			}
			done += r
		}
	}
	if failed(r) {
		syscall6(sysFtruncate, f, at, 0, 0, 0, 0)
		return ReasonAllocate, -r
	}
	return 0, 0
}

// scarce reports whether size more bytes would leave less than reserve free on a file's disk.
func scarce(f, size uintptr) bool {
	s := uintptr(unsafe.Pointer(&scratch))
	if failed(syscall6(sysFstatfs, f, s, 0, 0, 0, 0)) {
		return false
	}
	return *u64(s + statfsAvailable)**u64(s + statfsBlock) < reserve+uint64(size)
}

// mapped lists the segments of the session, which are unmapped at its end. Those that do not fit
// into it stay mapped.
var (
	mapped   [4096][2]uintptr
	segments uintptr
)

// drop frees the oldest segment of events if there are enough newer ones. f is the open file; the
// newest segment is at address p, and at offset at of the file.
func drop(f, p, at, size uintptr) {
	slot := &lastAt[lastCount%lastKept]
	lastCount++
	old, oldAt := slot[0], slot[1]
	slot[0], slot[1] = p, at
	if old == 0 {
		return
	}
	for i := range buckets {
		for st := buckets[i]; st != nil; st = st.next {
			if st.chunk >= old && st.chunk < old+size {
				st.end, st.chunk = 0, 0 // its next event goes into a new chunk
			}
		}
	}
	unmap(old, size)
	*u32(header + AtDropped)++
	for -syscall6(sysFallocate, f, fallocPunch|fallocKeepSize, oldAt, size, 0, 0) == errInterrupted {
	}
}

// unmap replaces the mapping of a segment by private memory. The addresses stay valid, because a
// goroutine that was stopped in the middle of an event still writes there.
func unmap(p, size uintptr) {
	syscall6(sysMmap, p, size, protRead|protWrite, mapPrivate|mapAnonymous|mapNoReserve|mapFixed, ^uintptr(0), 0)
}
