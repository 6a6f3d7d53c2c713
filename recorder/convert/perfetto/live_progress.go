package perfetto

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"tracex/format"
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
	log io.Writer
	b   []byte
}

func (p *progress) number(n int64) { p.b = binary.AppendVarint(p.b, n) }

func (p *progress) numbers(all ...int64) {
	for _, n := range all {
		p.number(n)
	}
}

// threadState is some bits of a thread.
type threadState int64

const (
	stateGone threadState = 1 << iota
	stateTraced
	stateTimed
	stateUnsure
	stateNamed // the name follows
)

func (s threadState) when(set bool) threadState {
	if set {
		return s
	}
	return 0
}

// entryHead is the size of what precedes the contents of an entry.
const entryHead = 8

// advance writes an entry.
func (p *progress) advance(l *liveTrace) error {
	p.b = append(p.b[:0], make([]byte, entryHead)...)
	b, r := l.calls.w.blocks, l.calls.r
	to, at := b.to, b.to.Sizes()
	p.numbers(int64(l.recorder), int64(r.version), int64(r.pid), to.Origin, to.Anchor().UnixNano(),
		at.Data, at.Index, at.Times, b.events, to.Events, l.sink.first, l.sink.last)
	for _, n := range r.ids {
		p.number(n)
	}
	p.number(int64(len(l.touched)))
	for _, t := range l.touched {
		p.thread(t)
	}
	binary.LittleEndian.PutUint32(p.b, uint32(len(p.b)-entryHead))
	binary.LittleEndian.PutUint32(p.b[4:], crc32.ChecksumIEEE(p.b[entryHead:]))
	_, err := p.log.Write(p.b)
	return err
}

func (p *progress) thread(t *liveThread) {
	state := stateGone.when(t.gone) | stateTraced.when(t.traced) | stateTimed.when(t.timed) |
		stateUnsure.when(t.parts.unsure) | stateNamed.when(t.name != t.told)
	p.numbers(int64(t.id), int64(state), int64(t.parts.next))
	if t.name != t.told {
		t.told = t.name
		p.number(int64(len(t.name)))
		p.b = append(p.b, t.name...)
	}
	next := t.ended
	if t.t != nil {
		next = t.t.Next()
	}
	p.number(next)
	if t.gone {
		return
	}
	around, changed := t.open.mark()
	p.numbers(int64(t.open.unseen), t.latest, int64(around), int64(len(changed)))
	for i := range changed {
		o := &changed[i]
		timed := int64(0)
		if o.timed {
			timed = 1
		}
		p.numbers(int64(o.class), timed, int64(o.event), int64(o.iterations), o.at, o.start)
	}
}

// entries decodes entries.
type entries struct {
	b   []byte // of the current entry
	bad bool
}

// next moves to the first entry of b, and returns what follows it; nil if there is no
// whole one.
func (e *entries) next(b []byte) (rest []byte) {
	if len(b) < entryHead {
		return nil
	}
	size := int64(binary.LittleEndian.Uint32(b))
	if size > int64(len(b)-entryHead) || crc32.ChecksumIEEE(b[entryHead:entryHead+size]) != binary.LittleEndian.Uint32(b[4:]) {
		return nil
	}
	e.b = b[entryHead : entryHead+size]
	return b[entryHead+size:]
}

func (e *entries) number() int64 {
	v, n := binary.Varint(e.b)
	if n <= 0 {
		e.bad, e.b = true, nil
		return 0
	}
	e.b = e.b[n:]
	return v
}

func (e *entries) numbers(all ...*int64) {
	for _, v := range all {
		*v = e.number()
	}
}

func (e *entries) text() string {
	n := e.number()
	if n < 0 || n > int64(len(e.b)) {
		e.bad, e.b = true, nil
		return ""
	}
	s := string(e.b[:n])
	e.b = e.b[n:]
	return s
}

// thread decodes a thread.
func (e *entries) thread(threads map[int32]*liveThread, c *callsWriter) {
	var next, unseen, around, count int64
	id, state := int32(e.number()), threadState(e.number())
	t := threads[id]
	if t == nil {
		t = &liveThread{callsThread: *c.newThread(id)}
		threads[id] = t
	}
	t.parts.next = uint64(e.number())
	if state&stateNamed != 0 {
		t.name = e.text()
		t.told = t.name
	}
	e.numbers(&next)
	t.gone, t.traced, t.timed, t.parts.unsure = state&stateGone != 0, state&stateTraced != 0, state&stateTimed != 0, state&stateUnsure != 0
	if t.ended = next; t.gone {
		t.open = openCalls{}
		return
	}
	e.numbers(&unseen, &t.latest, &around, &count)
	if count < 0 || count > int64(len(e.b)) {
		e.bad = true
		return
	}
	t.open.unseen = int(unseen)
	changed := make([]openCall, count)
	for i := range changed {
		o := &changed[i]
		*o = openCall{class: format.Class(e.number()), timed: e.number() != 0, event: int32(e.number()), iterations: int32(e.number())}
		o.own = o.event // a Live keeps the numbers
		e.numbers(&o.at, &o.start)
	}
	if !t.open.restore(int(around), changed) {
		e.bad = true
	}
}
