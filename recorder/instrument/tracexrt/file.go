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
	limit      uintptr // of the segments
	fileMost   uintptr // the same, as the size of files is limited
	reserve    uint64  // bytes that stay free on the disk
	firstShift uintptr
	mostShift  uintptr
	segment    uintptr // number of the next segment

	chunkNext, chunkEnd uintptr // what is left of the last segment
	factsNext, factsEnd uintptr // what is left of the last chunk of descriptors

	// If only the newest events are kept:
	ring              bool                // the newest events follow a first part; there is room for them
	lastKept          uintptr             // how many of their segments are kept; 0: all
	lastCount         uintptr             // how many of their segments there have been
	lastAt            [maxLast][3]uintptr // address, place in the file and size of segment k, at k % lastKept
	lastCalls         [maxLast]uint64     // calls in the full chunks of these segments
	lastBegan         [maxLast]int64      // when they were added
	lastGone          uintptr             // how many of them have been dropped
	lastRetired       uintptr             // how many of them get no more events, because of their age
	lastRetiredAt     [maxLast]int64      // since when
	lastFor           int64               // those that are older, in ns, may be dropped; 0: none because of its age
	crowded           bool                // most chunks of the last dropped one were not full, and cannot be smaller: there are too many goroutines
	restUntil         uint64              // the counter until which a goroutine without a chunk gets none
	keptNext, keptEnd uintptr             // what is left of the last segment for descriptors
)

// maxLast is how many segments of the newest events there are at most, mostKept if their size decides.
const maxLast, mostKept = 32, 8

// restFor is how many times as long as a segment takes no further one is made for goroutines that are crowded.
const restFor = 8

// chunk allocates n bytes, a multiple of ChunkUnit, for a chunk; 0 if there is no room. The lock is
// held.
func chunk(n uintptr) uintptr {
	for chunkEnd-chunkNext < n {
		if rest := chunkEnd - chunkNext; rest > 0 { // a reader would wait for a chunk there
			*u32(chunkNext + AtChunkSize) = uint32(rest)
			commit(chunkNext+AtChunkWord, ChunkRest)
		}
		_, began := goroutineNow()
		if chunkNext, chunkEnd = newSegment(n, true); chunkNext == 0 {
			return 0
		}
		if crowded {
			_, now := goroutineNow()
			crowded, restUntil = false, now+restFor*(now-began)
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
		}
		if p != 0 && lastKept != 0 { // it is the first that may be dropped
			chunkNext, p = p, 0
		}
		if lastKept != 0 {
			for keptEnd-keptNext < size {
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
// every segment: then nothing more is recorded, unless newer events may have room. events says that the segment
// may be dropped when there are newer ones.
func newSegment(n uintptr, events bool) (begin, end uintptr) {
	if header == 0 || *u32(header + AtControl) != Recording {
		return 0, 0 // for a call that began before the recording ended
	}
	size := uintptr(1) << min(firstShift+segment, mostShift)
	if n > 1<<mostShift {
		if lastKept != 0 {
			return 0, 0
		}
		return fail(ReasonAllocate, 0)
	}
	if fileSize+size > fileMost {
		return fail(ReasonFileSize, 0)
	}
	if untilAt != 0 && events && lastKept != 0 && lastCount-untilCount >= lastKept/2 {
		return stopUntil()
	}
	if failedTest && events && lastKept != 0 && lastAt[lastCount%lastKept][0] != 0 {
		return fail(ReasonTest, 0)
	}
	if used := fileSize - headerSize; lastKept == 0 && used+size+ringSize() > limit {
		if used+ringSize() > limit || !keepOn(ReasonLimit) {
			return fail(ReasonLimit, 0)
		}
	}
	if !spacious(size) {
		return fail(ReasonMap, errMemory)
	}
	at := fileSize
	more := uintptr(0) // for the newest events, when this part is full
	if lastKept == 0 {
		more = ringSize()
	} else if ring && events {
		dropOldest() // before room is made for another: the disk may be full
	}
	var f, reason, errno uintptr
	if at+size <= prepared {
		if f, errno = reopen(); f == 0 {
			reason = ReasonAllocate
		}
	} else {
		f, reason, errno = enlarge(at, size, more)
	}
	if reason == ReasonReserve && lastKept == 0 && keepOn(reason) {
		f, reason, errno = enlarge(at, size, 0)
	}
	if reason != 0 {
		return fail(reason, errno)
	}
	p := syscall6(sysMmap, 0, size, protRead|protWrite, mapShared, f, at)
	if failed(p) {
		syscall6(sysClose, f, 0, 0, 0, 0, 0)
		return fail(ReasonMap, -p)
	}
	if lastKept != 0 && events {
		drop(f) // unless there is a free slot
		now := nanotime()
		retire(now)
		for lastFor > 0 && lastGone < lastRetired && now-lastRetiredAt[lastGone%lastKept] > lastFor {
			dropSegment(f, lastGone%lastKept)
		}
		lastAt[lastCount%lastKept], lastBegan[lastCount%lastKept] = [3]uintptr{p, at, size}, now
		lastCount++
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
// memory without disk space would kill the program. So many more bytes must be free, too.
func enlarge(at, size, more uintptr) (f, reason, errno uintptr) {
	if f, errno = reopen(); f == 0 {
		return 0, ReasonAllocate, errno
	}
	if reason, errno = allocate(f, at, size, more); reason != 0 {
		syscall6(sysClose, f, 0, 0, 0, 0, 0)
	}
	return f, reason, errno
}

// reopen opens the file of the session; f is 0 if it cannot, or if another file is there.
func reopen() (f, errno uintptr) {
	f = syscall6(sysOpenat, atCwd, uintptr(unsafe.Pointer(&path[0])), openReadWrite|openCloseExec, 0, 0, 0)
	if failed(f) {
		return 0, -f
	}
	r := syscall6(sysFstat, f, uintptr(unsafe.Pointer(&scratch)), 0, 0, 0, 0)
	if s := uintptr(unsafe.Pointer(&scratch)); failed(r) || *u64(s) != device || *u64(s + 8) != inode {
		syscall6(sysClose, f, 0, 0, 0, 0, 0)
		return 0, 0
	}
	return f, 0
}

// fileSizeLimit returns the limit for the size of files.
func fileSizeLimit() uint64 {
	var most [2]uint64
	if failed(syscall6(sysPrlimit, 0, limitFileSize, 0, uintptr(unsafe.Pointer(&most)), 0, 0)) {
		return ^uint64(0)
	}
	return most[0]
}

var zeros [64 << 10]byte

// scratch is for results of system calls. Unlike a stack it never moves. Its user has the lock, or
// runs before the program begins.
var scratch [4096]byte

// allocate makes a file larger, and allocates the disk space.
func allocate(f, at, size, more uintptr) (reason, errno uintptr) {
	if reserve != 0 && !ring && scarce(f, size+more) {
		return ReasonReserve, 0
	}
	if uint64(at+size) > fileSizeLimit() {
		return ReasonFileSize, 0 // growing beyond it would send a signal
	}
	r := syscall6(sysFtruncate, f, at+size, 0, 0, 0, 0)
	if failed(r) {
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

// available returns how many bytes the recording may take of a file's disk.
func available(f uintptr) uintptr {
	s := uintptr(unsafe.Pointer(&scratch))
	if reserve == 0 || failed(syscall6(sysFstatfs, f, s, 0, 0, 0, 0)) {
		return ^uintptr(0)
	}
	free := *u64(s + statfsAvailable) * *u64(s + statfsBlock)
	return uintptr(free - min(free, reserve))
}

// mapped lists the segments of the session, which are unmapped at its end. Those that do not fit
// into it stay mapped.
var (
	mapped   [4096][2]uintptr
	segments uintptr
)

// dropOldest is drop for a file that is not open.
func dropOldest() {
	if lastAt[lastCount%lastKept][0] == 0 {
		return
	}
	if f, _ := reopen(); f != 0 {
		drop(f)
		syscall6(sysClose, f, 0, 0, 0, 0, 0)
	}
}

// drop frees the oldest segment of events if as many are kept as are to be. f is the open file.
func drop(f uintptr) {
	if k := lastCount % lastKept; lastAt[k][0] != 0 {
		dropSegment(f, k)
	}
}

// retire lets no more events go into segments that are old, when another is about to be added: a goroutine that makes few
// calls, such as that of a test, would lose new ones with them.
func retire(now int64) {
	if lastFor == 0 && !keeping {
		return
	}
	for lastRetired = max(lastRetired, lastGone); lastRetired < lastCount; lastRetired++ {
		k := lastRetired % lastKept
		if lastFor == 0 && lastCount-lastRetired < lastKept/2 || lastFor > 0 && (lastRetired+1 == lastCount || now-lastBegan[(lastRetired+1)%lastKept] <= lastFor/8) {
			break
		}
		lastRetiredAt[k] = now
		for i := range buckets {
			for st := buckets[i]; st != nil; st = st.next {
				if st.chunk >= lastAt[k][0] && st.chunk < lastAt[k][0]+lastAt[k][2] {
					st.end = 0
				}
			}
		}
	}
}

// dropSegment frees the oldest segment of events, which is at a place in lastAt.
func dropSegment(f, k uintptr) {
	slot := &lastAt[k]
	old, oldAt, oldSize := slot[0], slot[1], slot[2]
	*slot = [3]uintptr{}
	lastGone++
	for i := range mapped[:segments] {
		if mapped[i][0] == old { // see clear, which needs the order of those that are there from the beginning
			segments--
			mapped[i] = mapped[segments]
			break
		}
	}
	missing, unused := lastCalls[k], uintptr(0)
	lastCalls[k] = 0
	for i := range buckets {
		for st := buckets[i]; st != nil; st = st.next {
			if st.chunk >= old && st.chunk < old+oldSize {
				if st.size == ChunkUnit {
					unused += ChunkUnit
				}
				// Its next event goes into a new chunk, a small one: else those that fill chunks slowly would drop
				// the calls of each other.
				st.end, st.chunk, st.size = 0, 0, 0
				calls := st.calls
				missing += calls - st.counted
				st.counted = calls
			}
		}
	}
	unmap(old, oldSize)
	crowded = crowded || unused > oldSize/4*3
	*u32(header + AtDropped)++
	add(u64(header+AtMissing), missing)
	for -syscall6(sysFallocate, f, fallocPunch|fallocKeepSize, oldAt, oldSize, 0, 0) == errInterrupted {
	}
}

// ringKept returns how many segments of the newest events are kept when the first part is full: about an
// eighth of the limit, and more of a small one.
func ringKept() uintptr { return min(max(limit>>3>>mostShift, RingSegments), mostKept) }

// ringSize returns how many bytes they take.
func ringSize() uintptr { return ringKept() << mostShift }

// keepOn ends the first part of the recording for a reason: what follows replaces the oldest of what follows. It
// takes the disk space for that, and returns false if there is none.
func keepOn(reason uintptr) bool {
	f, _ := reopen()
	if f == 0 {
		return false
	}
	const ringLeast = 2
	n := ringKept()
	for reserve != 0 && n >= ringLeast && scarce(f, n<<mostShift) {
		n--
	}
	r := uintptr(0)
	if n >= ringLeast {
		r = syscall6(sysFallocate, f, fallocKeepSize, fileSize, n<<mostShift, 0, 0)
	}
	syscall6(sysClose, f, 0, 0, 0, 0, 0)
	if n < ringLeast || failed(r) && -r != errNotSupported && -r != errNoCall && -r != errInterrupted {
		return false
	}
	lastKept, ring, lastCount = n, true, 0
	*u32(header + AtReason) = uint32(reason)
	*u64(header + AtRing) = uint64(fileSize)
	return true
}

// countCalls notes how many calls a full chunk has, which may be dropped. The lock is held.
func (st *goroutine) countCalls() {
	if st.chunk == 0 && lastKept != 0 { // it was dropped while the goroutine was in the middle of an event
		add(u64(header+AtMissing), st.calls-st.counted)
	}
	for i := uintptr(0); i < lastKept; i++ {
		if s := &lastAt[i]; st.chunk >= s[0] && st.chunk < s[0]+s[2] {
			lastCalls[i] += st.calls - st.counted
			// The next chunk is larger if this one was filled within the newest segment, and smaller if that took long.
			st.size >>= min((lastCount-1+lastKept-i)%lastKept, 2)
			break
		}
	}
	st.counted = st.calls
}

// unmap replaces the mapping of a segment by private memory. The addresses stay valid, because a
// goroutine that was stopped in the middle of an event still writes there.
func unmap(p, size uintptr) {
	syscall6(sysMmap, p, size, protRead|protWrite, mapPrivate|mapAnonymous|mapNoReserve|mapFixed, ^uintptr(0), 0)
}
