package export

import (
	"sync"

	"tracex/lazy"
)

// streamFormat is a format that is bytes for each point, in the order of the trace.
type streamFormat interface {
	// encoder returns an encoder for a part of the trace. Any goroutine may call it.
	encoder() encoder
	// head appends what precedes all threads, tail what follows them.
	head(dst []byte) []byte
	tail(dst []byte) []byte
	// thread appends what precedes the first point of a thread, threadEnd what follows its last one. open are
	// the containers that never ended, or go on after the scope, outermost first; last is the last moment of
	// the thread.
	thread(dst []byte, thread int32) []byte
	threadEnd(dst []byte, thread int32, open []Span, last int64) []byte
	// merge appends what must precede the bytes of an encoder, such as names that it used first.
	merge(dst []byte, e encoder) []byte
}

// encoder encodes the points of a part of the trace. One goroutine uses it.
type encoder interface {
	// begin begins a thread, or a part of one.
	begin(thread int32)
	// enter appends the beginning of a container, exit its end if it has one, and leaf another point.
	enter(dst []byte, p *lazy.PassPoint, s Span) []byte
	exit(dst []byte, p *lazy.PassPoint, s Span) []byte
	leaf(dst []byte, p *lazy.PassPoint, at int64) []byte
}

type stream struct {
	format streamFormat
	j      *Job
	out    *output

	scratch []byte
	free    sync.Pool // of *[]byte: buffers of parts that are written
	thread  int32     // the current one; -1 before the first
	open    []Span
	last    int64
}

func newStream(j *Job, out *output, f streamFormat) *stream {
	return &stream{format: f, j: j, out: out, thread: -1}
}

func (s *stream) start() error {
	s.out.write(s.format.head(nil))
	return s.out.err
}

func (s *stream) finish() error {
	s.endThread()
	s.out.write(s.format.tail(nil))
	return s.out.err
}

func (s *stream) endThread() {
	if s.thread >= 0 {
		s.scratch = s.format.threadEnd(s.scratch[:0], s.thread, s.open, s.last)
		s.out.write(s.scratch)
	}
	s.thread, s.open, s.last = -1, nil, 0
}

func (s *stream) Visitor() lazy.Visitor {
	p := &streamPart{Clock: s.j.Clock(), e: s.format.encoder()}
	if b, ok := s.free.Get().(*[]byte); ok {
		p.out = (*b)[:0]
	}
	return p
}

func (s *stream) Reset() {
	s.out.restart()
	s.thread, s.open = -1, nil
	s.out.write(s.format.head(nil))
}

func (s *stream) Merge(v lazy.Visitor) error {
	p := v.(*streamPart)
	p.ends()
	s.scratch = s.format.merge(s.scratch[:0], p.e)
	s.out.write(s.scratch)
	from := 0
	for i := range p.runs {
		r := &p.runs[i]
		if r.to > from || r.points {
			if s.thread != r.thread {
				s.endThread()
				s.scratch = s.format.thread(s.scratch[:0], r.thread)
				s.out.write(s.scratch)
				s.thread = r.thread
			}
			s.open, s.last = r.open, max(s.last, r.last)
		}
		s.out.write(p.out[from:r.to])
		from = r.to
	}
	b := p.out
	s.free.Put(&b)
	return s.out.err
}

type streamPart struct {
	*Clock
	e    encoder
	out  []byte
	runs []run
}

// run is what a part has of one thread.
type run struct {
	thread int32
	to     int    // the end of its bytes in the part's
	points bool   // it has some
	open   []Span // at its end
	last   int64  // moment
}

func (p *streamPart) clock() *Clock { return p.Clock }

func (p *streamPart) ends() {
	if n := len(p.runs); n > 0 {
		p.runs[n-1].to = len(p.out)
		p.runs[n-1].open = append([]Span(nil), p.Open()...)
		p.runs[n-1].last = p.Now()
	}
}

func (p *streamPart) Begin(thread int32, _ []lazy.PassFrame) {
	p.ends()
	p.runs = append(p.runs, run{thread: thread})
	p.Clock.Begin(thread)
	p.e.begin(thread)
}

func (p *streamPart) Enter(x *lazy.PassPoint) {
	s := p.Clock.Enter(x)
	p.out = p.e.enter(p.out, x, s)
	p.runs[len(p.runs)-1].points = true
}

func (p *streamPart) Leaf(x *lazy.PassPoint) {
	p.out = p.e.leaf(p.out, x, p.Clock.Leaf(x))
	p.runs[len(p.runs)-1].points = true
}

func (p *streamPart) Exit(x *lazy.PassPoint) {
	p.runs[len(p.runs)-1].points = true
	if x.State == lazy.StateWhole {
		p.out = p.e.exit(p.out, x, p.Clock.Exit(x))
	} // what never ended stays open to the end of its thread: nothing follows there
}
