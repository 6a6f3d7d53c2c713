package query

import "sync"

// busyShare is the [lazy.Pass.Share] of a pass whose visitors keep something of every point that
// matches: the parts that wait to be merged are kept too.
const busyShare = 512 << 10

// partPool keeps the visitors of parts that have been merged, for other parts.
type partPool[P interface{ clear() }] struct {
	mu   sync.Mutex
	free []P
	make func() P
}

// renew forgets all visitors.
func (l *partPool[P]) renew(make func() P) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free, l.make = nil, make
}

func (l *partPool[P]) get() P {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		p := l.free[n-1]
		l.free = l.free[:n-1]
		return p
	}
	return l.make()
}

func (l *partPool[P]) put(p P) {
	p.clear()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, p)
}
