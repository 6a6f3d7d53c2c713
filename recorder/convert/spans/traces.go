package spans

import (
	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// traces are those with spans that are open, and those that were used last, in a list.
type traces struct {
	known       map[TraceID]*trace
	first, last *trace // used last, and longest ago
}

// trace is the calls of one trace that are open.
type trace struct {
	id         TraceID
	name       string // of its thread
	rooted     bool   // the name is that of its root
	lanes      []*lane
	free       map[string]*lanes // of each thread, by when they are free
	open       map[SpanID]*open
	end        int64 // of the span that ends last
	prev, next *trace
}

const (
	// keptTraces is how many traces are kept that have no open spans, as more spans may come.
	keptTraces = 1 << 12
	mostTraces = 1 << 16
	// traceLanes and mostLanes bound the threads of a trace, and of all traces that are kept.
	traceLanes = 1 << 12
	mostLanes  = 1 << 17
	// mostOpen bounds the spans that are open, in all traces; mostHeld their names and results, in bytes.
	mostOpen = 1 << 18
	mostHeld = 64 << 20
	// mostSame is how many spans with the id of a parent are looked at.
	mostSame = 8
	// mostWaiting bounds the events that wait until another call ends, in bytes.
	mostWaiting = 16 << 20
)

// get returns the trace with an id, at a time; nil if too many are open.
func (l *traces) get(c *Collector, id TraceID, time int64) (*trace, error) {
	if t := l.known[id]; t != nil {
		l.remove(t)
		l.insert(t)
		return t, nil
	}
	for tries := 0; len(l.known) >= keptTraces && tries < 8; tries++ {
		oldest := l.last
		if oldest.end < time {
			return l.replace(c, oldest, id)
		}
		l.remove(oldest)
		l.insert(oldest)
	}
	if len(l.known) >= mostTraces {
		return nil, nil
	}
	return l.make(id), nil
}

// replace closes a trace and makes another one.
func (l *traces) replace(c *Collector, old *trace, id TraceID) (*trace, error) {
	if err := l.close(c, old); err != nil {
		return nil, err
	}
	return l.make(id), nil
}

func (l *traces) make(id TraceID) *trace {
	t := &trace{id: id, open: map[SpanID]*open{}, free: map[string]*lanes{}}
	l.known[id] = t
	l.insert(t)
	return t
}

func (l *traces) insert(t *trace) {
	t.prev, t.next = nil, l.first
	if l.first != nil {
		l.first.prev = t
	} else {
		l.last = t
	}
	l.first = t
}

func (l *traces) remove(t *trace) {
	if t.prev != nil {
		t.prev.next = t.next
	} else {
		l.first = t.next
	}
	if t.next != nil {
		t.next.prev = t.prev
	} else {
		l.last = t.prev
	}
}

// close ends the calls of a trace and forgets it.
func (l *traces) close(c *Collector, t *trace) error {
	l.remove(t)
	delete(l.known, t.id)
	c.lanes -= len(t.lanes)
	for _, lane := range t.lanes {
		if err := c.popAll(t, lane); err != nil {
			return err
		}
		if err := lane.thread.Close(lane.now); err != nil {
			return err
		}
	}
	return nil
}

func (l *traces) closeAll(c *Collector) error {
	for l.last != nil {
		if err := l.close(c, l.last); err != nil {
			return err
		}
	}
	return nil
}

// lane is a thread of a trace: calls that are inside each other.
type lane struct {
	thread *calltrace.Thread
	of     string // the thread whose calls are here; "" for those of the trace
	number int    // among those of the same thread; from 1
	stack  []*open
	now    int64 // of the last event
}

// busy returns until when calls are open on the lane.
func (l *lane) busy() int64 {
	if len(l.stack) == 0 {
		return l.now
	}
	return l.stack[0].end
}

// top returns the innermost open call, or nil.
func (l *lane) top() *open {
	if len(l.stack) == 0 {
		return nil
	}
	return l.stack[len(l.stack)-1]
}

// open is a call that has begun.
type open struct {
	id         SpanID
	lane       *lane
	start, end int64
	process    Process
	name       string
	threw      string
	result     *format.Value
	unknown    bool  // its end is not known
	size       int   // bytes that it takes
	shadowed   *open // another with this id, that is open, too
	ended      bool
	waiting    []waiting
}

// waiting is an event that happened while a call was open that is not of the span.
type waiting struct {
	time   int64
	record []byte
}

// lanes is a heap: the first one is free first. It implements container/heap.
type lanes []*lane

func (h lanes) Len() int           { return len(h) }
func (h lanes) Less(i, j int) bool { return h[i].busy() < h[j].busy() }
func (h lanes) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *lanes) Push(x any)        { *h = append(*h, x.(*lane)) }
func (h *lanes) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
