package recorder

import (
	"math"
	"sync"

	"tracex/recorder/internal/buffers"
)

// threadList holds the threads of a recorder, in no order, and assigns their ids. Lock order:
// mu before a thread's swap.
type threadList struct {
	mu     sync.Mutex
	list   []*buffer
	next   int64 // the next id
	closed bool  // nothing can be added
}

// add adds a thread and assigns its id. It returns false if there are no ids left, or the list
// is closed.
func (l *threadList) add(t *buffer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next > math.MaxInt32 || l.closed {
		return false
	}
	t.file.ID = int32(l.next)
	l.next++
	t.listed.threads = int32(len(l.list))
	l.list = append(l.list, t)
	t.file.Live.InUse(t.file.ID)
	return true
}

// remove takes a thread off the list, and reports whether it was on it.
func (l *threadList) remove(t *buffer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := len(l.list) - 1
	at := t.listed.threads
	if int(at) > last || l.list[at] != t {
		return false // the list was closed
	}
	l.list[at] = l.list[last]
	l.list[at].listed.threads = at
	l.list[last] = nil
	l.list = l.list[:last]
	return true
}

// close ends the list and returns what was on it.
func (l *threadList) close() []*buffer {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.list
	l.list, l.closed = nil, true
	return list
}

func (l *threadList) appendTo(dst []*buffer) []*buffer {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append(dst, l.list...)
}

// each calls f for each thread, with the list locked.
func (l *threadList) each(f func(t *buffer)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.list {
		f(t)
	}
}

// count returns how many threads are on the list.
func (l *threadList) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.list)
}

// begun returns how many threads were added.
func (l *threadList) begun() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next
}

// dueList holds the threads to be written. A thread's due is true while it is on the list.
type dueList struct {
	mu   sync.Mutex
	list []*buffer
}

func (l *dueList) add(t *buffer) {
	l.mu.Lock()
	l.list = append(l.list, t)
	l.mu.Unlock()
}

// take returns the threads and empties the list.
func (l *dueList) take() []*buffer {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.list
	l.list = nil
	return list
}

// holders are the threads that have a chunk: few, however many threads exist. A thread is added
// and removed with its swap held.
type holders struct {
	mu   sync.Mutex
	list []*buffer
	next int // where reclaim continues
}

func (h *holders) add(t *buffer) {
	h.mu.Lock()
	t.listed.holders = int32(len(h.list))
	h.list = append(h.list, t)
	h.mu.Unlock()
}

func (h *holders) remove(t *buffer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := len(h.list) - 1
	at := t.listed.holders
	h.list[at] = h.list[last]
	h.list[at].listed.holders = at
	h.list[last] = nil
	h.list = h.list[:last]
}

// walk returns the next of the holders, cyclically; nil if there is none.
func (h *holders) walk() *buffer {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) == 0 {
		return nil
	}
	h.next = (h.next + 1) % len(h.list)
	return h.list[h.next]
}

func (h *holders) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.list)
}

// found is what a thread had published when its misuse was detected.
type found struct {
	chunk     *buffers.Chunk
	published uint64
	torn      bool // a part made no sense: nothing after it does
}

// quarantined holds what is known of the threads in quarantine.
type quarantined struct {
	mu    sync.Mutex
	found map[*buffer]found
}

// add notes where a thread's misuse was first detected, or that a part of it made no sense. It
// reports whether the thread is new.
func (a *quarantined) add(t *buffer, at found) (first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.found == nil {
		a.found = map[*buffer]found{}
	}
	if first = !t.nonsense.Swap(true); first || at.torn && !a.found[t].torn {
		a.found[t] = at
	}
	return first
}

// of returns where the misuse of a thread was detected.
func (a *quarantined) of(t *buffer) found {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.found[t]
}

func (a *quarantined) forget(t *buffer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.found, t)
}
