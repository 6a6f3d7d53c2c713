package diff

import (
	"context"
	"sync/atomic"

	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// mark is an event, or the end of one.
type mark struct {
	sign
	at      int64 // logical: of the header
	event   int32
	end     bool
	objects int // where its objects end among those of the part
}

// place returns where a mark is; of nil, that it is missing.
func (m *mark) place(thread int32) Place {
	if m == nil {
		return Place{Position: lazy.Position{Thread: thread, At: -1}, Event: -1, Missing: true}
	}
	return Place{Position: lazy.Position{Thread: thread, At: m.at}, Event: m.event, End: m.end}
}

// endKey is part of the key of an end.
const endKey = 1 << 32

// markReader reads the marks of one side, in order.
type markReader struct {
	f      *first
	ranges []walk.PassRange
	from   int64 // of the range, if it is the only one
	parts  chan *markPart
	free   pool[*markPart]
	err    error // of the pass; to be read once parts is closed
	sent   bool  // a part has been handed on

	done, total atomic.Int64 // bytes

	// What the comparing goroutine has.
	part *markPart // nil before the first
	at   int       // the mark that is next
	over bool      // there are no more parts
}

// fill waits for a mark if none is in memory, and reports whether more has been read. There is none left of a
// thread if the next one is of another, or there is none at all.
func (m *markReader) fill(ctx context.Context, thread int32) (fresh bool, err error) {
	for thread >= 0 && !m.over && (m.part == nil || m.at == len(m.part.marks)) {
		select {
		case part, more := <-m.parts:
			if !more {
				m.over, m.part = true, nil
				return true, m.err
			}
			if m.part != nil {
				m.free.put(m.part)
			}
			m.part, m.at, fresh = part, 0, true
		case <-ctx.Done():
			return fresh, ctx.Err()
		}
	}
	return fresh, nil
}

// now returns the mark that is next in a thread; nil at its end.
func (m *markReader) now(thread int32) *mark {
	if m.part == nil || m.part.thread != thread || m.at == len(m.part.marks) {
		return nil
	}
	return &m.part.marks[m.at]
}

func (m *markReader) next() { m.at++ }

// objects returns the objects of the mark that is next.
func (m *markReader) objects() []uint64 {
	from := 0
	if m.at > 0 {
		from = m.part.marks[m.at-1].objects
	}
	return m.part.objects[from:m.part.marks[m.at].objects]
}

// read hands on the marks of a side.
func (m *markReader) read(ctx context.Context, r *walk.Reader) {
	defer close(m.parts)
	if len(m.ranges) == 0 {
		return
	}
	c := &markCollector{m: m, ctx: ctx}
	m.err = r.Pass(ctx, walk.Pass{Raw: true, Ranges: m.ranges, Share: m.f.share, Collect: []walk.Collector{c}, Progress: func(done, total int64) {
		m.total.Store(total) // first: done is read before it
		m.done.Store(done)
	}})
}

// markCollector hands on the parts of a pass.
type markCollector struct {
	m     *markReader
	ctx   context.Context
	again bool // a part of an earlier reading has been handed on
}

func (c *markCollector) Reset() { c.again = c.m.sent }

func (c *markCollector) Visitor() walk.Visitor {
	v := c.m.free.get(func() *markPart {
		v := &markPart{signer: newSigner(nil), from: c.m.from}
		if c.m.f.identity {
			v.signer.note = func(id uint64) { v.objects = append(v.objects, id) }
		}
		return v
	})
	v.marks, v.objects = v.marks[:0], v.objects[:0]
	return v
}

func (c *markCollector) Merge(v walk.Visitor) error {
	if c.again {
		return errRead
	}
	p := v.(*markPart)
	if len(p.marks) == 0 {
		c.m.free.put(p)
		return nil
	}
	c.m.sent = true
	select {
	case c.m.parts <- p:
		return nil
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

// markPart is the visitor of a part of a thread, and of no other: a pass over ranges reads each by itself.
type markPart struct {
	signer  *signer
	thread  int32
	from    int64 // what begins before is around what is compared
	marks   []mark
	objects []uint64
}

func (v *markPart) Begin(thread int32, _ []walk.PassFrame) { v.thread = thread }

func (v *markPart) Enter(p *walk.PassPoint) { v.Leaf(p) }

func (v *markPart) Leaf(p *walk.PassPoint) {
	g, err := v.signer.point(p.Context(), p.Bytes(), p.Class, p.Ref)
	if err != nil {
		p.Fail(err)
		return
	}
	v.add(p, g, false)
}

func (v *markPart) Exit(p *walk.PassPoint) {
	if p.At < v.from {
		return
	}
	footer, err := v.signer.footer(p.Context(), p.Class, p.FromEnding(), p.State)
	if err != nil {
		p.Fail(err)
		return
	}
	v.add(p, sign{key: uint64(p.Class) | endKey, value: footer}, true)
}

func (v *markPart) add(p *walk.PassPoint, g sign, end bool) {
	v.marks = append(v.marks, mark{sign: g, at: p.At, event: p.Event, end: end, objects: len(v.objects)})
}
