package calltrace

import (
	"encoding/binary"
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

func (p *pairs) add(ns int64, record []byte) error {
	if ns != p.now {
		p.now, p.early = ns, nil
	}
	r := reader{spool.Numbers{Rest: record[1:]}}
	switch record[0] {
	case recordBegin:
		label := r.label()
		if p.buried > 0 || len(p.open.list) >= maxDepth || len(p.open.headers) >= maxHeaders {
			p.w.left.Count(tooDeep, 1, -1)
			p.buried++
			return nil
		}
		place := r.Wide()
		c := openCall{label: label, start: ns, place: place, sequence: p.next()}
		if at := p.early.find(label); at >= 0 && p.kept < maxHeaders {
			c.early = p.early
			p.kept += p.early.size()
		}
		p.open.push(c, r.Rest)
		return nil
	case recordEnd:
		return p.end(r.label(), r.Rest)
	case recordCall:
		b := binary.AppendUvarint(append(p.record[:0], recordSequence), p.next())
		b = binary.AppendUvarint(b, 0)
		p.record = append(b, r.Rest...)
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

// openCalls are the calls of a track that have begun, in the order of their begins. One that ends before
// others that began after it leaves a gap.
type openCalls struct {
	list    []openCall // the last one is open
	gaps    int
	headers []byte // of the calls in list
	// For each hash, where in list the last call with it is; nil while there are few. What is there may be
	// a gap.
	byName, byFull map[uint64]int32
}

// openCall is a call that has begun.
type openCall struct {
	label    Label
	start    int64
	place    uint64
	sequence uint64
	from, to int        // of its header
	early    *earlyEnds // of the time of its begin, if one suits it; otherwise nil
	gap      bool
	sameName int32 // the call before with the same hash; -1 if none
	sameFull int32
}

const (
	// fewOpen is how many open calls are searched one by one.
	fewOpen = 32
	nowhere = int32(-1)
)

func (o *openCalls) header(c *openCall) []byte { return o.headers[c.from:c.to] }

// push adds a call.
func (o *openCalls) push(c openCall, header []byte) {
	c.from = len(o.headers)
	o.headers = append(o.headers, header...)
	c.to = len(o.headers)
	o.list = append(o.list, c)
	switch {
	case o.byName != nil:
		o.enter(len(o.list) - 1)
	case len(o.list) > fewOpen:
		o.index()
	}
}

// index makes the maps anew.
func (o *openCalls) index() {
	o.byName, o.byFull = map[uint64]int32{}, map[uint64]int32{}
	for i := range o.list {
		o.enter(i)
	}
}

func (o *openCalls) enter(i int) {
	c := &o.list[i]
	c.sameName, c.sameFull = o.named(c.label.name), o.fully(c.label.full)
	o.byName[c.label.name], o.byFull[c.label.full] = int32(i), int32(i)
}

// named returns where the last open call with a name is.
func (o *openCalls) named(name uint64) int32 {
	return o.newest(o.byName, name, func(c *openCall) int32 { return c.sameName })
}

// fully returns where the last open call with a name and a category is.
func (o *openCalls) fully(full uint64) int32 {
	return o.newest(o.byFull, full, func(c *openCall) int32 { return c.sameFull })
}

// newest looks a hash up, and forgets the gaps there.
func (o *openCalls) newest(in map[uint64]int32, hash uint64, before func(*openCall) int32) int32 {
	first, ok := in[hash]
	if !ok {
		return nowhere
	}
	at := first
	for at != nowhere && o.list[at].gap {
		at = before(&o.list[at])
	}
	switch {
	case at == nowhere:
		delete(in, hash)
	case at != first:
		in[hash] = at
	}
	return at
}

// find returns where the call is that an end ends: the innermost one that it suits best; -1 if there is
// none.
func (o *openCalls) find(end Label) int {
	top := len(o.list) - 1
	if top < 0 || end.exactly(o.list[top].label) {
		return top
	}
	if o.byName != nil {
		if end.full == end.name {
			return int(o.named(end.name))
		}
		if at := o.fully(end.full); at != nowhere {
			return int(at)
		}
		return int(o.fully(end.name))
	}
	alike := int(nowhere)
	for i := top; i >= 0; i-- {
		switch c := &o.list[i]; {
		case c.gap:
		case end.exactly(c.label):
			return i
		case alike < 0 && end.suits(c.label):
			alike = i
		}
	}
	return alike
}

// remove removes a call.
func (o *openCalls) remove(at int) {
	o.list[at].gap = true
	o.gaps++
	for n := len(o.list); n > 0 && o.list[n-1].gap; n = len(o.list) {
		c := &o.list[n-1]
		if o.byName != nil { // it may still be known there
			o.named(c.label.name)
			o.fully(c.label.full)
		}
		o.headers = o.headers[:c.from]
		o.list = o.list[:n-1]
		o.gaps--
	}
	switch {
	case len(o.list) == 0:
		o.byName, o.byFull = nil, nil
	case o.gaps > fewOpen && o.gaps > len(o.list)/2:
		o.close()
	}
}

// close closes the gaps.
func (o *openCalls) close() {
	list, headers := o.list[:0], o.headers[:0]
	for _, c := range o.list {
		if !c.gap {
			header := o.header(&c)
			c.from = len(headers)
			headers = append(headers, header...)
			c.to = len(headers)
			list = append(list, c)
		}
	}
	clear(o.list[len(list):])
	o.list, o.headers, o.gaps = list, headers, 0
	if o.byName != nil {
		o.index()
	}
}
