package lazy

import (
	"runtime"
)

// windowLeast is how large a mapping is, in bytes, that is worth a window.
const windowLeast = 2 * aheadPiece

// window has another goroutine map the pages of a mapping ahead of who goes
// through it from its beginning, once, and unmap those behind: that is most of
// the work where the file is in the system's cache. What is in memory of the
// mapping at a time does not grow with it. nil where the goroutine would take the
// time of its user: on one processor. Who reads before the window maps for itself.
func (r *TraceReader) window(m *mapping) *ahead {
	if int64(len(m.data)) < windowLeast || runtime.GOMAXPROCS(0) == 1 {
		return nil
	}
	return startWindow(0, int64(len(m.data)),
		func(from, to int64) error { return r.use(func() error { return m.touch(from, to) }) },
		func(from, to int64) { r.use(func() error { return m.leave(from, to) }) })
}

// touch maps pages of the bytes [from, to), one of each aheadAlign bytes: with it the
// system maps those around that are in its cache, as many on Linux. The others come
// when they are read. It may run beside readers of the mapping, not beside what
// changes it.
func (m *mapping) touch(from, to int64) error {
	to = min(to, int64(len(m.data)))
	if m.m == nil || from >= to {
		return errNotMapped
	}
	touchPages(m.data[from:to], aheadAlign)
	return nil
}

// touchPages reads the first of every so many bytes. It is not to be inlined: what
// it returns is of no use, and the compiler would leave out the reading.
//
//go:noinline
func touchPages(b []byte, every int) (sum byte) {
	for i := 0; i < len(b); i += every {
		sum += b[i]
	}
	return sum
}

// leave unmaps the pages of the bytes [from, to), of which from must be a multiple
// of aheadAlign. They stay in the system's cache, and are mapped again when they
// are read. It may run beside readers of the mapping.
func (m *mapping) leave(from, to int64) error {
	to = min(to, int64(len(m.data)))
	if m.m == nil || from >= to {
		return errNotMapped
	}
	return leave(m.data[from:to])
}
