//go:build tracexrt

package tracexrt

import "unsafe"

// Func describes a function, or a go statement, of an instrumented package. It is static data.
type Func struct {
	Name string // "(*T).m", "f.func1"; of a go statement, its call
	File string
	Pkg  string // import path
	Own  string // the package's name; empty if it is the last element of the path, and not main
	Args string // names of the arguments, the receiver first, and of the results: see raw.DescriptorFunction
	Line int32
	Res  uint8 // number of results
	Recv bool  // the first argument is a receiver
	Go   bool  // a go statement
	Test bool  // not recorded: it tells only which test a goroutine runs
	// Follow has bit i set if argument i is followed like a result: an error, or a test.
	Follow uint64

	number  uint32 // in the file; skipped if it is not recorded
	args    uint32 // number of arguments
	session uint32 // in which it was described
	usual   uint32 // the same, if no argument is followed, and until is not about its calls
	ended   uint32 // session in which the types of its results were described
	// known has the types of arguments and results in the first call. It is in mapped memory.
	known   *[1 << 16]*rtype
	until   uint64 // bit i: untilConditions[i] is about its calls
	counted uint32 // session for which out is valid
	out     bool   // the options leave it out: its lost calls are not counted
	each    bool   // a tree may begin with its calls
}

// skipped is what Func.number is for functions that the options leave out.
const skipped = 0

// frame is an open call.
type frame struct {
	f *Func
	// off is how far the function's frame pointer is below the end of the stack. It stays the
	// same when the stack moves.
	off uintptr
	// begun is the counter; without a clock it is which call of the goroutine this is, from 1 on.
	begun uint64
	until uint64 // bit i: untilConditions[i] is still to be asked at its end; only if f.until is not 0
}

// On reports whether calls are recorded or counted, or the control file has a request. It is inlined
// into each instrumented function, so that calls cost little while nothing is recorded.
func On() bool { return *control != Off }

// Enter begins a call, and returns a token for its end: 0 if it is not recorded. Call it only if On.
//
//go:noinline
func Enter(f *Func, args ...any) int {
	if *control != Recording && !attend() && !(f.Follow != 0 && revived(f, args)) {
		return f.lost()
	}
	gp, t, off, pc := context()
	st := known(gp)
	if st == nil {
		if st = stateOf(gp); st == nil {
			return 0
		}
	}
	usual, late := f.usual == session, false
	if !usual {
		if st, late = st.prepare(f, args); st == nil {
			return 0
		}
	}
	if clock == ClockNanos {
		t = uint64(nanotime())
	}
	d := st.depth
	if d > 0 && st.stack[d-1].off >= off {
		d = st.unwindTo(off, t)
	}
	if choosing && d == 0 {
		if token, ok := st.picked(f, off); !ok {
			return token
		}
	}
	if offPanic != 0 {
		if p := *pointer(gp + offPanic); uintptr(p)|st.panic != 0 {
			st.seePanics(gp, p, t)
		}
	}
	if d >= levels {
		st.leaveOut()
		return 0
	}
	most := valueMost
	if !usual && f.Follow != 0 {
		most = max(most, failureMost)
	}
	need := uintptr(28) + uintptr(len(args))*most
	if st.cur+need > st.end {
		if need = 28 + bound(args, f.Follow); st.cur+need > st.end {
			if !st.refill(need, t) {
				return st.miss(f)
			}
			late = true
		}
	}
	if late || int64(t-st.last) < 0 { // the call begins after what was done to record it
		if _, t = goroutineNow(); clock == ClockNanos {
			t = uint64(nanotime())
		}
	}
	if choosing && d == 0 {
		st.beginsTree()
	}
	p, diff := st.cur, t-st.last
	if diff>>32 != 0 {
		p, diff = st.sync(p, t), 0
	}
	st.last = t
	at := pc - text
	if isLeftOut(at) {
		at = caller()
	}
	*u32(p + 4) = uint32(diff)
	*u32(p + 8) = uint32(at)
	q := p + 12
	if len(args) > 0 {
		q = (f.putArguments(q, args) + 3) &^ 3
	}
	commit(p, EventEnter|f.number<<EventBits)
	st.cur = q
	st.calls++
	if d == st.room && !st.deepen() {
		return 0
	}
	fr := &st.stack[d]
	*word(uintptr(unsafe.Pointer(&fr.f))) = uintptr(unsafe.Pointer(f))
	fr.off, fr.begun = off, t
	if clock == ClockNone {
		fr.begun = uint64(uint32(st.calls - st.before))
	}
	st.depth = d + 1
	if !usual && f.until != 0 {
		st.asks(fr, args)
	}
	return d + 1
}

// lost counts a call that is lost because nothing more can be recorded.
//
//go:noinline
func (f *Func) lost() int {
	h := header // another goroutine may end the recording, after which its memory is still there
	if *control != Lost || h == 0 {
		return 0
	}
	if f.counted != session { // the first time
		f.counted = session
		f.out = f.session == session && f.number == skipped || f.session != session && left(f)
	}
	if !f.out {
		add(u64(h+AtLost), 1)
	}
	return 0
}

// Exit ends a call. results are pointers to the results of the call. It runs deferred.
//
//go:noinline
func Exit(token int, results ...any) {
	if token <= 0 {
		if token == passed {
			passes()
		}
		return
	}
	if *control != Recording && !attend() {
		return
	}
	gp, t := goroutineNow()
	st := known(gp)
	if st == nil && keeping {
		st = stateOf(gp) // the call began in the recording before
	}
	if st == nil || st.depth < token {
		return
	}
	if clock == ClockNanos {
		t = uint64(nanotime())
	}
	if st.depth > token {
		st.unwindAbove(token, t)
	}
	fr := &st.stack[token-1]
	var how unsafe.Pointer
	if offPanic != 0 {
		if p := *pointer(gp + offPanic); uintptr(p)|st.panic != 0 {
			st.seePanics(gp, p, t)
			how = panicking(gp, fr.off)
		}
	}
	if choosing && token == 1 && st.endsTree(how != nil) {
		if st.depth = 0; st.test != 0 {
			st.ends()
		}
		return
	}
	need := uintptr(28) + uintptr(len(results)+1)*max(valueMost, failureMost)
	if st.cur+need > st.end {
		if need = 28 + boundResults(results); how != nil {
			need = 28 + boundFailure
		}
		// The next chunk may begin with the open calls: this one is still among them.
		if st.cur+need > st.end && !st.refill(need, t) {
			st.depth = token - 1
			return
		}
	}
	st.depth = token - 1
	p := st.cur
	diff := t - st.last
	if diff>>32 != 0 {
		p, diff = st.sync(p, t), 0
	}
	st.last = t
	*u32(p + 4) = uint32(diff)
	q := p + 8
	event := uint32(EventExit)
	if how != nil {
		if *u8(uintptr(how) + offPanicGoexit) != 0 {
			event = EventGoexit
		} else {
			event = EventPanic
			e := (*eface)(unsafe.Add(how, offPanicArg))
			if e.typ != nil {
				q = retyped(q, e.typ)
			}
			q = putInterface(q, e, failure(depthMost), q+failureMost)
		}
	} else {
		f := fr.f
		if f.until != 0 && fr.until != 0 {
			st.asksResults(fr, results)
		}
		if f.ended != session && len(results) > 0 {
			f.describeResults(results)
		}
		q = f.putResults(q, results)
	}
	q = (q + 3) &^ 3
	commit(p, event|fr.f.number<<EventBits)
	st.cur = q
	if token == 1 && st.test != 0 {
		st.ends()
	}
}

// seePanics records what has happened to the panics of a goroutine that has some, or had. p is its newest one, or nil.
func (st *goroutine) seePanics(gp uintptr, p unsafe.Pointer, t uint64) {
	if uintptr(p) != st.panic {
		st.throw(gp, p, t)
	} else {
		st.catch(p, st.panics, t)
	}
}

// throw records a panic when it is first seen: at the end of a call, or at the call of a deferred
// function, which may recover it before any call has ended. p is nil if no panic is left.
//
// A known panic has another address if the stack has moved. It is seen again when a later panic, in
// a deferred function that it runs, has been recovered: the goroutine then has fewer panics.
//
//go:noinline
func (st *goroutine) throw(gp uintptr, p unsafe.Pointer, t uint64) {
	var off uintptr
	n := uint32(0)
	if p != nil {
		off = *word(gp + offStackHi) - uintptr(p)
		n = 1
	}
	if offPanicLink != 0 && p != nil {
		for at := *pointer(uintptr(p) + offPanicLink); at != nil && n < panicsMost; n++ {
			at = *pointer(uintptr(at) + offPanicLink)
		}
	}
	again := n < st.panics || n == st.panics && off == st.panicOff
	older := n // those known before that are still there
	if !again {
		older = min(st.panics, n-1)
	}
	st.panic, st.panicOff, st.panics = uintptr(p), off, n
	st.caught &= 1<<older - 1
	switch {
	case p == nil:
		return
	case again:
		st.catch(p, n, t)
		return
	case older > 0:
		at := p
		for range n - older {
			at = *pointer(uintptr(at) + offPanicLink)
		}
		st.catch(at, older, t)
	}
	if *u8(uintptr(p) + offPanicGoexit) == 0 {
		st.panicEvent(EventThrow, p, t)
	}
}

// catch records, once, that the panic numbered n from the oldest has been recovered, if it has. The deferred function
// that did it has then made no further call.
//
//go:noinline
func (st *goroutine) catch(p unsafe.Pointer, n uint32, t uint64) {
	bit := uint64(1) << (n - 1) // 0, which is not recorded, of those after the first 64
	if offPanicRecovered != 0 && bit&^st.caught != 0 && *u8(uintptr(p) + offPanicRecovered) != 0 {
		st.caught |= bit
		st.panicEvent(EventCatch, p, t)
	}
}

// panicEvent records an event with the value of a panic. Only of a throw the place is known.
//
//go:noinline
func (st *goroutine) panicEvent(event uint32, p unsafe.Pointer, t uint64) {
	if untilPanic && event == EventThrow {
		happened()
	}
	if st.depth == 0 {
		return
	}
	e := (*eface)(unsafe.Add(p, offPanicArg))
	need := 40 + boundFailure
	if st.cur+need > st.end && !st.refill(need, t) {
		return
	}
	pc, called := uintptr(0), uintptr(0)
	if event == EventThrow {
		hi := *word(st.g + offStackHi)
		pc, called = callSite(framePointer(), hi-st.stack[st.depth-1].off, hi)
	}
	at := st.cur
	diff := t - st.last
	if diff>>32 != 0 {
		at, diff = st.sync(at, t), 0
	}
	st.last = t
	*u32(at + 4) = uint32(diff)
	*u32(at + 8), *u32(at + 12) = 0, 0
	if pc != 0 {
		*u32(at + 8), *u32(at + 12) = uint32(pc-text), uint32(called-text)
	}
	q := at + 16
	if e.typ != nil {
		q = retyped(q, e.typ)
	}
	q = putInterface(q, e, failure(depthMost), q+failureMost)
	commit(at, event|st.stack[st.depth-1].f.number<<EventBits)
	st.cur = (q + 3) &^ 3
}

// callSite follows frame pointers from fp up to the frame at target, and returns the address in its
// function to which the call there returns, and the one in the function that was called; 0 if the frame is
// not found below hi. It is nosplit: a stack that moved would leave wrong addresses.
//
//go:nosplit
func callSite(fp, target, hi uintptr) (pc, called uintptr) {
	const most = 1 << 16 // frames
	for n := 0; n < most && fp != 0 && fp&7 == 0 && fp < hi-8; n++ {
		next := *word(fp)
		if next == target {
			return *word(fp + 8), called
		}
		if next <= fp {
			break
		}
		called = *word(fp + 8)
		fp = next
	}
	return 0, 0
}

// panicking returns the runtime's _panic if it is unwinding a frame, else nil.
func panicking(gp, off uintptr) unsafe.Pointer {
	if offPanic == 0 || offPanicFrame == 0 {
		return nil
	}
	p := *pointer(gp + offPanic)
	if p != nil && *word(gp + offStackHi)-*word(uintptr(p) + offPanicFrame) == off-panicFrameAbove {
		return p
	}
	return nil
}

// Go notes that a goroutine is about to be made.
//
//go:noinline
func Go(f *Func) {
	if *control != Recording && !attend() {
		return
	}
	gp, t, off, _ := context()
	st := known(gp)
	if st == nil && keeping {
		st = stateOf(gp)
	}
	if st == nil || st.depth == 0 {
		return // the function around it is not recorded
	}
	if f.session != session {
		f.describe(nil)
	}
	if f.number == skipped {
		return
	}
	if clock == ClockNanos {
		t = uint64(nanotime())
	}
	if st.stack[st.depth-1].off > off {
		st.unwindTo(off+1, t)
	}
	if st.cur+24 > st.end && !st.refill(24, t) {
		return
	}
	st.cur = st.event(EventGo|f.number<<EventBits, t)
}

// event writes an event that has only a time.
func (st *goroutine) event(head uint32, t uint64) uintptr {
	p := st.cur
	diff := t - st.last
	if diff>>32 != 0 {
		p, diff = st.sync(p, t), 0
	}
	st.last = t
	*u32(p + 4) = uint32(diff)
	commit(p, head)
	return p + 8
}

// sync writes an event with the whole counter, and returns where the next event goes.
//
//go:noinline
func (st *goroutine) sync(p uintptr, t uint64) uintptr {
	*u64(p + 8) = t
	commit(p, EventSync)
	return p + 16
}

// unwindTo ends the calls whose frames are gone, as deep as off or deeper.
//
//go:noinline
func (st *goroutine) unwindTo(off uintptr, t uint64) int {
	for st.depth > 0 && st.stack[st.depth-1].off >= off {
		st.unwind(t)
	}
	return st.depth
}

//go:noinline
func (st *goroutine) unwindAbove(depth int, t uint64) {
	for st.depth > depth {
		st.unwind(t)
	}
}

func (st *goroutine) unwind(t uint64) {
	full := st.cur+24 > st.end && !st.refill(24, t) // as in Exit
	st.depth--
	if full {
		return
	}
	st.cur = st.event(EventUnwound|st.stack[st.depth].f.number<<EventBits, t)
}

// Ref is an argument of a type that may be large. The argument is read in place, not copied.
type Ref[T any] struct{ at *T }

// V returns a Ref to the argument at x.
func V[T any](x *T) any { return Ref[T]{x} }
