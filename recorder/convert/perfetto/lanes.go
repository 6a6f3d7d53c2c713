package perfetto

import (
	"fmt"
	"math/bits"
)

// lanes are the threads of one timeline. Joined tracks share threads, as in
// trace_processor: while a track has an open slice it keeps its thread; otherwise it
// takes the first free one.
type lanes struct {
	w       *writer
	name    string
	joined  bool
	threads []*thread
	of      map[uint64]*thread // by track
	free    []uint64           // a bit for each thread, set if it is free
}

// lane is the lanes' state of a thread.
type lane struct {
	index int
	track uint64
	taken bool // track is valid
	busy  int  // open slices of the track
}

// maxLanes bounds the number of threads of a timeline.
const maxLanes = 1 << 12

// find returns the thread for a record, or nil if there is none.
func (l *lanes) find(r *record) *thread {
	if !l.joined {
		if len(l.threads) == 0 {
			l.add()
		}
		return l.threads[0]
	}
	t := l.of[r.track]
	switch {
	case t != nil:
	case r.kind.ends():
		return nil
	default:
		if t = l.take(); t == nil {
			return nil
		}
		if t.lane.taken {
			delete(l.of, t.lane.track)
		}
		t.lane.track, t.lane.taken = r.track, true
		l.of[r.track] = t
	}
	switch r.kind {
	case recordBegin:
		t.lane.busy++
		l.mark(t, t.lane.busy == 0)
	case recordEnd, recordThrew:
		t.lane.busy = max(0, t.lane.busy-1)
		l.mark(t, t.lane.busy == 0)
	}
	return t
}

// take returns the first free thread, or a new one.
func (l *lanes) take() *thread {
	for i, word := range l.free {
		if word != 0 {
			return l.threads[64*i+bits.TrailingZeros64(word)]
		}
	}
	if len(l.threads) >= maxLanes {
		return nil
	}
	return l.add()
}

func (l *lanes) add() *thread {
	name := l.name
	if n := len(l.threads); n > 0 {
		name += fmt.Sprintf(" #%d", n+1)
	}
	t := l.w.thread(name)
	t.lane.index = len(l.threads)
	if l.threads = append(l.threads, t); len(l.threads) > 64*len(l.free) {
		l.free = append(l.free, 0)
	}
	l.mark(t, true)
	return t
}

func (l *lanes) mark(t *thread, free bool) {
	word, bit := &l.free[t.lane.index/64], uint64(1)<<(t.lane.index%64)
	if *word &^= bit; free {
		*word |= bit
	}
}
