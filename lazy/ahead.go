package lazy

import (
	"errors"
	"sync/atomic"
)

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

// errNotMapped: there is nothing to bring in, or no way to.
var errNotMapped = errors.New("the file is not mapped")

// aheadAlign is what the first of the bytes that are brought in is rounded down
// to: a multiple of every system's pages.
const aheadAlign = 64 << 10

// populate brings the bytes [from, to) into memory. It may run beside readers of
// the mapping, not beside what changes it.
func (m *mapping) populate(from, to int64) error {
	from -= from % aheadAlign
	to = min(to, int64(len(m.data)))
	if m.m == nil || from >= to {
		return errNotMapped
	}
	return populate(m.data[from:to])
}

// scattered says whether the mapping is about to be read in few, small places.
// It may not run beside what changes the mapping.
func (m *mapping) scattered(on bool) {
	if m.m != nil && len(m.data) > 0 {
		scattered(m.data, on) // an advice, no more
	}
}

// readAhead brings a mapping in ahead of who goes through it once, from the offset
// from on, and gives back what is behind.
func (r *TraceReader) readAhead(m *mapping, from int64) *ahead {
	return startWindow(from-from%aheadPiece, int64(len(m.data)),
		func(from, to int64) error { return r.use(func() error { return m.populate(from, to) }) },
		func(from, to int64) { r.use(func() error { return m.leave(from, to) }) })
}

// readAhead is the same of a mapping that belongs to the caller alone. It must be
// stopped before the mapping goes.
func readAhead(m *mapping) *ahead {
	return startWindow(0, int64(len(m.data)), m.populate, func(from, to int64) { m.leave(from, to) })
}

// streamAhead brings in a part of a thread's stream ahead of who goes through it.
// Offsets are logical, also those that its user reaches.
func (r *TraceReader) streamAhead(v *view, s *stream, from, end int64) *ahead {
	return startAhead(from-from%aheadPiece, end, func(from, to int64) error {
		return r.use(func() error {
			if v.data != nil && v.data != r.data {
				return errStale
			}
			return s.pieces(from, to, r.data.populate)
		})
	})
}

// pieces calls f for the physical pieces of a logical stretch, in order, until it
// fails.
func (s *stream) pieces(from, to int64, f func(from, to int64) error) error {
	for i := max(s.locate(from, 0), 0); i < len(s.blocks) && s.blocks[i].logical < to; i++ {
		b := s.blocks[i]
		lo, hi := max(from, b.logical), min(to, s.end(i))
		if lo >= hi {
			continue
		}
		if err := f(b.physical+lo-b.logical, b.physical+hi-b.logical); err != nil {
			return err
		}
	}
	return nil
}
