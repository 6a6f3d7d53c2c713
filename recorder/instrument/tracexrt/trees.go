//go:build tracexrt

package tracexrt

import "unsafe"

// Which call trees are recorded. A tree is a call that is in no recorded call of its goroutine, and what that calls.

var (
	each       [64]string // patterns: trees begin with calls of these functions; empty: of any
	sampleOf   uint64     // in 1e9 are recorded, chosen by chance; 0: all
	sampleSalt uint64
	slower     int64 // only those are kept that last so many ns; 0: all
	choosing   bool  // not all are recorded, or kept
)

// picked reports whether a call that is in no recorded one is recorded. If not, none is in it, unless a tree may begin there.
func (st *goroutine) picked(f *Func, off uintptr) (token int, ok bool) {
	if st.passing != 0 && off > st.passing || each[0] != "" && !f.each {
		return 0, false
	}
	st.passing = 0
	if sampleOf == 0 {
		return 0, true
	}
	st.draws++
	x := sampleSalt + st.id*0x9e3779b97f4a7c15 + st.draws*0xd1342543de82ef95
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	if x%1e9 < sampleOf {
		return 0, true
	}
	st.passing = off
	return passed, false
}

// passed is the token of a call that is the root of a tree which is not recorded.
const passed = -1

// passes ends such a call.
//
//go:noinline
func passes() {
	if st := known(running()); st != nil {
		st.passing = 0
	}
}

// tree is one that is being recorded, and may be dropped. It is in mapped memory.
type tree struct {
	session        uint32
	open           bool // it can be dropped
	chunk, at, end uintptr
	size           uintptr
	last, calls    uint64
	leftOut        uint32 // in its first chunk, before it
	began          int64
	// Its further chunks are the first used ones; the others are those of trees that were dropped, in the order of the file.
	used, count int
	chunks      *[mostTreeChunks][2]uintptr // address and size; nil while there are none
}

// mostTreeChunks is how many chunks a tree may have after its first one, if it is to be dropped.
const mostTreeChunks = 512

// beginsTree notes where a tree begins. There is room for its first event.
//
//go:noinline
func (st *goroutine) beginsTree() {
	tr := st.tree
	if slower == 0 {
		return
	}
	if tr == nil {
		acquire()
		tr = (*tree)(unsafe.Pointer(memory(unsafe.Sizeof(tree{}))))
		release()
		if tr == nil {
			return
		}
		st.tree = tr
	}
	if tr.session != session || tr.open { // the chunks of one whose end was not seen stay as they are
		tr.session, tr.count = session, 0
	}
	tr.open, tr.used = true, 0
	tr.chunk, tr.at, tr.end, tr.size = st.chunk, st.cur, st.end, st.size
	tr.last, tr.calls, tr.began, tr.leftOut = st.last, st.calls, nanotime(), *u32(st.chunk + AtChunkLeftOut)
}

// endsTree drops a tree that has ended if it was fast, and did not end by a panic, and reports whether it has.
//
//go:noinline
func (st *goroutine) endsTree(panics bool) bool {
	tr := st.tree
	if tr == nil || !tr.open || tr.session != session || *control != Recording {
		return false
	}
	tr.open = false
	now := nanotime()
	if uint64(now)-controlChecked > controlEvery {
		acquire()
		controlChecked = uint64(now)
		abandoned()
		release()
	}
	if panics || now-tr.began >= slower || lastKept != 0 || tr.session != session {
		if tr.used > 0 {
			tr.count -= tr.used
			copy(tr.chunks[:tr.count], tr.chunks[tr.used:])
			tr.used = 0
		}
		return false
	}
	// From the last chunk on: what is left if the process ends meanwhile is the beginning of the tree.
	upto := st.cur
	for i := tr.used - 1; i >= 0; i-- {
		upto = tr.end
		zero(tr.chunks[i][0]+ChunkHead, tr.chunks[i][0]+tr.chunks[i][1])
	}
	tr.used = 0
	zero(tr.at, upto)
	*u32(tr.chunk + AtChunkLeftOut) = tr.leftOut
	st.chunk, st.cur, st.end, st.size = tr.chunk, tr.at, tr.end, tr.size
	st.last, st.calls = tr.last, tr.calls
	st.counted = min(st.counted, st.calls)
	return true
}

// spare takes a chunk of a tree that was dropped, with at least need bytes of events; 0 if there is none. The lock is held.
func (st *goroutine) spare(need uintptr) (p, size uintptr) {
	tr := st.tree
	if tr == nil || tr.session != session {
		return 0, 0
	}
	if tr.used == tr.count || lastKept != 0 || tr.chunks[tr.used][1] < need+ChunkHead+48 {
		tr.count = tr.used // they would not be in order any more
		return 0, 0
	}
	c := tr.chunks[tr.used]
	if tr.open {
		tr.used++
	} else {
		tr.count--
		copy(tr.chunks[:tr.count], tr.chunks[1:])
	}
	*u32(c[0] + AtChunkLeftOut) = 0
	return c[0], c[1]
}

// grows notes the next chunk of a tree. The lock is held.
func (st *goroutine) grows(p, size uintptr) {
	tr := st.tree
	if tr != nil && tr.chunks == nil {
		tr.chunks = (*[mostTreeChunks][2]uintptr)(unsafe.Pointer(memory(unsafe.Sizeof(*tr.chunks))))
	}
	switch {
	case tr == nil || tr.session != session || !tr.open || p == 0:
	case tr.used == mostTreeChunks || tr.chunks == nil:
		tr.open, tr.used, tr.count = false, 0, 0
	default:
		tr.chunks[tr.used] = [2]uintptr{p, size}
		tr.used++
		tr.count = tr.used
	}
}

// zero clears memory, from and to a multiple of 4.
func zero(from, to uintptr) {
	for ; from+8 <= to; from += 8 {
		*u64(from) = 0
	}
	if from < to {
		*u32(from) = 0
	}
}
