package calltrace

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"tracex/recorder/convert/spool"
)

// pairs turns the begins and ends of a track into whole calls: where a call goes depends on its end. All
// events are numbered in their order, since calls are added in that of their ends: of those of one time the
// numbers tell which is outside.
type pairs struct {
	w        *Writer
	to       *spool.Spool
	stream   *spool.Stream
	sequence uint64
	open     openCalls
	buried   int // calls that did not fit
	now      int64
	early    *earlyEnds // of this time
	kept     int        // about how many bytes of earlier ones open calls refer to
	noBegin  int64
	record   []byte // scratch
}

// earlyEnds are the ends of one time without a begin before them. Files whose events of one time are in any
// order have some before their begins: each ends a call of that time that has no other end.
type earlyEnds struct{ list []earlyEnd }

type earlyEnd struct {
	label  Label
	footer []byte
}

// size returns how many bytes the footers take.
func (e *earlyEnds) size() (n int) {
	for _, end := range e.list {
		n += len(end.footer) + 1
	}
	return n
}

// take returns the footer of the first that suits a begin.
func (e *earlyEnds) take(begin Label) (footer []byte, ok bool) {
	i := e.find(begin)
	if i < 0 {
		return nil, false
	}
	footer = e.list[i].footer
	e.list = slices.Delete(e.list, i, i+1)
	return footer, true
}

func (e *earlyEnds) find(begin Label) int {
	if e == nil {
		return -1
	}
	return slices.IndexFunc(e.list, func(end earlyEnd) bool { return end.label.suits(begin) })
}

const (
	// recordSequence is the kind of the records made here.
	recordSequence = 5
	// unknownEnd is the duration of a call without an end.
	unknownEnd = math.MaxInt64
	// maxHeaders bounds the headers of open calls, in bytes.
	maxHeaders = 64 << 20
	// maxEarly bounds the ends of one time that wait for their begins.
	maxEarly = 1 << 10
	// largestEarly bounds the footer of each, in bytes.
	largestEarly = 1 << 12
)

// pair makes whole calls of a stream. They are in a spool of their own, which the caller must close
// when they are read: the other one cannot grow while it is read.
func (w *Writer) pair(ctx context.Context, s *spool.Stream) (*spool.Spool, *spool.Stream, error) {
	p := &pairs{w: w, to: spool.New(w.options.TempDir, w.options.Memory/4), now: math.MinInt64}
	p.stream = p.to.Stream()
	err := w.each(ctx, w.spool, s, p.add)
	if err == nil {
		err = p.rest()
	}
	if err != nil {
		p.to.Close()
		return nil, nil, err
	}
	return p.to, p.stream, nil
}

func (p *pairs) add(ns int64, record []byte) error {
	if ns != p.now {
		p.now, p.early = ns, nil
	}
	r := reader{record[1:]}
	switch record[0] {
	case recordBegin:
		label := r.label()
		if p.buried > 0 || len(p.open.list) >= maxDepth || len(p.open.headers) >= maxHeaders {
			p.w.left.Count(tooDeep, 1, -1)
			p.buried++
			return nil
		}
		place := r.wide()
		c := openCall{label: label, start: ns, place: place, sequence: p.next()}
		if at := p.early.find(label); at >= 0 && p.kept < maxHeaders {
			c.early = p.early
			p.kept += p.early.size()
		}
		p.open.push(c, r.rest)
		return nil
	case recordEnd:
		return p.end(r.label(), r.rest)
	case recordCall:
		b := binary.AppendUvarint(append(p.record[:0], recordSequence), p.next())
		b = binary.AppendUvarint(b, 0)
		p.record = append(b, r.rest...)
		return p.to.Add(p.stream, ns, p.record)
	}
	return p.to.Add(p.stream, ns, record)
}

func (p *pairs) next() uint64 {
	p.sequence++
	return p.sequence
}

func (p *pairs) end(label Label, footer []byte) error {
	if p.buried > 0 {
		p.buried--
		return nil
	}
	number := p.next()
	at := p.open.find(label)
	if at >= 0 {
		return p.ended(at, uint64(p.now-p.open.list[at].start), number, footer)
	}
	p.noBegin++
	if p.early == nil {
		p.early = &earlyEnds{}
	}
	if label.name != 0 && len(p.early.list) < maxEarly && len(footer) <= largestEarly {
		p.early.list = append(p.early.list, earlyEnd{label, slices.Clone(footer)})
	}
	return nil
}

// ended adds an open call. number is that of its end.
func (p *pairs) ended(at int, duration, number uint64, footer []byte) error {
	c := &p.open.list[at]
	header := p.open.header(c)
	b := binary.AppendUvarint(append(p.record[:0], recordSequence), c.sequence)
	b = binary.AppendUvarint(b, number-c.sequence)
	b = binary.AppendUvarint(b, duration)
	b = binary.AppendUvarint(b, c.place)
	b = binary.AppendUvarint(b, uint64(len(header)))
	p.record = append(append(b, header...), footer...)
	start := c.start
	p.open.remove(at)
	return p.to.Add(p.stream, start, p.record)
}

// rest adds the calls without an end.
func (p *pairs) rest() error {
	for i := range p.open.list {
		c := &p.open.list[i]
		if c.gap {
			continue
		}
		if footer, ok := c.early.take(c.label); ok {
			p.noBegin--
			c.early = &earlyEnds{[]earlyEnd{{footer: footer}}}
			continue
		}
		c.early = nil
	}
	for n := len(p.open.list); n > 0; n = len(p.open.list) {
		c := &p.open.list[n-1]
		duration, footer := uint64(unknownEnd), p.w.unfinished
		if c.early != nil {
			duration, footer = 0, c.early.list[0].footer
		}
		if err := p.ended(n-1, duration, c.sequence+1, footer); err != nil {
			return err
		}
	}
	p.w.left.Count(noBegin, p.noBegin, -1)
	return nil
}
