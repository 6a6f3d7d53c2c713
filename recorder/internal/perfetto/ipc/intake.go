package ipc

import (
	"math"
	"sync"
)

// intake counts the bytes that come over a socket and those that are handled, so
// that a caller can wait until everything received so far is handled.
//
//	0          handled            taken             come
//	├─────────────┼─────────────────┼─────────────────┼──────────► bytes
//	  their frames  of the frame     in the socket      what a mark made
//	  are done      that is handled                     now does not wait for
//	                and after it
type intake struct {
	mu      sync.Mutex // held while bytes are taken out of a socket
	taken   uint64
	handled uint64
	over    bool   // nothing more will be handled
	marks   []mark // by at
}

// mark is a position that a caller waits for.
type mark struct {
	at   uint64 // bytes to be handled; atEnd: all, and the connection's end
	then func()
}

const atEnd = math.MaxUint64

// settle reports that all bytes taken but the last few, left, are handled.
// It is called by the reading goroutine, as is end.
func (in *intake) settle(left int) {
	in.mu.Lock()
	in.handled = in.taken - uint64(left)
	due := 0
	for due < len(in.marks) && in.marks[due].at <= in.handled {
		due++
	}
	reached := in.marks[:due:due]
	if in.marks = in.marks[due:]; len(in.marks) == 0 {
		in.marks = nil
	}
	in.mu.Unlock()
	for _, m := range reached {
		m.then()
	}
}

// end says that nothing more will be handled.
func (in *intake) end() {
	in.mu.Lock()
	in.over = true
	rest := in.marks
	in.marks = nil
	in.mu.Unlock()
	for _, m := range rest {
		m.then()
	}
}

// empty records that the socket is drained, and reports whether a waiter is now
// satisfied. mu is held.
func (in *intake) empty() (due bool) {
	for i := range in.marks {
		if m := &in.marks[i]; m.at != atEnd {
			m.at = min(m.at, in.taken)
			due = true
		}
	}
	return due
}

// pending reports whether something received is not handled yet. If so, then is
// called when it is.
func (l *link) pending(then func()) bool {
	in := &l.intake
	in.mu.Lock()
	defer in.mu.Unlock()
	waiting, ends := l.unread()
	at := in.taken + uint64(waiting)
	if ends {
		at = atEnd
	}
	if in.over || at == in.handled {
		return false
	}
	in.marks = append(in.marks, mark{at, then})
	return true
}
