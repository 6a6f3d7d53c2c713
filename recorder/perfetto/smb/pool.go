package smb

import "sync"

// Pool is a few writers for many goroutines. A program with more goroutines than
// chunks cannot give each a writer that keeps one; nor are there writer ids for
// any number. A goroutine gets a writer for a packet, or a few, and puts it back.
// All its packets need not be of one sequence then.
type Pool struct {
	a      *Arbiter
	target *Target
	policy Policy
	slots  []slot
	mu     sync.Mutex
	closed bool // mu guards it
}

type slot struct {
	mu sync.Mutex
	w  *Writer  // nil: not made yet
	_  [48]byte // slots do not share a cache line
}

// NewPool returns a pool of at most size writers, which are made when they are
// needed.
func (a *Arbiter) NewPool(t *Target, p Policy, size int) *Pool {
	return &Pool{a: a, target: t, policy: p, slots: make([]slot, max(size, 1))}
}

// Get returns a writer for the caller alone, and the number to put it back with:
// the hint-th if it is not in use. The same hint brings the same sequence most
// of the time. If all are in use it waits for one. It returns nil when there can
// be no writer; that need not be put back.
func (p *Pool) Get(hint uint) (*Writer, uint) {
	n := uint(len(p.slots))
	at := hint % n
	for range n {
		if p.slots[at].mu.TryLock() {
			return p.got(at)
		}
		if at++; at == n {
			at = 0
		}
	}
	at = hint % n
	p.slots[at].mu.Lock()
	return p.got(at)
}

func (p *Pool) got(at uint) (*Writer, uint) {
	s := &p.slots[at]
	if s.w != nil && !s.w.closed {
		return s.w, at
	}
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if !closed {
		if w, err := p.a.NewWriter(p.target, p.policy); err == nil {
			s.w = w
			return w, at
		}
	}
	s.mu.Unlock()
	return nil, at
}

// Put puts a writer back that Get returned with this number.
func (p *Pool) Put(number uint) { p.slots[number].mu.Unlock() }

// Flush gives what all writers wrote to the service. It waits for those in use.
func (p *Pool) Flush() { p.each((*Writer).Flush) }

// Renew makes every writer's next [Writer.Next] be Reset. It waits for those in
// use.
func (p *Pool) Renew() { p.each((*Writer).Renew) }

// Close closes the writers. It waits for those in use. Get returns nil after.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.each((*Writer).Close)
}

func (p *Pool) each(f func(*Writer)) {
	for i := range p.slots {
		s := &p.slots[i]
		s.mu.Lock()
		if s.w != nil {
			f(s.w)
		}
		s.mu.Unlock()
	}
}
