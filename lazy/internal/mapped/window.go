package mapped

import "runtime"

// windowLeast is how large a mapping is, in bytes, that is worth a window.
const windowLeast = 2 * Piece

// Window is ReadAhead for a file that is in the system's cache already, where most
// of the work is to map its pages: another goroutine maps them ahead of the user
// and unmaps those that the user has passed. How much of the file is mapped at a
// time does not grow with the file. A user that reads before the window has come
// maps the page itself. Window returns nil for a small file, and on one processor,
// where the goroutine would take the time of its user.
func (m *File) Window(use func(func() error) error) *Ahead {
	if int64(len(m.data)) < windowLeast || runtime.GOMAXPROCS(0) == 1 {
		return nil
	}
	return startWindow(0, int64(len(m.data)),
		func(from, to int64) error { return use(func() error { return m.touch(from, to) }) },
		func(from, to int64) { use(func() error { return m.leave(from, to) }) })
}
