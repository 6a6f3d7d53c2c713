//go:build tracexrt

package tracexrt

import "unsafe"

// goroutine is the state of a goroutine. It is in mapped memory, which the collector does not see.
// The field ancestors of the runtime's g points to it. The runtime clears that field when it makes a
// goroutine, and uses it only with GODEBUG=tracebackancestors. The state begins with three zero
// words, which the runtime reads as an empty slice.
type goroutine struct {
	empty   [3]uintptr
	mark    uint64
	g       uintptr
	session uint32
	fresh   bool // its next event must say which goroutine it is
	id      uint64
	cur     uintptr // where the next event goes
	end     uintptr
	last    uint64 // counter of the last event
	chunk   uintptr
	size    uintptr // of the last chunk
	panic   uintptr // the runtime's _panic at the last check; 0 if there was none
	depth   int
	room    int // of stack
	stack   *[1 << 28]frame
	next    *goroutine // in the same bucket

	calls   uint64 // in the recording
	counted uint64 // of these, in chunks that are full
	before  uint64 // of these, of goroutines that the g ran before

	test     uintptr // the testing.T, B or F that a function was called with while none was open; 0 if none
	testName uintptr // the address of its name: another one may come to its place
	testPkg  string  // the path of the function's package, static data
	testTold uint32  // the session in which it was described as failed, if it is below another

	waits     uint32  // what it waits for, see WaitOther; 0: it works
	waitPlace uint64  // where
	waitBegan uint64  // the counter
	waitChunk uintptr // with its beginning; 0: none has it
	woken     uint64  // the goroutine that made it go on
	passing   uintptr // how far the frame of a call is below the end of the stack whose tree is not recorded; 0: none is passed
	tree      *tree   // nil: none may be dropped
	draws     uint64  // how many trees were looked at
	callBegan uint64  // the counter before its last system call, or call of C

	startBegan uint64 // the counter when it began to start a process; 0: it starts none

	panicOff uintptr // how far panic is below the end of the stack
	panics   uint32  // number of panics then, with those whose deferred functions were running
	caught   uint64  // a bit for each of the oldest of these: its recovery is recorded
}

// panicsMost is how many panics of a goroutine are counted.
const panicsMost = 1000

const marked = 0x7ace_c0de_7ace_c0de

// buckets finds the states of g's that have been used before.
var buckets [1 << 12]*goroutine

// firstRoom is the number of open calls that a goroutine has room for at first.
const firstRoom = 14

// stateOf returns the state of the running goroutine; nil if there is no memory for one.
func stateOf(gp uintptr) *goroutine {
	if offAncestors != 0 {
		st := (*goroutine)(*pointer(gp + offAncestors))
		if st != nil && st.mark == marked && st.session == session {
			return st
		}
	} else if st := listed(gp); st != nil && st.id == *u64(gp + offGoid) && st.session == session {
		return st
	}
	return begin(gp)
}

// known returns the state of the running goroutine; nil if that has recorded nothing.
func known(gp uintptr) *goroutine {
	var st *goroutine
	if offAncestors != 0 {
		st = (*goroutine)(*pointer(gp + offAncestors))
		if st == nil || st.mark != marked {
			return nil
		}
	} else if st = listed(gp); st == nil || st.id != *u64(gp + offGoid) {
		return nil
	}
	if st.session != session {
		return nil
	}
	return st
}

// prepare does what comes before a call that is the first of its function, or of one that is not usual. It returns the state
// that the goroutine has then, nil if the call is not recorded, and whether the function has been described.
//
//go:noinline
func (st *goroutine) prepare(f *Func, args []any) (_ *goroutine, late bool) {
	if f.Follow != 0 && st.depth == 0 {
		if st = st.begins(f, args); st == nil {
			return nil, false
		}
	}
	if late = f.session != session; late {
		f.describe(args)
	}
	if f.number != skipped {
		return st, late
	}
	if f.Follow != 0 && st.depth == 0 {
		st.againTest(st.last)
	}
	return nil, late
}

func bucketOf(gp uintptr) **goroutine { return &buckets[gp>>7&(1<<12-1)] }

func listed(gp uintptr) *goroutine {
	st := *bucketOf(gp)
	for st != nil && st.g != gp {
		st = st.next
	}
	return st
}

// begin makes or renews the state of a goroutine.
//
//go:noinline
func begin(gp uintptr) *goroutine {
	acquire()
	if named != session && packages != "" {
		describePackages()
	}
	st := listed(gp)
	if st == nil {
		p := memory(unsafe.Sizeof(goroutine{}) + firstRoom*unsafe.Sizeof(frame{}))
		if p == 0 {
			release()
			return nil
		}
		st = (*goroutine)(unsafe.Pointer(p))
		st.mark = marked
		st.g = gp
		st.room = firstRoom
		st.stack = (*[1 << 28]frame)(unsafe.Pointer(p + unsafe.Sizeof(goroutine{})))
		b := bucketOf(gp)
		st.next = *b
		storeRelease((*uintptr)(unsafe.Pointer(b)), p)
	}
	id := *u64(gp + offGoid)
	// With another file for each test, a goroutine takes its open calls along.
	goesOn := keeping && st.session != session && st.session != 0 && st.session >= carriedFrom && st.id == id && st.depth > 0
	if st.session != session {
		st.session = session
		st.cur, st.end, st.chunk, st.size = 0, 0, 0, 0
		st.calls, st.counted = 0, 0
	}
	st.before, st.waits, st.callBegan, st.startBegan, st.passing = st.calls, 0, 0, 0, 0
	if goesOn {
		for i := range st.depth {
			st.stack[i].f.describeAgain()
		}
		if st.test != 0 {
			st.testGoesOn()
		}
	} else {
		st.id = id
		st.depth, st.panic, st.panics, st.caught = 0, 0, 0, 0
		st.test, st.testTold = 0, 0
	}
	release()
	if offAncestors != 0 {
		*word(gp + offAncestors) = uintptr(unsafe.Pointer(st))
	}
	_, t := goroutineNow()
	if clock == ClockNanos {
		t = uint64(nanotime())
	}
	if st.fresh = !goesOn; goesOn {
		st.refill(56, t) // tells its calls and its test, too
		return st
	}
	if st.cur+56 > st.end {
		st.refill(56, t) // introduces the goroutine, too
		return st
	}
	st.cur = st.introduce(st.cur, EventGoroutine, t)
	return st
}

// introduce writes which goroutine the following events belong to.
func (st *goroutine) introduce(p uintptr, event uint32, t uint64) uintptr {
	*u64(p + 8) = st.id
	if offParent != 0 {
		*u64(p + 16) = *u64(st.g + offParent)
	}
	if offGopc != 0 {
		*u64(p + 24) = uint64(*word(st.g + offGopc))
	}
	if offStartpc != 0 {
		*u64(p + 32) = uint64(*word(st.g + offStartpc))
	}
	*u64(p + 40) = t
	st.last = t
	st.fresh = false
	if event == EventGoroutine {
		commit(p, event)
		return p + 48
	}
	n := uintptr(st.depth)
	*u32(p + 48), *u32(p + 52) = uint32(n), uint32(st.calls-st.before)
	q := p + 56
	for i := uintptr(0); i < n; i++ {
		*u32(q), *u64(q + 8) = st.stack[i].f.number, st.stack[i].begun
		q += OpenSize
	}
	commit(p, event)
	return q
}

// deepen makes room for more open calls.
//
//go:noinline
func (st *goroutine) deepen() bool {
	acquire()
	p := memory(uintptr(st.room) * 2 * unsafe.Sizeof(frame{}))
	release()
	if p == 0 {
		return false
	}
	more := (*[1 << 28]frame)(unsafe.Pointer(p))
	copy(more[:st.room], st.stack[:st.room])
	st.stack, st.room = more, st.room*2
	return true
}

// refill takes the next chunk for at least need bytes of events.
//
//go:noinline
func (st *goroutine) refill(need uintptr, t uint64) bool {
	if st.chunk != 0 && st.cur+4 <= st.end {
		commit(st.cur, EventNext)
	}
	event := uint32(EventGoroutine)
	if lastKept != 0 && st.end == 0 {
		if _, now := goroutineNow(); int64(restUntil-now) > 0 {
			return false
		}
	}
	acquire()
	if now := uint64(nanotime()); now-controlChecked > controlEvery {
		controlChecked = now
		abandoned()
	}
	if untilAt != 0 && nanotime()-untilAt > untilMore && st.session == session && *u32(header + AtControl) == Recording {
		stopUntil()
	}
	p, size := uintptr(0), uintptr(0)
	if st.session == session {
		st.countCalls()
		if p, size = st.spare(need); p == 0 {
			kept := lastKept
			p, size = st.take(need, kept)
			if kept == 0 && lastKept != 0 { // the chunk is the first that may be dropped
				p, size = st.take(need, lastKept)
			}
			st.grows(p, size)
		}
	}
	again := lastKept != 0 && !st.fresh
	if again {
		event = EventAgain
	}
	if p != 0 {
		st.chunk, st.size = p, size
		st.cur, st.end = p+ChunkHead, p+size
	} else {
		st.cur, st.end, st.chunk = 0, 0, 0
	}
	release()
	if p == 0 {
		return false
	}
	*u64(p + AtChunkStream) = uint64(st.g) // the first access to the page, which takes long
	*u64(p + AtChunkCounter) = t
	_, now := goroutineNow()
	*u64(p + AtChunkNanos) = uint64(nanotime())
	*u32(p + AtChunkLater) = uint32(min(now-t, LaterMost))
	*u32(p + AtChunkSize) = uint32(size)
	st.last = t
	if st.fresh || again {
		st.cur = st.introduce(st.cur, event, t)
	}
	if again && st.test != 0 { // what said it may be dropped
		st.putTest()
	}
	commit(p+AtChunkWord, ChunkEvents)
	return true
}

// take allocates a chunk with room for need bytes of events, and for the open calls if old segments are
// dropped. The lock is held.
func (st *goroutine) take(need, kept uintptr) (p, size uintptr) {
	need += ChunkHead + 48
	most, open := uintptr(ChunkMost), uintptr(0)
	if kept != 0 {
		most = min(most, 1<<mostShift/chunksLeast)
		if !st.fresh {
			open = uintptr(st.depth) * OpenSize
			need += 8 + open
		}
		if st.test != 0 {
			need += testRoom()
		}
	}
	size = min(max(st.size*2, ChunkUnit), most)
	for size < need || size < need+3*open && size<<1 <= 1<<mostShift {
		size *= 2
	}
	return chunk(size), size
}

// What a recording is to last until: a panic, or the first call of some functions.
var (
	untilPanic bool
	untilAt    int64   // when it happened; 0: not yet
	untilCount uintptr // what lastCount was then
)

// untilMore is how many ns are recorded after that, or until half of the newest events are later ones. What a goroutine
// has room for is recorded still later.
const untilMore = 100e6

// stopUntil ends the recording because of what happened. The lock is held.
func stopUntil() (_, _ uintptr) {
	if ring { // why is in the header
		*u32(header + AtControl) = Lost
		compareAndSwap(control, Recording, Lost)
		return 0, 0
	}
	return fail(ReasonUntil, 0)
}

// happened notes that what the recording was to last until has happened.
func happened() {
	acquire()
	note()
	release()
}

// note is happened with the lock held.
func note() {
	if untilAt == 0 && header != 0 {
		untilAt, untilCount = nanotime(), lastCount
		*u64(header + AtUntil) = uint64(untilAt)
	}
}

// chunksLeast is how many chunks a segment has that may be dropped, if they need not be larger: so the newest
// events are those of many goroutines.
const chunksLeast = 16

// miss counts a call that has no room.
//
//go:noinline
func (st *goroutine) miss(f *Func) int {
	h := header // as in lost
	if *control != Recording || lastKept == 0 || h == 0 || st.session != session {
		return f.lost()
	}
	add(u64(h+AtMissing), 1)
	st.calls++ // no other goroutine reads them, as there is no chunk
	st.counted++
	return 0
}

// leaveOut counts a call that is nested too deeply.
func (st *goroutine) leaveOut() {
	if st.end != 0 {
		*u32(st.chunk + AtChunkLeftOut)++
	}
}
