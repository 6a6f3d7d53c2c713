package perfetto

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
)

// progress writes down how far a trace is that grows, so that another process can
// continue it. After each [Live.Advance] it writes one entry:
//
//	size u32, CRC-32 of the contents u32, contents
//
// The contents are numbers, signed varints: first those of the trace, then for each
// thread that grew its id, its state, its name if it is new, and the open containers
// that may have changed (see [openCalls.mark]).
type progress struct {
	log   io.Writer
	entry coder
}

// entryHead is the size of what precedes the contents of an entry.
const entryHead = 8

// advance writes an entry.
func (p *progress) advance(l *liveTrace) error {
	e := &p.entry
	e.b = append(e.b[:0], make([]byte, entryHead)...)
	b, r := l.calls.w.blocks, l.calls.r
	s := liveState{
		recorder: l.recorder, version: r.version, pid: r.pid, origin: b.To.Origin, wall: b.To.Anchor().UnixNano(), at: b.To.Sizes(),
		events: b.events, event: b.To.Events, first: l.sink.first, last: l.sink.last, ids: r.ids, grown: len(l.touched),
	}
	e.trace(&s)
	for _, t := range l.touched {
		id := t.id
		code(e, &id)
		e.thread(t)
	}
	binary.LittleEndian.PutUint32(e.b, uint32(len(e.b)-entryHead))
	binary.LittleEndian.PutUint32(e.b[4:], crc32.ChecksumIEEE(e.b[entryHead:]))
	_, err := p.log.Write(e.b)
	return err
}

// nextEntry returns the contents of the first entry of b, and what follows it; nil if there is no whole one.
func nextEntry(b []byte) (contents, rest []byte) {
	if len(b) < entryHead {
		return nil, nil
	}
	size := int64(binary.LittleEndian.Uint32(b))
	if size > int64(len(b)-entryHead) || crc32.ChecksumIEEE(b[entryHead:entryHead+size]) != binary.LittleEndian.Uint32(b[4:]) {
		return nil, nil
	}
	return b[entryHead : entryHead+size], b[entryHead+size:]
}

// coder appends the contents of an entry, or decodes them.
type coder struct {
	b       []byte // when it decodes, the rest
	decodes bool
	bad     bool // what it decodes is damaged
}

func (c *coder) number(n *int64) {
	if !c.decodes {
		c.b = binary.AppendVarint(c.b, *n)
		return
	}
	v, size := binary.Varint(c.b)
	if size <= 0 {
		c.bad, c.b, v, size = true, nil, 0, 0
	}
	*n, c.b = v, c.b[size:]
}

func (c *coder) numbers(all ...*int64) {
	for _, n := range all {
		c.number(n)
	}
}

func code[T ~int | ~int32 | ~int64 | ~uint8 | ~uint64](c *coder, n *T) {
	v := int64(*n)
	c.number(&v)
	*n = T(v)
}

// flags codes bits as one number, the first as its lowest.
func (c *coder) flags(all ...*bool) {
	bits := 0
	for i, set := range all {
		if *set {
			bits |= 1 << i
		}
	}
	code(c, &bits)
	for i, set := range all {
		*set = bits>>i&1 != 0
	}
}

func (c *coder) text(s *string) {
	n := len(*s)
	code(c, &n)
	switch {
	case !c.decodes:
		c.b = append(c.b, *s...)
	case n < 0 || n > len(c.b):
		c.bad, c.b = true, nil
	default:
		*s, c.b = string(c.b[:n]), c.b[n:]
	}
}

// liveState is what an entry says about the trace.
type liveState struct {
	recorder    uint64
	version     format.Version
	pid         processID
	origin      int64
	wall        int64 // ns since 1970 at origin
	at          tracefile.Sizes
	events      int64
	event       int64 // the next number
	first, last int64
	ids         [ids]int64
	grown       int // threads
}

func (c *coder) trace(s *liveState) {
	code(c, &s.recorder)
	code(c, &s.version)
	code(c, &s.pid)
	c.numbers(&s.origin, &s.wall, &s.at.Data, &s.at.Index, &s.at.Times, &s.events, &s.event, &s.first, &s.last)
	for kind := range s.ids {
		c.number(&s.ids[kind])
	}
	code(c, &s.grown)
}

func (c *coder) thread(t *liveThread) {
	named := t.name != t.told
	c.flags(&t.gone, &t.traced, &t.timed, &t.parts.unsure, &named)
	code(c, &t.parts.next)
	if named {
		c.text(&t.name)
		t.told = t.name
	}
	if t.t != nil {
		t.ended = t.t.Next()
	}
	c.number(&t.ended)
	if t.gone {
		t.open = openCalls{}
		return
	}
	around, changed := t.open.mark()
	count := len(changed)
	code(c, &t.open.unseen)
	c.number(&t.latest)
	code(c, &around)
	code(c, &count)
	if c.decodes {
		if count < 0 || count > len(c.b) {
			c.bad = true
			return
		}
		changed = make([]openCall, count)
	}
	for i := range changed {
		o := &changed[i]
		code(c, &o.class)
		c.flags(&o.timed)
		code(c, &o.event)
		code(c, &o.iterations)
		c.numbers(&o.at, &o.start)
		o.own = o.event // a Live keeps the numbers
	}
	if c.decodes && !t.open.restore(around, changed) {
		c.bad = true
	}
}

// ErrNoProgress is returned by [ResumeLive] if nothing had been written.
var ErrNoProgress = errors.New("nothing was converted while it was recorded")

// ResumeLive continues a trace that its [Live] did not end. progress is the contents of
// LiveOptions.Progress. open returns the files, cut to these sizes and positioned at
// their ends. Packets that were taken before may be taken again. Packets that the other
// Live had taken but not written are lost; calls after such a gap are outside of those
// that were open, unless their recorder lists the open calls.
func ResumeLive(o LiveOptions, progress []byte, open func(tracefile.Sizes) (tracefile.Files, error)) (*Live, error) {
	s := resumed{threads: make(map[int32]*liveThread)}
	for contents, rest := nextEntry(progress); contents != nil && s.read(contents); {
		contents, rest = nextEntry(rest)
	}
	if s.version == 0 {
		return nil, ErrNoProgress
	}
	files, err := open(s.at)
	if err != nil {
		return nil, err
	}
	o.FormatVersion = s.version
	l := NewLive(o)
	s.restore(l, files)
	return l, nil
}

// resumed is the state that the entries describe.
type resumed struct {
	liveState
	threads map[int32]*liveThread
}

// read reads an entry.
func (s *resumed) read(contents []byte) bool {
	c := &coder{b: contents, decodes: true}
	var next liveState
	c.trace(&next)
	none := &callsWriter{floor: next.origin}
	for range next.grown {
		var id int32
		code(c, &id)
		if s.threads[id] == nil {
			s.threads[id] = &liveThread{callsThread: *none.newThread(id)}
		}
		if c.thread(s.threads[id]); c.bad {
			return false
		}
	}
	if !c.bad {
		s.liveState = next
	}
	return !c.bad
}

// restore makes a Live that continues.
func (s *resumed) restore(l *Live, files tracefile.Files) {
	c := l.packets
	c.clocks.wall = wallClock{ns: s.wall, at: s.origin, known: true}
	c.sink.cover(s.first, s.last)
	r := c.recorded.get(s.recorder, s.version)
	r.pid, r.ids = s.pid, s.ids
	to := tracefile.ResumeWriter(s.version, files, s.at, time.Unix(0, s.wall))
	to.Origin, to.Events = s.origin, s.event
	b := newBlocks(to)
	b.events = s.events
	l.chosen.made, l.chosen.recorder = true, s.recorder
	l.trace = liveTraceOf(c, r, s.recorder, b)
	l.trace.progress.log = l.options.Progress
	l.trace.unwritten = &l.waiting.references
	l.trace.threads = s.threads
	for id, t := range s.threads {
		l.waiting.threads[id] = struct{}{}
		t.c = l.trace.calls
		switch {
		case t.gone && t.traced:
			t.c.w.threads = append(t.c.w.threads, t.about())
		case t.traced:
			t.t = newThread(id, t.shown())
			t.t.Early = true
			t.t.Resume(t.ended)
		}
	}
}
