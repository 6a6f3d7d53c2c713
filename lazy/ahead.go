package lazy

import "sync/atomic"

const (
	// aheadPiece is how many bytes are brought in at a time.
	aheadPiece = 4 << 20
	// aheadWindow is how far ahead of its user a file is brought in, in bytes.
	aheadWindow = 64 << 20
	// aheadBehind is how many bytes are given back at a time, a multiple of
	// aheadPiece.
	aheadBehind = 2 * aheadPiece
)

// ahead brings a mapped file into memory while what comes before is worked on:
// without it, work that goes through a mapping waits for the disk at each page
// that is not there yet. It stays within aheadWindow bytes of its user. A nil one
// does nothing.
type ahead struct {
	load  func(from, to int64) error // brings in a piece; its error ends the work
	leave func(from, to int64)       // gives back what the user has passed; nil: that stays
	left  int64                      // all before it was given back
	end   int64
	at    atomic.Int64  // where the user is
	moved chan struct{} // holds at most one: at has changed
	quit  chan struct{}
	done  chan struct{} // closed when the goroutine has ended
}

// startAhead begins at the offset from. The caller must stop what it gets, and
// not within a lock that load takes.
func startAhead(from, end int64, load func(from, to int64) error) *ahead {
	return startWindow(from, end, load, nil)
}

// startWindow is startAhead, and gives back what the user has passed.
func startWindow(from, end int64, load func(from, to int64) error, leave func(from, to int64)) *ahead {
	a := &ahead{load: load, leave: leave, left: from, end: end,
		moved: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	a.at.Store(from)
	go a.run(from)
	return a
}

func (a *ahead) run(next int64) {
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
		next = max(next, at-at%aheadPiece) // the user has overtaken it
		to := min(next+aheadPiece-next%aheadPiece, a.end)
		if a.load(next, to) != nil {
			return
		}
		next = to
	}
}

// giveBack gives back what is behind the user, in whole pieces.
func (a *ahead) giveBack(at int64) {
	if to := at - at%aheadBehind; a.leave != nil && to > a.left {
		a.leave(a.left, to)
		a.left = to
	}
}

// reached says where the user is.
func (a *ahead) reached(at int64) {
	if a == nil {
		return
	}
	a.at.Store(at)
	select {
	case a.moved <- struct{}{}:
	default:
	}
}

// stop ends the work and waits for the piece that is being brought in.
func (a *ahead) stop() {
	if a == nil {
		return
	}
	close(a.quit)
	<-a.done
}

// ReadAhead brings the file in ahead of a user that goes through it once, from the
// offset from on, and gives back what that has passed. use, which may be nil, runs
// a function while the mapping stays.
func (m *mapping) readAhead(from int64, use func(func() error) error) *ahead {
	if use == nil {
		use = func(f func() error) error { return f() }
	}
	return startWindow(from-from%aheadPiece, int64(len(m.data)),
		func(from, to int64) error { return use(func() error { return m.populate(from, to) }) },
		func(from, to int64) { use(func() error { return m.leave(from, to) }) })
}
