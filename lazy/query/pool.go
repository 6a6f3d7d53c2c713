package query

import "sync"

// pool keeps what one goroutine after the other uses: what has been given back is given out again.
type pool[P any] struct {
	mu   sync.Mutex
	free []P
	make func() P // nil for the zero value
}

// renew forgets what is there.
func (l *pool[P]) renew(make func() P) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free, l.make = nil, make
}

func (l *pool[P]) get() P {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		p := l.free[n-1]
		l.free = l.free[:n-1]
		return p
	}
	if l.make == nil {
		var none P
		return none
	}
	return l.make()
}

func (l *pool[P]) put(p P) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, p)
}

// partPool keeps the visitors of parts that have been merged, for other parts.
type partPool[P interface{ clear() }] struct{ pool[P] }

func (l *partPool[P]) put(p P) {
	p.clear()
	l.pool.put(p)
}

// busyShare is the [lazy.Pass.Share] of a pass whose visitors keep something of every point that
// matches: the parts that wait to be merged are kept too.
const busyShare = 512 << 10
