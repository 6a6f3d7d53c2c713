package export

import (
	"strconv"
	"sync"

	"tracex/format"
	"tracex/lazy"
)

// speedscopeFormat writes the format of https://www.speedscope.app, whose types are those of its
// file-format-spec.ts: an evented profile for each thread, in which calls open and close frames. Loops are no
// frames. The unit is nanoseconds since the begin of the recording; in a trace without times it is events: a
// call opens at its number, and closes half a one after the last event in it.
var speedscopeFormat = Format{
	Name: "speedscope", Suffix: ".speedscope.json", What: "flame charts, for www.speedscope.app",
	Target: "speedscope", Limit: 400e6, // a text in a browser has at most 512 MB
	Text: true, Axis: true,
	make: func(j *Job, out *output) target { return newSpeedscope(j, out) },
}

// speedscope is the target of profiles. Its events are in order and nest strictly whatever the trace says: the time of an
// event that would be before another one, as clocks disagree, is that of the other.
type speedscope struct {
	j       *Job
	out     *output
	methods *methods
	used    bitSet // frames

	thread  int32   // the current one; -1 before the first
	first   int64   // when its first call opened
	now     int64   // when its last event was
	stack   []int32 // frames that are open
	several bool    // profiles

	scratch []byte
	free    buffers // of parts
}

func newSpeedscope(j *Job, out *output) *speedscope {
	return &speedscope{j: j, out: out, methods: methodsOf(j.R), thread: -1}
}

func (s *speedscope) start() error {
	b := []byte(`{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":`)
	b = format.AppendJSONString(b, s.j.program())
	b = format.AppendJSONString(append(b, `,"name":`...), s.j.Title)
	s.out.write(append(b, `,"activeProfileIndex":0,"profiles":[`...))
	return s.out.err
}

// program returns the name and the version of this program.
func (j *Job) program() string {
	if j.Program == "" {
		return "tracex"
	}
	return j.Program
}

func (s *speedscope) Reset() {
	s.out.restart()
	s.used, s.thread, s.stack, s.several = nil, -1, s.stack[:0], false
	_ = s.start() // the next Merge has the error too
}

func (s *speedscope) Visitor() lazy.Visitor {
	return &speedscopePart{Clock: s.j.Clock(), of: s, out: s.free.get()}
}

func (s *speedscope) Merge(v lazy.Visitor) error {
	p := v.(*speedscopePart)
	p.ends()
	s.used.add(p.used)
	for i := range p.runs {
		r := &p.runs[i]
		if r.from == r.to {
			continue // it has no calls
		}
		b := p.out[r.from:r.to]
		if s.thread != r.thread {
			s.endProfile()
			s.beginProfile(r.thread, r.first)
			b = b[1:] // no comma before the first event
		}
		if r.first < s.now {
			s.scratch = s.raised(s.scratch[:0], b)
			b = s.scratch
		}
		s.out.write(b)
		s.now = max(s.now, r.now)
		s.stack = append(s.stack[:max(0, len(s.stack)-r.closed)], r.open...)
	}
	s.free.put(p.out)
	return s.out.err
}

func (s *speedscope) beginProfile(thread int32, first int64) {
	s.thread, s.first, s.now, s.stack = thread, first, first, s.stack[:0]
	b := s.scratch[:0]
	if s.several {
		b = append(b, ',')
	}
	s.several = true
	b = format.AppendJSONString(append(b, "\n{\"type\":\"evented\",\"name\":"...), s.j.threadTitle(thread))
	unit := "nanoseconds"
	if !s.j.Timed {
		unit = "none"
	}
	s.scratch = append(append(append(b, `,"unit":"`...), unit...), `","events":[`...)
	s.out.write(s.scratch)
}

// endProfile ends the profile of the current thread: the calls that never ended, or go on after the scope, end with it.
func (s *speedscope) endProfile() {
	if s.thread < 0 {
		return
	}
	b := s.scratch[:0]
	if len(s.stack) > 0 {
		if s.j.Timed {
			_, to := s.j.axis()
			s.now = max(s.now, min(to, s.j.ThreadEnd(s.thread)))
		} else {
			s.now += eventEnd
		}
	}
	for i := len(s.stack) - 1; i >= 0; i-- {
		b = s.event(append(b, ','), 'C', s.stack[i], s.now)
	}
	b = s.at(append(b, `],"startValue":`...), s.first)
	b = s.at(append(b, `,"endValue":`...), s.now)
	s.scratch = append(b, '}')
	s.out.write(s.scratch)
	s.thread = -1
}

func (s *speedscope) finish() error {
	s.endProfile()
	b := append(s.scratch[:0], "\n],\"shared\":{\"frames\":["...)
	for i := range s.used.len() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(s.frame(append(b, "\n{\"name\":"...), i), '}')
		if len(b) >= outputAt {
			s.out.write(b)
			b = b[:0]
		}
	}
	s.out.write(append(b, "\n]}}\n"...))
	return s.out.err
}

// frame appends the members of a frame after the key of its name. Frames are the methods by their index, and one for
// all that the trace does not describe. One that is not used has no name.
func (s *speedscope) frame(b []byte, i int) []byte {
	switch {
	case !s.used.has(i):
		return append(b, `""`...)
	case i == len(s.methods.all):
		return append(b, `"(unknown method)"`...)
	}
	m := s.methods.all[i]
	if b = format.AppendJSONString(b, m.name); m.file == "" {
		return b
	}
	b = format.AppendJSONString(append(b, `,"file":`...), m.file)
	if m.line > 0 {
		b = strconv.AppendInt(append(b, `,"line":`...), int64(m.line), 10)
	}
	return b
}

// frameOf returns the index of the frame of a method.
func (s *speedscope) frameOf(id int32) int32 {
	if i, ok := s.methods.of(id); ok {
		return i
	}
	return int32(len(s.methods.all))
}

// buffers are the memory of parts that have been written, for others. Any goroutine may use it.
type buffers struct{ pool sync.Pool }

func (l *buffers) get() []byte {
	if b, ok := l.pool.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

func (l *buffers) put(b []byte) { l.pool.Put(&b) }

// bitSet is a set of small numbers.
type bitSet []uint64

func (s *bitSet) set(i int32) {
	for int(i)/64 >= len(*s) {
		*s = append(*s, make([]uint64, max(4, len(*s)))...)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

func (s bitSet) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 != 0 }

func (s *bitSet) add(o bitSet) {
	if len(o) > len(*s) {
		*s = append(*s, make([]uint64, len(o)-len(*s))...)
	}
	for i, bits := range o {
		(*s)[i] |= bits
	}
}

// len returns one more than the largest number.
func (s bitSet) len() int {
	n := 64 * len(s)
	for n > 0 && !s.has(n-1) {
		n--
	}
	return n
}
