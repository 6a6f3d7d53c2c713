package spans

import (
	"context"
	"slices"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/spool"
)

// Collector takes spans in any order and makes calls of them. One goroutine may use it.
type Collector struct {
	ctx    context.Context
	to     *calltrace.Writer
	prefix string // of the names of threads
	spool  *spool.Spool
	stream *spool.Stream
	record writer

	processes processes
	traces    traces
	ends      ends
	group     group
	call      caller
	event     Event // scratch
	open      int   // spans
	held      int   // bytes that they take
	lanes     int   // of all traces
	waiting   int   // bytes of events that wait
	base      int64 // ns since 1970: of the first span, from which the times of the trace count
}

// memory is how many bytes of spans wait in memory; the rest is in a temporary file.
const memory = 32 << 20

// New returns a collector. prefix precedes the names of threads. The caller must close it.
func New(ctx context.Context, to *calltrace.Writer, prefix string) *Collector {
	s := spool.New(to.TempDir(), memory)
	return &Collector{ctx: ctx, to: to, prefix: prefix, spool: s, stream: s.Stream(), processes: processes{to: to},
		traces: traces{known: map[TraceID]*trace{}}, call: caller{to: to}}
}

// Close frees what the collector holds.
func (c *Collector) Close() { c.spool.Close() }

// Process returns a new number for a service that [Collector.Describe] will name, perhaps after its spans.
func (c *Collector) Process() Process { return c.processes.next() }

// Describe names the service of a process; args are attributes that all of its spans have.
func (c *Collector) Describe(p Process, service string, args []Arg) {
	c.processes.describe(p, service, args)
}

// caller writes calls.
type caller struct {
	to    *calltrace.Writer
	span  Span // that begins
	args  []Arg
	names []string
	call  calltrace.Call
}

type process struct {
	service string
	args    []Arg
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

// waiting is an event that happened while a call was open that is not of the span.
type waiting struct {
	time   int64
	record []byte
}

// lanes is a heap: the first one is free first. It implements container/heap.
type lanes []*lane

func (h lanes) Len() int { return len(h) }

func (h lanes) Less(i, j int) bool { return h[i].busy() < h[j].busy() }

func (h lanes) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *lanes) Push(x any) { *h = append(*h, x.(*lane)) }

func (h *lanes) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// processes are the services of spans. Many numbers may mean the same one.
type processes struct {
	to     *calltrace.Writer
	refs   []int32          // by number: index in all + 1; 0 if not described
	all    []process        // each different one
	known  map[string]int32 // by content: index in all + 1
	size   int              // bytes of all
	record writer           // scratch
}

const (
	mostRefs      = 1 << 24
	mostProcesses = 16 << 20 // bytes
)

func (p *processes) next() Process {
	if len(p.refs) >= mostRefs {
		return mostRefs
	}
	p.refs = append(p.refs, 0)
	return Process(len(p.refs) - 1)
}

func (p *processes) describe(n Process, service string, args []Arg) {
	if n < 0 || int(n) >= len(p.refs) {
		return
	}
	p.record.b = p.record.b[:0]
	p.record.text(service)
	p.record.args(args)
	at, ok := p.known[string(p.record.b)]
	if !ok {
		if p.size > mostProcesses {
			p.to.Leave("service with its attributes, after many others", "services with their attributes, after many others", 1, -1)
			return
		}
		if p.known == nil {
			p.known = map[string]int32{}
		}
		p.all = append(p.all, process{service, slices.Clone(args)})
		p.size += 3 * len(p.record.b)
		at = int32(len(p.all))
		p.known[string(p.record.b)] = at
	}
	p.refs[n] = at
}

// same reports whether two numbers mean the same service.
func (p *processes) same(a, b Process) bool { return a == b || p.ref(a) == p.ref(b) }

// ref returns the index of a service in all, + 1; 0 if it was not described.
func (p *processes) ref(n Process) int32 {
	if n < 0 || int(n) >= len(p.refs) {
		return 0
	}
	return p.refs[n]
}

// of returns the service with a number; one without a name if it was not described.
func (p *processes) of(n Process) process {
	if ref := p.ref(n); ref > 0 {
		return p.all[ref-1]
	}
	return process{}
}
