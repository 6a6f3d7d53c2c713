//go:build tracexrt

package tracexrt

import "unsafe"

// What tests do. A test is known by its testing.T, B or F. Only its memory is read: no method is called. With the
// option keep, a recording is that of a test of the top level: it begins with the test, takes the place of the one before
// unless that is to be kept, and has the newest events. Goroutines that go on take their open calls along.

var (
	keeping  bool   // only recordings of some tests are kept
	keepAll  bool   // of all
	keepSlow int64  // also of those that take so many ns; 0: of none
	keptMost uint64 // bytes that those of all processes may take
	sibling  uint64 // see AtSibling

	wanted     bool // this recording is to be kept
	failedTest bool // a test has failed in it
	testCount  int  // how many tests of the top level are running: these
	topTests   [mostTests]test
)

// mostTests is how many tests of the top level are known at a time. Most of them wait for those that are not parallel.
const mostTests = 4096

// test is a test of the top level that has begun.
type test struct {
	at, name  uintptr // as in goroutine
	goroutine uint64
	began     int64
	pkg       string  // what the runtime keeps as long as the program runs
	fact      uintptr // its descriptor in the session; 0: none
	session   uint32
	verdict   uint32 // in the descriptor
	over      bool   // its recording has ended, but it has not
}

// testIn returns the testing.T, B or F that an argument of a function points to; 0 if none does.
func testIn(f *Func, args []any) uintptr {
	for i := range args {
		e := (*eface)(unsafe.Pointer(&args[i]))
		if i >= 64 || f.Follow>>i&1 == 0 || e.typ == nil || e.typ.kindOf() != kindPointer || e.data == nil {
			continue
		}
		of := (*elemType)(unsafe.Pointer(e.typ)).elem
		if of.kindOf() == kindStruct && testNameIn(of) != 0 && readable(uintptr(e.data), of.size) {
			return uintptr(e.data)
		}
	}
	return 0
}

// nameOfTest returns the name of a test, and where that is; "" if it cannot be read.
func nameOfTest(at uintptr) (name string, data uintptr) {
	data, n := *word(at + testName), *word(at + testName + 8)
	if n == 0 || !readable(data, n) {
		return "", 0
	}
	return unsafe.String(u8(data), n), data
}

// isTop reports whether a test is of the top level.
func isTop(name string) bool {
	for i := range len(name) {
		if name[i] == '/' {
			return false
		}
	}
	return name != ""
}

// begins is called when a goroutine calls a function while no call is open. If an argument is a test, the goroutine runs
// it, and another recording may begin. It returns the state of the goroutine; nil if there is no memory for one.
//
//go:noinline
func (st *goroutine) begins(f *Func, args []any) *goroutine {
	at := testIn(f, args)
	if at == 0 {
		return st
	}
	name, data := nameOfTest(at)
	g := st.g
	if isTop(name) && beginsTop(at, data, *u64(g + offGoid), name, f.Pkg) {
		if st = stateOf(g); st == nil {
			return nil
		}
	}
	st.test, st.testName, st.testPkg = at, data, f.Pkg
	return st
}

// revived reports whether a recording that could not continue is followed by one of another test. The goroutine's
// function is called with the test, if an argument is one.
//
//go:noinline
func revived(f *Func, args []any) bool {
	if !keeping || *control != Lost {
		return false
	}
	at := testIn(f, args)
	if at == 0 {
		return false
	}
	name, data := nameOfTest(at)
	return isTop(name) && beginsTop(at, data, *u64(running() + offGoid), name, f.Pkg) && *control == Recording
}

// beginsTop notes that a test of the top level begins, unless it is known, and reports whether another recording begins.
func beginsTop(at, data uintptr, id uint64, name, pkg string) (another bool) {
	acquire()
	for i := 0; i < testCount; {
		switch r := &topTests[i]; {
		case r.at == at && r.name == data:
			release()
			return false
		case *word(r.at + testName) != r.name || testDone == 0:
			r.remove() // another object is there: how the test ended is not known here
		case *u8(r.at + testDone) != 0:
			verdict := uint32(TestPassed)
			switch {
			case testFailed != 0 && *u8(r.at + testFailed) != 0:
				verdict = TestFailed
			case testSkipped != 0 && *u8(r.at + testSkipped) != 0:
				verdict = TestSkipped
			}
			if old, _ := nameOfTest(r.at); !r.over {
				r.judge(old, verdict)
			}
			r.remove()
		case r.name == data: // the same test, for its bubble
			release()
			return false
		default:
			i++
		}
	}
	if keeping {
		another = renew()
	}
	if testCount < mostTests {
		topTests[testCount] = test{at: at, name: data, goroutine: id, began: nanotime(), pkg: packageOfTest(at, pkg)}
		topTests[testCount].describe(name, TestBegan, 0)
		testCount++
	}
	release()
	return another
}

// packageOfTest returns the path of a test's package: that of the function that was called with it, if the test does not
// say it.
func packageOfTest(at uintptr, pkg string) string {
	if testPackage != 0 {
		if data, n := *word(at + testPackage), *word(at + testPackage + 8); n > 0 && data >= text && data+n <= dataEnd {
			return unsafe.String(u8(data), n)
		}
	}
	return pkg
}

// judge notes how a test ended. The lock is held.
func (r *test) judge(name string, verdict uint32) {
	took := nanotime() - r.began
	r.describe(name, verdict, took)
	if verdict == TestFailed {
		wanted, failedTest = true, keeping
	}
	if keepAll || keepSlow > 0 && took >= keepSlow {
		wanted = true
	}
}

// describe writes how a test stands: over what was said of it, if only the time is another.
func (r *test) describe(name string, verdict uint32, took int64) {
	if r.fact != 0 && r.session == session && r.verdict == verdict {
		*u64(r.fact + 16) = uint64(took)
		return
	}
	r.fact, r.session, r.verdict = describeTest(r.goroutine, took, verdict, r.pkg, name), session, verdict
}

// testGoesOn notes, in another recording, that the test which a goroutine runs has not ended. The lock is held.
func (st *goroutine) testGoesOn() {
	name, data := nameOfTest(st.test)
	for i := range testCount {
		if r := &topTests[i]; r.at == st.test && r.name == data && data == st.testName && r.session != session && !r.over {
			r.describe(name, TestBegan, nanotime()-r.began)
		}
	}
}

func (r *test) remove() {
	testCount--
	*r = topTests[testCount]
	topTests[testCount] = test{}
}

// ends notes how the test of a goroutine stands when the last of its open calls has ended. More may follow, such as its
// cleanups.
//
//go:noinline
func (st *goroutine) ends() {
	name, data := nameOfTest(st.test)
	if data != st.testName || testFailed == 0 {
		st.test = 0
		return
	}
	verdict := uint32(TestPassed)
	if *u8(st.test + testFailed) != 0 {
		verdict = TestFailed
	} else if testSkipped != 0 && *u8(st.test + testSkipped) != 0 {
		verdict = TestSkipped
	}
	if p := *pointer(st.g + offPanic); offPanic != 0 && p != nil && *u8(uintptr(p) + offPanicGoexit) == 0 {
		verdict = TestFailed // it panics
	}
	top := isTop(name)
	if !top && verdict != TestFailed {
		return
	}
	acquire()
	if st.session == session {
		for i := range testCount {
			if r := &topTests[i]; top && r.at == st.test && r.name == data && !r.over {
				r.judge(name, verdict)
				// Others run beside it, and go on: what they do is not to take the room of what a failed one did.
				if keeping && failedTest && testParallel != 0 && *u8(r.at + testParallel) != 0 && 2*lastCount > lastKept {
					r.over = true
					renew()
				}
				break
			}
		}
		if !top && st.testTold != session {
			describeTest(st.id, 0, verdict, packageOfTest(st.test, st.testPkg), name)
			wanted, failedTest, st.testTold = true, keeping, session
		}
	}
	release()
}

// testRoom is the room for the event of putTest.
func testRoom() uintptr { return 16 + 2*valueMost }

// againTest notes which test the goroutine runs, for a function that is not recorded, or in another recording.
//
//go:noinline
func (st *goroutine) againTest(t uint64) {
	if st.test != 0 && (st.cur+testRoom() <= st.end || st.refill(testRoom(), t)) {
		st.putTest()
	}
}

// putTest writes which test the goroutine runs. There must be room.
func (st *goroutine) putTest() {
	name, data := nameOfTest(st.test)
	if data != st.testName {
		return
	}
	p := st.cur
	*u32(p + 4) = 0 // it is of the time of the event before
	q := putName(p+8, st.testPkg, p+8+valueMost)
	q = putName(q, name, q+valueMost)
	commit(p, EventTest)
	st.cur = (q + 3) &^ 3
}

// describeTest writes a descriptor, and returns where it is; 0 if there is no room. The lock is held.
func describeTest(id uint64, took int64, verdict uint32, pkg, name string) uintptr {
	n := (8 + 24 + 8 + uintptr(len(pkg)+len(name)) + 7) &^ 7
	p := descriptor(n)
	if p == 0 {
		return 0
	}
	*u64(p + 8), *u64(p + 16), *u32(p + 24) = id, uint64(took), verdict
	putText(putText(p+32, pkg), name)
	*u32(p + 4) = uint32(n)
	commit(p, DescriptorTest)
	return p
}

// renew begins a recording in place of the one before, whose file stays if that is to be kept and there is room. It
// reports whether it has. The lock is held.
func renew() (renewed bool) {
	lost := *u32(header + AtControl) == Lost // so ends of calls were not seen
	if stuck || wanted && account() {
		renewed = another()
		stuck = !renewed
	} else {
		renewed = again()
	}
	if renewed {
		wanted, failedTest = false, false
	}
	if lost {
		carriedFrom = session
	}
	return renewed
}

// stuck says that the recording in the file has ended, which is to be kept, and that no other file could be made.
var stuck bool

// carriedFrom is the first session whose open calls a goroutine may take along into another one.
var carriedFrom uint32

// again begins a recording in the same file.
func again() bool {
	f, _ := reopen()
	if f == 0 {
		return false
	}
	commit(header+AtControl, Beginning) // goroutines wait for the lock meanwhile, see attend
	end := clear(f)
	session++
	syscall6(sysClose, f, 0, 0, 0, 0, 0)
	*u32(header + AtReason), *u32(header + AtErrno), *u32(header + AtDropped) = ReasonNone, 0, 0
	*u64(header + AtLost), *u64(header + AtMissing), *u64(header + AtRing) = 0, 0, 0
	beginEmpty()
	prepared = end
	commit(header+AtControl, Recording)
	return true
}

// prepared is up to where the file has disk space and zeros only.
var prepared uintptr

// clear removes the segments of the file, but for the first ones, which it fills with zeros: to free and to allocate disk
// space takes long. It returns up to where there are such segments. f is the open file.
func clear(f uintptr) (end uintptr) {
	const most = 2 // one of descriptors, one of events
	var used [most]uintptr
	n := min(segments, most)
	if lastGone > 0 {
		n = 0
	}
	for i := range n {
		m := mapped[i]
		here := false
		for _, next := range [...]uintptr{chunkNext, keptNext} { // both may match: the segments may be neighbours
			if next-m[0] <= m[1] {
				used[i], here = max(used[i], next-m[0]), true
			}
		}
		if !here {
			used[i] = m[1]
		}
	}
	more := fileSize > headerSize+n<<mostShift
	unmapSegments() // from here on nothing is written there
	if more && failed(syscall6(sysFtruncate, f, headerSize+n<<mostShift, 0, 0, 0, 0)) {
		return headerSize // what is there cannot be cut off; it is overwritten
	}
	end = headerSize
	for i := range n {
		for at := uintptr(0); at < used[i]; {
			r := syscall6(sysPwrite, f, uintptr(unsafe.Pointer(&zeros)), min(uintptr(len(zeros)), used[i]-at), end+at, 0, 0)
			if failed(r) && -r != errInterrupted {
				syscall6(sysFtruncate, f, headerSize, 0, 0, 0, 0)
				return headerSize
			} else if !failed(r) {
				at += r
			}
		}
		end += 1 << mostShift
	}
	return end
}

// switching is the control word between two files.
var switching uint32 = Beginning

// another ends the recording, and begins one in another file.
func another() bool {
	if sibling == 0 {
		sibling = *u64(header + AtWall)
	}
	free(chunkNext, chunkEnd)
	free(keptNext, keptEnd)
	old, size := header, headerSize
	setControl(uintptr(unsafe.Pointer(&switching))) // goroutines wait for the lock meanwhile, see attend
	if *u32(old + AtReason) == ReasonNone {
		*u32(old + AtReason) = ReasonStopped
	}
	commit(old+AtControl, Off)
	unmapSegments()
	reason, errno := beginRecording(variable(FolderVariable), variable(OptionsVariable))
	if reason != 0 {
		syscall6(sysUnlinkat, atCwd, uintptr(unsafe.Pointer(&path)), 0, 0, 0, 0) // what was made of the other file
		*u32(old + AtErrno), *u32(old + AtReason) = uint32(errno), uint32(reason)
		commit(old+AtControl, Lost)
		setControl(old + AtControl)
		return false
	}
	setControl(header + AtControl)
	unmap(old, size)
	return true
}

func setControl(p uintptr) { storeRelease((*uintptr)(unsafe.Pointer(&control)), p) }

// free gives the pages of a part of the newest segments back that has no events.
func free(begin, end uintptr) {
	const page = 64 << 10
	if begin = (begin + page - 1) &^ (page - 1); begin >= end {
		return
	}
	syscall6(sysMadvise, begin, end-begin, madviseRemove, 0, 0, 0)
}

// account adds the file to those that are kept; false if they would take too much.
func account() bool {
	const used = KeptSize
	f := openBeside(KeptName)
	if f == 0 {
		return true
	}
	p := syscall6(sysMmap, 0, used, protRead|protWrite, mapShared, f, 0)
	syscall6(sysClose, f, 0, 0, 0, 0, 0)
	if failed(p) {
		return true
	}
	size := uint64(segments<<mostShift - (chunkEnd - chunkNext) - (keptEnd - keptNext)) // besides the header, which has the table
	fits := *u64(p)+size <= keptMost
	if fits {
		add(u64(p), size)
	} else {
		add(u64(p+AtUnkept), 1)
	}
	syscall6(sysMunmap, p, used, 0, 0, 0, 0)
	return fits
}

// openBeside opens a file in the folder of the recording; 0 if it cannot.
func openBeside(name string) uintptr {
	n := 0
	for i := 0; i < len(path) && path[i] != 0; i++ {
		if path[i] == '/' {
			n = i + 1
		}
	}
	at := &scratch
	copy(at[:], path[:n])
	n += copy(at[n:], name)
	at[n] = 0
	f := syscall6(sysOpenat, atCwd, uintptr(unsafe.Pointer(at)), openReadWrite|openCloseExec, 0, 0, 0)
	if failed(f) {
		return 0
	}
	return f
}
