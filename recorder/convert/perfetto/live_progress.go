package perfetto

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"tracex/format"
	"tracex/format/tracefile"
)

// liveTrace is the trace that a [Live] writes.
type liveTrace struct {
	calls     *callsWriter
	recorder  uint64 // its number
	unwritten *[]byte
	threads   map[int32]*liveThread
	touched   []*liveThread // since the last flush
	progress  progress
	sink      *sink // has the span of the times
}

// liveThread is a thread of a trace that grows. Once it is gone, only the fields from
// gone on count.
type liveThread struct {
	callsThread
	touched bool
	told    string // the name that progress has
	gone    bool   // the thread has ended, and all of it is written
	ended   int64  // when it is gone: the logical offset after its last object
	traced  bool   // the trace has something of it
}

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

// waitingPart is a part of a thread.
type waitingPart struct {
	recorder *callsRecorder
	thread   int32
	partRecord
	frame []byte // of its packet
}
