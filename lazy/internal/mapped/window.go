package mapped

import "runtime"

// windowLeast is the minimum size of a mapping, in bytes, for which a window pays.
const windowLeast = 2 * LoadSize

// Window is ReadAhead for a file that is in the system's cache already, where most
// of the work is mapping its pages: another goroutine maps them ahead of the user
// and unmaps those that the user has passed. The mapped part does not grow with the
// file. A user that reads ahead of the window maps the page itself. Window returns nil
// for a small file, and on one processor, where the goroutine would compete with its
// user.
func (m *File) Window(use func(func() error) error) *Ahead {
	if int64(len(m.data)) < windowLeast || runtime.GOMAXPROCS(0) == 1 {
		return nil
	}
	return startWindow(0, int64(len(m.data)),
		func(from, to int64) error { return use(func() error { return m.touch(from, to) }) },
		func(from, to int64) { use(func() error { return m.leave(from, to) }) })
}
