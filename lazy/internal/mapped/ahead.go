package mapped

import (
	"runtime"
	"sync/atomic"
)

const (
	// LoadSize is how many bytes are loaded at a time.
	LoadSize = 4 << 20
	// aheadWindow is the maximum distance of loading ahead of the user, in bytes.
	aheadWindow = 64 << 20
	// releaseSize is how many bytes are released at a time, a multiple of
	// LoadSize.
	releaseSize = 2 * LoadSize
)

// Ahead loads a mapped file into memory ahead of its user: without it, the user waits
// for the disk at each page that is not in memory yet. It stays within 64 MiB of its
// user. The methods of a nil Ahead do nothing.
type Ahead struct {
	load  func(from, to int64) error // loads LoadSize bytes; an error ends the work
	leave func(from, to int64)       // releases bytes that the user has passed; nil to keep them
	left  int64                      // everything before it was released
	end   int64
	at    atomic.Int64  // position of the user
	moved chan struct{} // holds at most one: at has changed
	quit  chan struct{}
	done  chan struct{} // closed when the goroutine has ended
}

// StartAhead starts loading the bytes from one offset to another, [LoadSize] bytes at
// a time, each by a call of load on another goroutine; an error of load ends it.
// The caller must stop it, without holding a lock that load takes.
func StartAhead(from, end int64, load func(from, to int64) error) *Ahead {
	return startWindow(from, end, load, nil)
}

// startWindow is StartAhead, and releases bytes that the user has passed.
func startWindow(from, end int64, load func(from, to int64) error, leave func(from, to int64)) *Ahead {
	a := &Ahead{load: load, leave: leave, left: from, end: end,
		moved: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	a.at.Store(from)
	go a.run(from)
	return a
}

func (a *Ahead) run(next int64) {
	defer close(a.done)
	for next < a.end || a.leave != nil {
		select {
		case <-a.quit:
			return
		default:
		}
		at := a.at.Load()
		a.giveBack(at)
		if next >= min(at+aheadWindow, a.end) {
			select {
			case <-a.moved:
			case <-a.quit:
				return
			}
			continue
		}
		next = max(next, at-at%LoadSize) // the user has overtaken it
		to := min(next+LoadSize-next%LoadSize, a.end)
		if a.load(next, to) != nil {
			return
		}
		next = to
	}
}

// giveBack releases the bytes that the user has passed, releaseSize at a time.
func (a *Ahead) giveBack(at int64) {
	if to := at - at%releaseSize; a.leave != nil && to > a.left {
		a.leave(a.left, to)
		a.left = to
	}
}

// Reached sets the current offset of the user.
func (a *Ahead) Reached(at int64) {
	if a == nil {
		return
	}
	a.at.Store(at)
	select {
	case a.moved <- struct{}{}:
	default:
	}
}

// Stop ends the work and waits for what is being loaded.
func (a *Ahead) Stop() {
	if a == nil {
		return
	}
	close(a.quit)
	<-a.done
}

// ReadAhead loads the file ahead of a user that reads it once, beginning at an offset,
// and releases the bytes that the user has passed. use runs a function while
// the mapping is in place; nil if the caller owns the mapping and keeps it until the
// Ahead is stopped.
func (m *File) ReadAhead(from int64, use func(func() error) error) *Ahead {
	if use == nil {
		use = func(f func() error) error { return f() }
	}
	return startWindow(from-from%LoadSize, int64(len(m.data)),
		func(from, to int64) error { return use(func() error { return m.Populate(from, to) }) },
		func(from, to int64) { use(func() error { return m.leave(from, to) }) })
}

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
