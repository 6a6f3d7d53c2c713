//go:build tracexrt

package tracexrt

import _ "unsafe"

// Where goroutines wait. The functions of this file are called by a runtime that was built for it, see package rewrite: its
// variables are those below. In a program with another runtime they are nil.

//go:linkname parkHook runtime.tracexPark
var parkHook func(reason uint8)

//go:linkname parkedHook runtime.tracexParked
var parkedHook func()

//go:linkname readyHook runtime.tracexReady
var readyHook func(gp uintptr)

//go:linkname cHook runtime.tracexCall
var cHook func()

//go:linkname cDoneHook runtime.tracexCalled
var cDoneHook func(c bool)

//go:linkname callHook syscall.tracexCall
var callHook func()

//go:linkname calledHook syscall.tracexCalled
var calledHook func(c bool)

//go:linkname startHook syscall.tracexStart
var startHook func()

//go:linkname startedHook syscall.tracexStarted
var startedHook func(pid int)

// reasonOf is the runtime's, which names its reasons; nil if the runtime is another one.
//
//go:linkname reasonOf runtime.tracexReason
var reasonOf func(reason uint8) string

// waitKinds are what waits are for, by the runtime's reasons; see WaitOther.
var waitKinds [1 << 8]uint8

// hookWaits makes the runtime call park and the others.
func hookWaits() {
	if reasonOf == nil {
		return
	}
	for i := range waitKinds {
		waitKinds[i] = waitKind(reasonOf(uint8(i)))
	}
	parkHook, parkedHook, readyHook = park, parked, ready
	cHook, cDoneHook = call, called
	callHook, calledHook = call, called
	startHook, startedHook = start, started
}

// waitKind returns what a wait is for, by the runtime's text, such as that of a stack trace.
func waitKind(reason string) uint8 {
	switch reason {
	case "sync.Mutex.Lock", "sync.RWMutex.Lock":
		return WaitLock
	case "sync.RWMutex.RLock":
		return WaitRLock
	case "sync.Cond.Wait":
		return WaitCond
	case "sync.WaitGroup.Wait", "sync.WaitGroup.Wait (durable)":
		return WaitGroup
	case "semacquire":
		return WaitSemaphore
	case "sleep":
		return WaitSleep
	case "chan receive", "chan receive (nil chan)", "chan receive (durable)":
		return WaitReceive
	case "chan send", "chan send (nil chan)", "chan send (durable)":
		return WaitSend
	case "select", "select (no cases)", "select (durable)":
		return WaitSelect
	case "IO wait":
		return WaitNetwork
	case "garbage collection", "garbage collection scan":
		return WaitCollector
	}
	for i := range len(reason) - 1 {
		if reason[i:i+2] == "GC" {
			return WaitCollector
		}
	}
	return WaitOther
}

// waitRoom is what the events of a wait take, with two that tell the counter.
const waitRoom = 16 + 16 + 16 + 16

// park records that the running goroutine begins to wait. The runtime may hold locks: it does not wait for any that the
// recorder takes.
//
//go:noinline
func park(reason uint8) {
	if *control != Recording {
		return
	}
	gp, t := goroutineNow()
	st := known(gp)
	if st == nil || st.depth == 0 {
		return
	}
	if clock == ClockNanos {
		t = uint64(nanotime())
	}
	if st.cur+waitRoom > st.end && !st.refill(waitRoom, t) {
		return
	}
	st.waits, st.waitBegan, st.woken = uint32(waitKinds[reason]), t, 0
	st.waitPlace = st.innermost(framePointer())
	st.waitChunk = st.chunk
	st.putWait(EventWait, t, st.waitPlace)
}

// parked records that it goes on.
//
//go:noinline
func parked() {
	gp, t := goroutineNow()
	st := known(gp)
	if st == nil || st.waits == 0 {
		return
	}
	if clock == ClockNanos {
		t = uint64(nanotime())
	}
	if st.cur+waitRoom <= st.end {
		st.waited(t)
		return
	}
	// The runtime may take what other goroutines hold that wait for the recorder's lock, if the stack grows now: it grows before.
	procPin()
	if grow() == 0 {
		st.waited(t)
	}
	procUnpin()
}

// grow makes room on the stack for what refill calls. It returns 0.
//
//go:noinline
func grow() byte {
	var room [6 << 10]byte
	return room[nanotime()&(1<<10-1)]
}

// ready notes which goroutine makes another one go on. It may run on the system's stack, then none does.
//
//go:nosplit
func ready(gp uintptr) {
	if offAncestors == 0 {
		return
	}
	if st := (*goroutine)(*pointer(gp + offAncestors)); st != nil && st.mark == marked {
		st.woken = *u64(running() + offGoid)
	}
}

// call notes when a system call, or a call of C, begins. Its arguments may be addresses on the stack, which must not move.
//
//go:nosplit
func call() {
	if *control != Recording || offAncestors == 0 || clock == ClockNone {
		return
	}
	gp, t := goroutineNow()
	st := (*goroutine)(*pointer(gp + offAncestors))
	if st == nil || st.mark != marked {
		return
	}
	if clock != ClockCounter {
		t = uint64(nanotime())
	}
	st.callBegan = t
}

// called records a call that has ended, if it took long and nothing was recorded meanwhile.
//
//go:noinline
func called(c bool) {
	if *control != Recording {
		return
	}
	gp, t := goroutineNow()
	st := known(gp)
	if st == nil || st.depth == 0 || st.callBegan == 0 || st.startBegan != 0 {
		return
	}
	least := callLeast
	if clock != ClockCounter {
		t, least = otherTime(), callLeastNanos
	}
	began := st.callBegan
	st.callBegan = 0
	if int64(t-began) < int64(least) || int64(began-st.last) < 0 {
		return
	}
	kind := uint32(WaitSystem)
	if c {
		kind = WaitC
	}
	st.hasWaited(kind, began, t, 0, st.innermost(framePointer()))
}

// hasWaited records a wait that has ended.
func (st *goroutine) hasWaited(kind uint32, began, t, what, place uint64) {
	st.waits, st.waitBegan, st.woken, st.waitChunk = kind, began, what, 0
	st.waitPlace = place
	st.waited(t)
}

// start notes when the running goroutine begins to start a process.
//
//go:noinline
func start() {
	gp, t := goroutineNow()
	if st := known(gp); st != nil {
		if clock == ClockNanos {
			t = uint64(nanotime())
		}
		st.startBegan = t
	}
}

// started records that it has started one, or ended without.
//
//go:noinline
func started(pid int) {
	gp, t := goroutineNow()
	st := known(gp)
	if st == nil {
		return
	}
	began := st.startBegan
	st.startBegan = 0
	if pid == 0 || *control != Recording || st.depth == 0 {
		return
	}
	if clock == ClockNanos {
		t = uint64(nanotime())
	}
	if int64(began-st.last) < 0 { // what it waited for meanwhile is recorded
		began = st.last
	}
	st.hasWaited(WaitStart, began, t, uint64(pid), st.innermost(framePointer()))
}

// callLeastNanos is the shortest call that counts as one that waits; callLeast is about the same as a difference of counters.
const callLeastNanos = 20e3

// innermost returns where the innermost open call is, as an event has it: the address in its function, and the one in
// what it called.
//
//go:nosplit
func (st *goroutine) innermost(fp uintptr) (place uint64) {
	hi := *word(st.g + offStackHi)
	if pc, called := callSite(fp, hi-st.stack[st.depth-1].off, hi); pc != 0 {
		place = uint64(uint32(pc-text)) | uint64(uint32(called-text))<<32
	}
	return place
}

// waited records the end of a wait.
func (st *goroutine) waited(t uint64) {
	if *control == Recording && (st.cur+waitRoom <= st.end || st.refill(waitRoom, t)) {
		if st.waitChunk != st.chunk { // where it began may have been dropped
			st.cur = st.sync(st.cur, st.waitBegan)
			st.last = st.waitBegan
			st.putWait(EventWait, st.waitBegan, st.waitPlace)
		}
		st.putWait(EventWaited, t, st.woken)
	}
	st.waits = 0
}

// putWait writes an event of the wait, and what it tells. There is room for it.
func (st *goroutine) putWait(event uint32, t, what uint64) {
	p := st.cur
	diff := t - st.last
	if diff>>32 != 0 {
		p, diff = st.sync(p, t), 0
	}
	st.last = t
	*u32(p + 4), *u64(p + 8) = uint32(diff), what
	commit(p, event|st.waits<<EventBits)
	st.cur = p + 16
}
