package ipc

import (
	"math"
	"sync"
)

// intake counts the bytes that are taken out of a socket and those that are handled,
// so a caller can wait until everything received so far is handled.
//
//	0          handled            taken             arrived
//	├─────────────┼─────────────────┼─────────────────┼──────────► bytes
//	  their frames  of the frame     in the socket      a mark made now
//	  are done      being handled                       does not wait for these
//	                and after it
type intake struct {
	mu      sync.Mutex // held while bytes are taken out of a socket
	taken   uint64
	handled uint64
	over    bool   // no more bytes will be handled
	marks   []mark // by at
}

// mark is a position that a caller waits for.
type mark struct {
	at   uint64 // bytes to be handled; atEnd means all, and the end of the connection
	then func()
}

const atEnd = math.MaxUint64

// settle notes that all bytes taken, except the last left bytes, are handled. Only
// the reading goroutine calls settle and end.
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

// end notes that no more bytes will be handled.
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

// empty notes that the socket is empty, and reports whether that ends a wait. Called
// with mu held.
func (in *intake) empty() (due bool) {
	for i := range in.marks {
		if m := &in.marks[i]; m.at != atEnd {
			m.at = min(m.at, in.taken)
			due = true
		}
	}
	return due
}
