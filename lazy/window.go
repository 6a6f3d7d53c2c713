package lazy

import "runtime"

// windowLeast is how large a mapping is, in bytes, that is worth a window.
const windowLeast = 2 * aheadPiece

// window has another goroutine map the pages of a mapping ahead of who goes
// through it from its beginning, once, and unmap those behind: that is most of
// the work where the file is in the system's cache. What is in memory of the
// mapping at a time does not grow with it. nil where the goroutine would take the
// time of its user: on one processor. Who reads before the window maps for itself.
func (m *mapping) window(use func(func() error) error) *ahead {
	if int64(len(m.data)) < windowLeast || runtime.GOMAXPROCS(0) == 1 {
		return nil
	}
	return startWindow(0, int64(len(m.data)),
		func(from, to int64) error { return use(func() error { return m.touch(from, to) }) },
		func(from, to int64) { use(func() error { return m.leave(from, to) }) })
}
